"""Programs whose variables are attributes of an object: loops and branches treat them alike.

The object is made by the function, or it is the argument of a function `INNER`, which is compiled
then; what the object holds in the end is part of the result. (Where data decide which attribute
comes first, the order in which `vars` has them may be another one, so they are sorted.)
"""

from __future__ import annotations

import ast

from .program import Program

_BOX = "box"
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_NAMED = (ast.MatchAs, ast.MatchStar, ast.ExceptHandler, ast.FunctionDef)
INNER = "inner"
_CLASS = ast.parse("class Box:\n    pass\n").body[0]


def with_attributes(program: Program, as_argument: bool = False) -> Program:
    """The same calls of the function with ``box.x`` in place of its variables ``x``."""
    tree = ast.parse(program.text)
    for node in list(tree.body):
        if isinstance(node, ast.FunctionDef) and node.name == "compute":
            start = _move(node)
            if as_argument:
                tree.body.append(_called(node, start))
            else:
                node.body[:0] = start
    at = next(k for k, node in enumerate(tree.body) if isinstance(node, ast.FunctionDef))
    tree.body.insert(at, _CLASS)
    return program.with_text(ast.unparse(ast.fix_missing_locations(tree)) + "\n")


def _called(function: ast.FunctionDef, start: list[ast.stmt]) -> ast.stmt:
    """What calls a function with the object that its arguments have been put into."""
    end = ast.parse(
        f"result = {INNER}({_BOX})\nend = (result, dict(sorted(vars({_BOX}).items())))"
    ).body
    body = [*start, *end, ast.Return(ast.Name("end", ast.Load()))]
    caller = ast.FunctionDef("compute", function.args, body, [], lineno=1)
    function.name = INNER
    function.args = ast.arguments([], [ast.arg(_BOX)], None, [], [], None, [])
    return caller


def _move(function: ast.FunctionDef) -> list[ast.stmt]:
    """Move the variables; what puts the arguments into a new object."""
    parameters = [arg.arg for arg in function.args.args]
    names = {*parameters, *_bound(function.body)} - (_bound_otherwise(function) - {*parameters})
    start = [f"{_BOX} = Box()", *(f"{_BOX}.{x} = {x}" for x in parameters)]
    moved = _Moved(frozenset(names))
    body = [moved.visit(statement) for statement in function.body]
    function.body = body
    return ast.parse("\n".join(start)).body


def _bound(body: list[ast.stmt]) -> set[str]:
    """The names that a function's own statements store to; inner functions apart."""
    names: set[str] = set()
    waiting: list[ast.AST] = list(body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, (ast.FunctionDef, ast.Lambda, ast.comprehension)):
            continue
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        waiting += ast.iter_child_nodes(node)
    return names


def _bound_otherwise(function: ast.FunctionDef) -> set[str]:
    """The names that something else than an assignment binds, or that inner functions rebind."""
    names: set[str] = set()
    for node in ast.walk(function):
        if isinstance(node, (ast.Global, ast.Nonlocal)):
            names |= set(node.names)
        elif isinstance(node, ast.NamedExpr):
            names.add(node.target.id)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            names |= {(alias.asname or alias.name).split(".")[0] for alias in node.names}
        elif isinstance(node, _NAMED) and node is not function and node.name:
            names.add(node.name)
    return names


class _Moved(ast.NodeTransformer):
    """Puts an attribute in place of each of some names, unless an inner scope has its own."""

    def __init__(self, names: frozenset[str]) -> None:
        self.names = names

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id not in self.names:
            return node
        return ast.Attribute(ast.Name(_BOX, ast.Load()), node.id, node.ctx)

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        return self._within(node, _parameters(node.args))

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return self._within(node, _parameters(node.args) | _bound(node.body))

    def generic_visit(self, node: ast.AST) -> ast.AST:
        if not isinstance(node, _COMPREHENSIONS):
            return super().generic_visit(node)
        targets = [part.target for part in node.generators]
        names = [part for target in targets for part in ast.walk(target)]
        return self._within(node, {part.id for part in names if isinstance(part, ast.Name)})

    def _within(self, node: ast.AST, own: set[str]) -> ast.AST:
        kept, self.names = self.names, self.names - own
        made = super().generic_visit(node)
        self.names = kept
        return made


def _parameters(args: ast.arguments) -> set[str]:
    return {arg.arg for arg in (*args.posonlyargs, *args.args, *args.kwonlyargs)}
