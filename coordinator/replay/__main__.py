"""`python -m coordinator.replay`: the table of docs/replay.md."""

import sys

from coordinator.replay.table import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
