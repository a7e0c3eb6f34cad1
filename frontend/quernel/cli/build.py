"""``quernel build``: a cache folder for other processes."""

from __future__ import annotations

import os
from typing import Any

from ..errors import QuernelError, SignatureError
from .target import ProgramError, UsageError, add_function, load


def register(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser("build", help="compile ahead of time into a folder")
    add_function(parser)
    parser.add_argument(
        "--sig",
        action="append",
        required=True,
        metavar="TYPES",
        help="a signature, such as 'float64[n,2], int64[k,2]'; may be repeated",
    )
    parser.add_argument("-o", "--output", required=True, metavar="DIR", help="the folder")
    parser.set_defaults(run=run)


def run(options: Any) -> None:
    """Fill the folder."""
    os.makedirs(options.output, exist_ok=True)
    os.environ["QUERNEL_CACHE_DIR"] = os.path.abspath(options.output)
    function = load(options.function)
    for text in options.sig:
        try:
            function.prepare(text)
        except SignatureError as error:
            raise UsageError(str(error)) from None
        except QuernelError as error:
            raise ProgramError(str(error)) from error
        except Exception as error:
            raise ProgramError(f"{text}: {type(error).__name__}: {error}") from error
        print(f"{options.function} ({text})")
    counts = function.stats()
    print(f"{counts['compiles']} compiled, {counts['disk_hits']} were there: {options.output}")
