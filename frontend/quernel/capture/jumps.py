"""The hidden names of an environment that say which jump is under way, and what is returned."""

from __future__ import annotations

import ast

from .scopes import SCOPES, own_nodes
from .trees import children

RETURNED, BROKE, CONTINUED, RESULT = "%returned", "%broke", "%continued", "%result"
FLAGS = (RETURNED, BROKE, CONTINUED)
JUMPS = (BROKE, RETURNED)  # those that leave a loop
HIDDEN = (*FLAGS, RESULT)


def ways_out(loop: ast.For | ast.While) -> set[str]:
    """The jumps that leave a loop, as its text has them."""
    found = {RETURNED for part in own_nodes(loop.body) if isinstance(part, ast.Return)}
    pending: list[ast.AST] = list(loop.body)
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Break):
            found.add(BROKE)
        elif isinstance(node, (ast.For, ast.While)):  # whose own ones stay within
            pending.extend(node.orelse)
        elif isinstance(node, ast.stmt) and not isinstance(node, SCOPES):
            pending.extend(children(node))
    return found
