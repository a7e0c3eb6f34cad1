"""What a capture has decided about loops, branches and lists, as a person reads it.

Each decision is noted where it is made, with the line that it is about. What is captured again is
noted again, so that the plan of a finished capture says what its program does::

    filter.py:12: for i, v in enumerate(x)
        a loop of the program, by its counter
        hands on last: None or float64; out: float64[n], in place
    filter.py:13: if v < 0
        both sides, joined behind them: last
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from ..describe import file_name
from ..files import source_lines
from ..traced.array import TracedArray
from ..traced.open_types import kinds_of
from ..traced.scalars import number_type
from ..traced.undecided import UNBOUND, Conflict, Either, Maybe
from .growing import is_growing
from .jumps import FLAGS, RESULT

_SHOWN = 12  # names of a decision
_HIDDEN = {**dict.fromkeys(FLAGS, ""), RESULT: "the result"}


class Decision(NamedTuple):
    """One decision, about the statement of a line."""

    file: str
    line: int
    texts: tuple[str, ...]


def note(tracer: Any, node: Any, *texts: str) -> None:
    """Note a decision about a statement of a function that is interpreted."""
    note_at(tracer, tracer.place()[0], node.lineno, *texts)


def note_at(tracer: Any, file: str, line: int, *texts: str) -> None:
    """Note a decision about the statement of a line."""
    tracer.plan.append(Decision(file, line, texts))


def names_text(names: Iterable[Any]) -> str:
    """The names that a decision is about; hidden ones are left out, or called what they are."""
    shown = [_HIDDEN.get(name, str(name)) for name in dict.fromkeys(names)]
    shown = [name for name in shown if name]
    more = f" and {len(shown) - _SHOWN} more" if len(shown) > _SHOWN else ""
    return ", ".join(shown[:_SHOWN]) + more


def kind_text(obj: Any) -> str:
    """What a value of the program is."""
    kind = number_type(obj)
    if kind is not None:
        names = (part.__name__ if isinstance(part, type) else part.name for part in kinds_of(kind))
        return " or ".join(names)
    if type(obj) is Either:
        parts = (text for side in (obj.first, obj.second) for text in kind_text(side).split(" or "))
        return " or ".join(dict.fromkeys(parts))
    if type(obj) is Maybe:
        return f"{kind_text(obj.value)}, or unbound"
    if type(obj) is Conflict or obj is UNBOUND:
        return "unbound"
    if type(obj) is TracedArray:
        return f"{obj.dtype}[{', '.join(map(_size_text, obj.shape))}]"
    if is_growing(obj):
        return "a list that the program fills"
    if type(obj) in (tuple, list):
        return f"a {type(obj).__name__} of {len(obj)}"
    return "None" if obj is None else f"a {type(obj).__name__}"


def _size_text(size: Any) -> str:
    return str(size) if type(size) is int else "n"


def plan_text(decisions: Iterable[Decision]) -> str:
    """All decisions, those of one line together."""
    lines: dict[tuple[str, int], list[str]] = {}
    for file, line, texts in decisions:
        known = lines.setdefault((file, line), [])
        known += [text for text in texts if text and text not in known]
    found = []
    for (file, line), texts in sorted(lines.items()):
        source = source_lines(file)
        text = source[line - 1].strip().removesuffix(":") if 0 < line <= len(source) else ""
        found.append(f"{file_name(file)}:{line}: {text}")
        found += [f"    {text}" for text in texts]
    return "\n".join(found) + "\n" if found else "No loops, and no branches that data decide.\n"


def lists_of(tracer: Any) -> Iterable[Decision]:
    """The lists that the program fills, at the lines that make them."""
    known = tracer.choices.growing
    for kind, site, *_ in sorted(known, key=repr):
        if kind == "use" and ("plain", site) not in known:
            yield Decision(site[0], site[1], (f"{site[3]}: a list that the program fills",))
