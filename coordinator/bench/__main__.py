"""`python -m coordinator.bench NAME [--json] [--quick]`: a bench without the command line's other parts."""

from __future__ import annotations

import argparse

from coordinator.bench.report import BENCHES, run_bench

if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m coordinator.bench", description="Measure this machine.")
    parser.add_argument("name", choices=BENCHES)
    parser.add_argument("--json", action="store_true", help="for programs")
    parser.add_argument("--quick", action="store_true", help="measure little, to see that it runs")
    asked = parser.parse_args()
    run_bench(asked.name, json=asked.json, quick=asked.quick)
