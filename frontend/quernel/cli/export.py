"""``quernel export``: a function as a library for C, C++ and whatever calls C."""

from __future__ import annotations

import os
from typing import Any

from .. import _runtime, api
from ..cache.target import USUAL_TARGETS
from ..errors import QuernelError, SignatureError
from .target import ProgramError, UsageError, find


def register(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser("export", help="write a library for C and C++")
    parser.add_argument(
        "function", metavar="FILE.py:FUNC", help="a function; also package.module:FUNC"
    )
    parser.add_argument(
        "--sig",
        action="append",
        default=[],
        metavar="TYPES",
        help="a signature, such as 'float64[n,2], float64[k,2]', or 'NAME: TYPES' with the name of "
        "the C function; may be repeated; else those of the decorator",
    )
    parser.add_argument(
        "-o",
        "--output",
        required=True,
        metavar="LIBRARY",
        help="libNAME.so, or libNAME.a for a static library",
    )
    parser.add_argument(
        "--header", metavar="FILE", help="the C header; else NAME.h beside the library"
    )
    parser.add_argument(
        "--target",
        default=",".join(USUAL_TARGETS),
        metavar="LEVELS",
        help="such as x86-64-v3, separated by commas; else %(default)s",
    )
    parser.set_defaults(run=run)


def run(options: Any) -> None:
    """Write the library, and say which files there are now."""
    found = find(options.function)
    function = found if isinstance(found, _runtime.Function) else api.compile(found)
    signatures = _signatures(options.sig)
    targets = options.target.split(",")
    try:
        written = function.export(options.output, signatures, options.header, targets)
    except (ValueError, SignatureError) as error:
        raise UsageError(str(error)) from None
    except (QuernelError, OSError) as error:
        raise ProgramError(str(error)) from error
    for path in written:
        print(os.path.relpath(path))


def _signatures(texts: list[str]) -> dict[str, str] | list[str]:
    """By name where each has one."""
    parts = [text.partition(":") for text in texts]
    named = {name.strip(): rest for name, _, rest in parts if name.strip().isidentifier() and rest}
    return named if named and len(named) == len(texts) else texts
