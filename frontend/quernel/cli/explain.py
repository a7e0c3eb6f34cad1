"""``quernel explain``: how a call would run."""

from __future__ import annotations

from typing import Any

from ..report.text import report_page
from .target import add_arguments, add_function, example, guarded, load, write_file


def register(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser("explain", help="say how a function runs")
    add_function(parser)
    add_arguments(parser)
    parser.add_argument("--html", metavar="FILE", help="write the report as a page of HTML")
    parser.set_defaults(run=run)


def run(options: Any) -> None:
    """Print the report."""
    function = load(options.function)
    report = guarded(function.explain, *example(function, options.arg))
    print(report)
    if options.html is not None:
        write_file(options.html, report_page(report))
