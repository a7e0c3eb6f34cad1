"""``quernel build``: a cache folder for other processes."""

from __future__ import annotations

import os
import warnings
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
    _make_folder(options.output)
    os.environ["QUERNEL_CACHE_DIR"] = os.path.abspath(options.output)
    function = load(options.function)
    for text in options.sig:
        _prepare(function, text)
        print(f"{options.function} ({text})")
    counts = function.stats()
    print(f"{counts['compiles']} compiled, {counts['disk_hits']} were there: {options.output}")


def _make_folder(path: str) -> None:
    try:
        os.makedirs(path, exist_ok=True)
    except OSError as error:
        raise UsageError(f"there can't be a folder {path!r}: {error.strerror}") from None
    if not os.access(path, os.W_OK | os.X_OK):
        raise UsageError(f"the folder {path!r} can't be written")


def _prepare(function: Any, text: str) -> None:
    """Compile for a signature; a program that isn't in the folder afterwards is an error."""
    with warnings.catch_warnings():
        warnings.filterwarnings("error", "the cache at", RuntimeWarning)
        try:
            function.prepare(text)
        except SignatureError as error:
            raise UsageError(str(error)) from None
        except QuernelError as error:
            raise ProgramError(str(error)) from error
        except RuntimeWarning as warning:
            raise ProgramError(f"{text}: the program can't be written: {warning}") from None
        except (Exception, SystemExit) as error:
            raise ProgramError(f"{text}: {type(error).__name__}: {error}") from error
