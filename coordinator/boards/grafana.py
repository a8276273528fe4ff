"""A board as Grafana reads it, made with Grafana's own foundation SDK.

The SDK is pinned to one version of Grafana's model in the extra `boards`. Whoever runs Scentfield does without: the
boards that it makes are shipped with the package.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Final, TypeAlias

from grafana_foundation_sdk.builders import common as common_builder
from grafana_foundation_sdk.builders import dashboard as builder
from grafana_foundation_sdk.builders import stat, statetimeline, timeseries
from grafana_foundation_sdk.builders import table as table_builder
from grafana_foundation_sdk.builders.prometheus import Dataquery
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.models import common
from grafana_foundation_sdk.models import dashboard as model
from grafana_foundation_sdk.models.prometheus import PromQueryFormat

from coordinator.boards.board import Board, Kind, Panel, Query, Row

_Made: TypeAlias = timeseries.Panel | stat.Panel | statetimeline.Panel | table_builder.Panel

_SOURCE: Final = model.DataSourceRef(type_val="prometheus", uid="${datasource}")
_HEIGHTS: Final[dict[Kind, int]] = {"graph": 8, "number": 4, "table": 8, "states": 8}
_TAG: Final = "scentfield"


def dashboard_json(board: Board) -> str:
    """The board as a file for Grafana. The same board gives the same bytes."""
    built = _dashboard(board).build()
    for number, panel in enumerate(_flat(built), start=1):
        panel.id_val = number
    plain = json.loads(json.dumps(built, cls=JSONEncoder))
    return json.dumps(plain, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def _flat(built: model.Dashboard) -> list[model.Panel | model.RowPanel]:
    return list(built.panels or [])


def _dashboard(board: Board) -> builder.Dashboard:
    made = (
        builder.Dashboard(board.title)
        .uid(f"scentfield-{board.name}")
        .description(board.about)
        .tags([_TAG])
        .refresh("30s")
        .time(board.time_from, "now")
        .timezone("browser")
        .tooltip(model.DashboardCursorSync.CROSSHAIR)
        .link(
            builder.DashboardLink("Scentfield")
            .type(model.DashboardLinkType.DASHBOARDS)
            .tags([_TAG])
            .as_dropdown(True)
            .include_vars(True)
            .keep_time(True)
        )
        .with_variable(builder.DatasourceVariable("datasource").label("Prometheus").type("prometheus"))
        .with_variable(_instances())
    )
    for row in board.rows:
        _add_row(made, row)
    return made


def _instances() -> builder.QueryVariable:
    """Which exporters, all of them to begin with: one for each coordinator that this Prometheus scrapes."""
    return (
        builder.QueryVariable("instance")
        .label("Coordinator")
        .datasource(_SOURCE)
        .query("label_values(scentfield_up, instance)")
        .refresh(model.VariableRefresh.ON_TIME_RANGE_CHANGED)
        .sort(model.VariableSort.ALPHABETICAL_ASC)
        .multi(True)
        .include_all(True)
        .all_value(".*")
        .current(model.VariableOption(selected=True, text="All", value="$__all"))
    )


def _add_row(made: builder.Dashboard, row: Row) -> None:
    made.with_row(builder.Row(row.title))
    for panel in row.panels:
        made.with_panel(_panel(panel))


def _panel(panel: Panel) -> _Made:
    made = _MAKERS[panel.kind](panel)
    made.title(panel.title).description(panel.about).datasource(_SOURCE).unit(panel.unit)
    made.span(panel.width).height(_HEIGHTS[panel.kind])
    for place, query in enumerate(panel.queries):
        made.with_target(_target(query, place, panel.kind))
    if panel.steps:
        made.thresholds(_thresholds(panel))
    return made


def _target(query: Query, place: int, kind: Kind) -> Dataquery:
    made = Dataquery().expr(query.expr).ref_id(chr(ord("A") + place)).datasource(_SOURCE)
    if query.legend:
        made.legend_format(query.legend)
    if kind == "table":
        return made.instant().format(PromQueryFormat.TABLE)
    return made.instant() if kind == "number" else made.range()


def _thresholds(panel: Panel) -> builder.ThresholdsConfig:
    steps = [model.Threshold(value=step.value, color=step.colour) for step in panel.steps]
    return builder.ThresholdsConfig().mode(model.ThresholdsMode.ABSOLUTE).steps(steps)


def _graph(panel: Panel) -> timeseries.Panel:
    made = (
        timeseries.Panel()
        .legend(
            common_builder.VizLegendOptions()
            .display_mode(common.LegendDisplayMode.LIST)
            .placement(common.LegendPlacement.BOTTOM)
            .show_legend(True)
        )
        .tooltip(
            common_builder.VizTooltipOptions().mode(common.TooltipDisplayMode.MULTI).sort(common.SortOrder.DESCENDING)
        )
        .show_points(common.VisibilityMode.AUTO)
        .fill_opacity(40 if panel.is_stacked else 8)
        .axis_soft_min(0)
    )
    if panel.is_stacked:
        made.stacking(common_builder.StackingConfig().mode(common.StackingMode.NORMAL).group("A"))
    return made


def _number(_panel: Panel) -> stat.Panel:
    return (
        stat.Panel()
        .reduce_options(common_builder.ReduceDataOptions().calcs(["lastNotNull"]).fields("").values(False))
        .graph_mode(common.BigValueGraphMode.NONE)
        .color_mode(common.BigValueColorMode.VALUE)
    )


def _table(_panel: Panel) -> table_builder.Panel:
    return table_builder.Panel().show_header(True).align(common.FieldTextAlignment.AUTO).inspect(False)


def _states(panel: Panel) -> statetimeline.Panel:
    named = {
        value: model.ValueMappingResult(text=name, color=step.colour, index=place)
        for place, ((value, name), step) in enumerate(zip(panel.names, panel.steps, strict=True))
    }
    return (
        statetimeline.Panel()
        .mappings([model.ValueMap(options=named)])
        .merge_values(True)
        .show_value(common.VisibilityMode.NEVER)
        .row_height(0.8)
        .line_width(0)
        .fill_opacity(70)
    )


_MAKERS: Final[dict[Kind, Callable[[Panel], _Made]]] = {
    "graph": _graph,
    "number": _number,
    "table": _table,
    "states": _states,
}
