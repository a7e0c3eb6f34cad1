"""``quernel emit``: a function's program at a stage of the compiler."""

from __future__ import annotations

from typing import Any

from ..report.lowered import STAGES
from .target import add_arguments, add_function, example, guarded, load


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
    lowered = guarded(function.lower, *example(options.arg))
    text = guarded(lowered.text, options.stop_after or options.to, options.target)
    if options.output is None:
        print(text, end="" if text.endswith("\n") else "\n")
        return
    with open(options.output, "w", encoding="utf-8") as file:
        file.write(text)
