"""What several items of a list have shown of themselves holds for all of them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from ..arguments.leaves import Leaf
from ..traced.restarts import Restart
from ..traced.tracer import Tracer

_SEVERAL = 4


def spread(restart: Restart, tracer: Tracer) -> None:
    """Add what a restart would find of further items of lists of which it is known of several."""
    containers = [outer.leaf for outer in tracer.containers]
    for name, leaves in (
        ("values", tracer.inputs),
        ("fixed", tracer.inputs),
        ("changed", containers),
        ("looked", containers),
    ):
        _spread(getattr(restart, name), getattr(tracer.choices, name), leaves)


def _spread(found: set[str], known: set[str], leaves: Iterable[Leaf]) -> None:
    counts = Counter(map(_form, found | known))
    forms = {_form(path) for path in found if "[" in path and counts[_form(path)] >= _SEVERAL}
    if forms:
        alike = [leaf for leaf in leaves if _form(leaf.path) in forms]
        types = {type(leaf.obj) for leaf in alike if leaf.path in found}
        found |= {leaf.path for leaf in alike if type(leaf.obj) in types}


def _form(path: str) -> str:
    """A path without the places of items in lists."""
    return re.sub(r"\[\d+\]", "[]", path)
