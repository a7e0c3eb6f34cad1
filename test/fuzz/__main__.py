"""`python -m fuzz` in the folder `test`, or `python test/fuzz`."""

import sys
from pathlib import Path

if not __package__:
    sys.path[0] = str(Path(__file__).resolve().parent.parent)

from fuzz.command import main

if __name__ == "__main__":
    raise SystemExit(main())
