"""Reports as plain text and as HTML."""

from __future__ import annotations

from html import escape
from typing import Any

_UNITS = ("B", "kB", "MB", "GB", "TB")


def size_text(count: float) -> str:
    """A number of bytes for people."""
    unit = 0
    while count >= 1000 and unit < len(_UNITS) - 1:
        count, unit = count / 1000, unit + 1
    return f"{count:.3g} {_UNITS[unit]}"


def _summary(kernel: Any) -> str:
    parts = ["parallel" if kernel.parallel else "one thread"]
    if kernel.bytes_read or kernel.bytes_written:
        parts.append(f"reads {size_text(kernel.bytes_read)}")
        parts.append(f"writes {size_text(kernel.bytes_written)}")
    if kernel.flops:
        parts.append(f"{kernel.flops:.3g} operations")
    text = ", ".join(parts) + _turns_text(kernel.turns)
    return text + (" (about: unknown sizes count as 1024)" if kernel.assumed else "")


def _turns_text(turns: int | None) -> str:
    if turns == 1:
        return ""
    return " in each turn of a loop" if turns is None else f" in each of {turns} turns"


def _sections(report: Any) -> list[tuple[str, list[str]]]:
    return [
        ("library calls", [_call_text(item) for item in report.library_calls]),
        ("runs in NumPy", [str(item) for item in report.fallbacks]),
        ("copies", [_copy_text(item) for item in report.copies]),
        ("temporary arrays", [_array_text(item) for item in report.temporaries]),
        ("compiled for", report.guards),
        ("answered by", report.answers),
        ("notes", report.notes),
        ("time by stage", [_timing_text(item) for item in report.times]),
    ]


def _array_text(item: Any) -> str:
    if isinstance(item, dict) and "dtype" in item:
        return f"{item['dtype']}[{', '.join(map(str, item.get('shape', [])))}]"
    return str(item)


def _call_text(item: dict[str, Any]) -> str:
    return f"{item['name']}, {_from(item['lines'])}{_turns_text(item['turns'])}"


def _copy_text(item: Any) -> str:
    """A copy that a kernel makes, or what is said about an argument."""
    if not isinstance(item, dict):
        return str(item)
    moved = f"{size_text(item['bytes_written'])}{_turns_text(item['turns'])}"
    where = f", {_from(item['lines'])}" if item["lines"] else ""
    return f"{item['name']}: {moved}, as the old values are still read{where}"


def _timing_text(timing: Any) -> str:
    """One program's stages in milliseconds, without those that no digit would show."""
    shown = {stage: f"{seconds * 1e3:.1f}" for stage, seconds in timing.seconds.items()}
    parts = [f"{stage} {text}" for stage, text in shown.items() if text != "0.0"]
    return f"{timing.what} in {timing.total * 1e3:.1f} ms: {', '.join(parts)}"


def _from(lines: list[str]) -> str:
    return f"from {', '.join(lines)}"


def report_text(report: Any) -> str:
    """A report in plain text."""
    kernels = len(report.kernels)
    lines = [f"{report.name}: {kernels} kernel{'' if kernels == 1 else 's'}"]
    for kernel in report.kernels:
        lines.append(f"  {kernel.name}: {_summary(kernel)}")
        if kernel.ops:
            lines.append(f"    fuses {', '.join(kernel.ops)}")
        lines += [f"    {decision}" for decision in kernel.decisions]
        if kernel.lines:
            lines.append(f"    {_from(kernel.lines)}")
    for title, items in _sections(report):
        if items:
            lines.append(f"  {title}")
            lines += [f"    {item}" for item in items]
    return "\n".join(lines)


def report_html(report: Any) -> str:
    """A report as a piece of HTML."""
    parts = [f"<h3><code>{escape(report.name)}</code></h3>"]
    for kernel in report.kernels:
        parts.append(
            f"<details><summary><code>{escape(kernel.name)}</code>: {escape(_summary(kernel))}; "
            f"{escape(', '.join(kernel.lines))}</summary>"
            f"<pre>{escape(kernel.source)}</pre></details>"
        )
    for title, items in _sections(report):
        if items:
            rows = "".join(f"<li>{escape(item)}</li>" for item in items)
            parts.append(f"<p>{title}</p><ul>{rows}</ul>")
    return "\n".join(parts)


def report_page(report: Any) -> str:
    """A report as a page of HTML."""
    return (
        "<!doctype html>\n<html lang='en'><head><meta charset='utf-8'>"
        f"<title>{escape(report.name)}</title></head>\n<body>\n{report_html(report)}\n"
        "</body></html>\n"
    )
