"""What syntax trees are made of."""

from __future__ import annotations

import ast
from collections.abc import Sequence

_LEAVES = (ast.Name, ast.Constant)
_FIELDS: dict[type, tuple[str, ...]] = {}  # by class of nodes: where others may be below it


def _fields_of(kind: type) -> tuple[str, ...]:
    if kind not in _FIELDS:
        names = () if issubclass(kind, _LEAVES) else kind._fields  # type: ignore[attr-defined]
        _FIELDS[kind] = tuple(name for name in names if name != "ctx")
    return _FIELDS[kind]


def children(node: ast.AST) -> Sequence[ast.AST]:
    """The nodes right below a node, without the contexts that names and the like have there."""
    found: list[ast.AST] = []
    for name in _FIELDS.get(type(node)) or _fields_of(type(node)):
        part = getattr(node, name, None)
        if type(part) is list:
            found += [item for item in part if isinstance(item, ast.AST)]
        elif isinstance(part, ast.AST):
            found.append(part)
    return found


def walk(node: ast.AST) -> list[ast.AST]:
    """A node and all below it, a node before those below it."""
    found = [node]
    for part in found:  # which grows meanwhile
        found += children(part)
    return found
