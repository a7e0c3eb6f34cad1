"""Loops and choices in a form that the program can hold."""

from __future__ import annotations

import ast
import copy
from typing import Any

from .trees import walk


def lines_of_loops(body: list[ast.stmt]) -> frozenset[int]:
    """The lines of `while` loops."""
    nodes = (node for statement in body for node in walk(statement))
    return frozenset(node.lineno for node in nodes if isinstance(node, ast.While))


def plain_conditions(body: list[ast.stmt], lines: frozenset[int] = frozenset()) -> list[ast.stmt]:
    """Statements without a `while` whose condition binds a name, or that is on one of some lines.

    Such a condition is evaluated once more than the body, so it becomes a part of the body::

        while (v := f()) > 0:        while True:
            g(v)                         if not (v := f()) > 0:
                                             break
                                         g(v)

    A loop with `else` has to know how it ended, and stays.
    """
    if not any(_binds(node, lines) for statement in body for node in walk(statement)):
        return body
    return [_Rewriter(lines).visit(statement) for statement in copy.deepcopy(body)]


def _binds(node: ast.AST, lines: frozenset[int]) -> bool:
    if not isinstance(node, ast.While) or node.orelse:
        return False
    return node.lineno in lines or any(isinstance(part, ast.NamedExpr) for part in walk(node.test))


class _Rewriter(ast.NodeTransformer):
    def __init__(self, lines: frozenset[int]) -> None:
        self.lines = lines

    def visit_While(self, node: ast.While) -> Any:
        self.generic_visit(node)
        if not _binds(node, self.lines):
            return node
        test = node.test
        stop = ast.If(ast.UnaryOp(ast.Not(), test), [ast.Break()], [])
        for part in (stop, stop.test, stop.body[0]):
            ast.copy_location(part, test)
        endless = ast.copy_location(ast.Constant(True), test)
        return ast.copy_location(ast.While(endless, [stop, *node.body], []), node)


def plain_targets(body: list[ast.stmt]) -> list[ast.stmt]:
    """Statements without a `for` that binds anything else than names: each turn begins with that.

    ::

        for self.x in values:        for item in values:
            f(self)                      self.x = item
                                         f(self)
    """
    if not any(_assigns(node) for statement in body for node in walk(statement)):
        return body
    targets = _Targets()
    return [targets.visit(statement) for statement in copy.deepcopy(body)]


def _assigns(node: ast.AST) -> bool:
    if not isinstance(node, ast.For):
        return False
    return any(isinstance(part, (ast.Attribute, ast.Subscript)) for part in walk(node.target))


class _Targets(ast.NodeTransformer):
    def __init__(self) -> None:
        self.count = 0

    def visit_For(self, node: ast.For) -> Any:
        self.generic_visit(node)
        if not _assigns(node):
            return node
        name = f"%item{self.count}"
        self.count += 1
        first = ast.Assign([node.target], ast.Name(name, ast.Load()), lineno=node.lineno)
        node.target = ast.copy_location(ast.Name(name, ast.Store()), node.target)
        for part in (first, first.value):
            ast.copy_location(part, node.target)
        node.body.insert(0, first)
        return node


def plain_choices(body: list[ast.stmt]) -> list[ast.stmt]:
    """Statements in which none is a choice of two calls, or a method of a choice of two objects.

    Such a one becomes a branch, of which each side changes an object that has a name::

        (low if v < 0 else high).append(v)         if v < 0:
                                                       low.append(v)
                                               →   else:
                                                       high.append(v)
    """
    if not any(_choice(node) for statement in body for node in walk(statement)):
        return body
    return [_Chooser().visit(statement) for statement in copy.deepcopy(body)]


def _choice(node: ast.AST) -> ast.IfExp | None:
    """The choice that a statement consists of."""
    value = node.value if isinstance(node, ast.Expr) else None
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
        value = value.func.value
    return value if isinstance(value, ast.IfExp) else None


class _Chooser(ast.NodeTransformer):
    def visit_Expr(self, node: ast.Expr) -> Any:
        choice = _choice(node)
        if choice is None:
            return node
        sides = []
        for chosen in (choice.body, choice.orelse):
            side = copy.deepcopy(node)
            if side.value.__class__ is ast.IfExp:
                side.value = chosen
            else:
                side.value.func.value = chosen
            sides.append([self.visit(side)])
        return ast.copy_location(ast.If(choice.test, *sides), node)
