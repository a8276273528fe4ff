"""Makes the shipped boards anew from their descriptions: `python -m coordinator.boards`; needs the extra `boards`."""

from __future__ import annotations

from coordinator.boards.catalogue import BOARDS
from coordinator.boards.grafana import dashboard_json
from coordinator.boards.shipment import SHIPPED

if __name__ == "__main__":
    for board in BOARDS:
        (SHIPPED / "dashboards" / f"{board.name}.json").write_text(dashboard_json(board), encoding="utf-8")
