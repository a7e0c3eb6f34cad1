"""What syntax trees are made of."""

from __future__ import annotations

import ast
from collections.abc import Sequence

_LEAVES = (ast.Name, ast.Constant, ast.Load, ast.Store, ast.Del)


def children(node: ast.AST) -> Sequence[ast.AST]:
    """The nodes right below a node; of a name none, though Python has its context there."""
    if isinstance(node, _LEAVES):
        return ()
    found: list[ast.AST] = []
    for name in node._fields:
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
