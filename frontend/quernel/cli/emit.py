"""``quernel emit``: a function's program at a stage of the compiler."""

from __future__ import annotations

from typing import Any

from ..errors import DeviceError
from ..report.lowered import STAGES
from .target import UsageError, add_arguments, add_function, example, guarded, load, write_file


def register(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser("emit", help="print the code of a function")
    add_function(parser)
    add_arguments(parser)
    parser.add_argument("--to", choices=STAGES, default="cpp", help="what to print")
    parser.add_argument("--stop-after", choices=STAGES, help="the same, by the compiler's stage")
    parser.add_argument("--target", help="such as x86-64-v3 or sm_90")
    parser.add_argument("-o", "--output", metavar="FILE", help="write to a file")
    parser.set_defaults(run=run)


def run(options: Any) -> None:
    """Print or write the code."""
    function = load(options.function, fullgraph=True)
    lowered = guarded(function.lower, *example(function, options.arg))
    text = guarded(_text, lowered, options.stop_after or options.to, options.target)
    if options.output is not None:
        write_file(options.output, text)
    else:
        print(text, end="" if text.endswith("\n") else "\n")


def _text(lowered: Any, stage: str, target: str | None) -> str:
    try:
        return lowered.text(stage, target)
    except DeviceError as error:
        raise UsageError(f"--target: {error}") from None
