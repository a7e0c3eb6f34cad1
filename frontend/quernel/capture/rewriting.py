"""Loops in a form that the program can hold."""

from __future__ import annotations

import ast
import copy
from typing import Any

from .trees import walk


def plain_conditions(body: list[ast.stmt]) -> list[ast.stmt]:
    """Statements without a `while` whose condition binds a name.

    Such a condition is evaluated once more than the body, so it becomes a part of the body::

        while (v := f()) > 0:        while True:
            g(v)                         if not (v := f()) > 0:
                                             break
                                         g(v)

    A loop with `else` has to know how it ended, and stays.
    """
    if not any(_binds(node) for statement in body for node in walk(statement)):
        return body
    return [_Rewriter().visit(statement) for statement in copy.deepcopy(body)]


def _binds(node: ast.AST) -> bool:
    if not isinstance(node, ast.While) or node.orelse:
        return False
    return any(isinstance(part, ast.NamedExpr) for part in walk(node.test))


class _Rewriter(ast.NodeTransformer):
    def visit_While(self, node: ast.While) -> Any:
        self.generic_visit(node)
        if not _binds(node):
            return node
        test = node.test
        stop = ast.If(ast.UnaryOp(ast.Not(), test), [ast.Break()], [])
        for part in (stop, stop.test, stop.body[0]):
            ast.copy_location(part, test)
        endless = ast.copy_location(ast.Constant(True), test)
        return ast.copy_location(ast.While(endless, [stop, *node.body], []), node)
