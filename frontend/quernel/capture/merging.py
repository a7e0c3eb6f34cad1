"""A loop over a generator as statements: the generator's body, with the loop's in place of `yield`.

So a loop of the generator's holds the consumer's body, and can be a loop of the program::

    def every(x, n):                          i = 0                   # i, n, x: the generator's
        i = 0                                 while i < len(x):
        while i < len(x):                         v = x[i]
            yield x[i]              →             total += v
            i += n                                i += n
    for v in every(x, 2):
        total += v

Names of the generator's own have another spelling there. What leaves the generator, its `return` or
the consumer's `break`, is a `Leave`, and the consumer's `continue` a `Skip`.
"""

from __future__ import annotations

import ast
from typing import Any

from .scopes import COMPREHENSIONS, own_nodes, scope_of, stored
from .trees import walk

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_YIELDS = (ast.Yield, ast.YieldFrom)
_GUARDED = (ast.Try, ast.With, getattr(ast, "TryStar", ast.Try))
_BLOCKS = ("body", "orelse", "finalbody")
_KEPT = ("lineno", "col_offset", "end_lineno", "end_col_offset", "level", "takes")


class Inlined(ast.stmt):
    """The body of a generator.

    Attributes
    ----------
    level : int
        How many generators are around it, in the frame that consumes it.
    definition : Definition
        Of the generator function.
    prefix : str
        What the generator's own names begin with.
    leaves, passes : bool
        Whether something in it leaves it, and whether something leaves what is around it, too.
    """

    _fields = ("body",)


class Yielding(ast.stmt):
    """A `yield`: the target of the consumer's loop is assigned, and its body carried out."""

    _fields = ("value", "target", "body")


class Leave(ast.Return):
    """What leaves the generator of its level."""

    _fields = ()


class Skip(ast.Continue):
    """What goes on behind the `yield`."""


class Merged:
    """The statements that stand for a loop over a generator.

    Attributes
    ----------
    body : list of ast.stmt
    names : set of str
        Those that the generator has, and some of ours.
    why : tuple or None
        A reason and a hint, where there can't be such statements.
    """

    def __init__(self, loop: ast.For, definition: Any, level: int) -> None:
        self.inlined = node = _like(Inlined(), loop)
        node.level, node.definition = level, definition
        node.prefix = prefix = f"%{level} {definition.name}:"
        own = definition.scope.own
        broke, left = f"{prefix}broke", f"{prefix}left"
        is_broken = any(_breaks(loop.body))
        node.leaves = is_broken or _returns(definition.body)
        node.passes = _returns(loop.body)
        flags = [broke] * (is_broken and bool(loop.orelse)) + [left] * (node.leaves and node.passes)
        leaving = _Leaving(level, left if left in flags else None)
        jumps = _Jumps(leaving, broke if broke in flags else None)
        body = _Named(own, prefix).all(copied(definition.body))
        yields = _Yields(loop, prefix, leaving, lambda: jumps.block(_again(loop.body, yields)))
        node.body = yields.block(body)
        self.why = yields.why or _why_not(node.body)
        self.names = {prefix + name for name in own} | set(flags) | yields.names
        self.growable = {prefix + n: site for n, site in definition.scope.growable.items()}
        self.body = [*(_assigned(name, ast.Constant(False), loop) for name in flags), node]
        if loop.orelse and broke in flags:
            test = ast.UnaryOp(ast.Not(), ast.Name(broke, ast.Load()))
            self.body.append(_like(ast.If(test, loop.orelse, []), loop))
        else:
            self.body += loop.orelse
        for statement in self.body:
            ast.fix_missing_locations(statement)


_MERGED: dict[tuple, tuple[ast.AST, Merged]] = {}


def merged(loop: Any, definition: Any, level: int) -> Merged:
    """The statements for a loop over a generator: the same ones at each attempt."""
    key = (id(loop), id(definition), level)
    if key not in _MERGED:
        _MERGED[key] = loop, Merged(loop, definition, level)
    return _MERGED[key][1]


def copied(node: Any) -> Any:
    """A copy of a tree, without what has been found out about it."""
    if isinstance(node, list):
        return [copied(item) for item in node]
    if not isinstance(node, ast.AST):
        return node
    made = type(node)()
    for name in node._fields:
        if hasattr(node, name):
            setattr(made, name, copied(getattr(node, name)))
    for name in _KEPT:
        if hasattr(node, name):
            setattr(made, name, getattr(node, name))
    return made


def _like(made: Any, node: ast.AST) -> Any:
    return ast.copy_location(made, node)


def _assigned(name: str, value: ast.expr, like: ast.AST) -> Any:
    return _like(ast.Assign([ast.Name(name, ast.Store())], value), like)


def _returns(body: list[ast.stmt]) -> bool:
    return any(isinstance(part, ast.Return) for part in own_nodes(body))


def _breaks(body: list[ast.stmt]) -> Any:
    """The `break` statements that leave the loop with a body."""
    for node in body:
        if isinstance(node, ast.Break):
            yield node
        elif isinstance(node, (ast.For, ast.While)):
            yield from _breaks(node.orelse)
        else:
            for owner, name in _blocks_of(node):
                yield from _breaks(getattr(owner, name))


def _blocks_of(node: Any) -> Any:
    if isinstance(node, _FUNCTIONS):
        return
    for owner in (node, *getattr(node, "handlers", ()), *getattr(node, "cases", ())):
        for name in _BLOCKS:
            if isinstance(getattr(owner, name, None), list):
                yield owner, name


def _why_not(body: list[ast.stmt]) -> tuple[str, str] | None:
    if any(isinstance(part, _YIELDS) for part in own_nodes(body)):
        return "a yield within an expression", "give it a statement of its own"
    return None


def _again(body: list[ast.stmt], yields: _Yields) -> list[ast.stmt]:
    """Another copy of a consumer's body, in which what fills lists has places of its own."""
    made = copied(body)
    for part in [part for statement in made for part in walk(statement)]:
        if isinstance(part, ast.Call) and isinstance(part.func, ast.Constant):
            for arg in part.args[1:]:
                if isinstance(arg, ast.Constant) and type(arg.value) is tuple:
                    arg.value = (*arg.value, yields.copies)
    yields.copies += 1
    return made


class _Statements:
    """Replaces statements, each by several."""

    def block(self, body: list[ast.stmt]) -> list[ast.stmt]:
        """The statements for those of a block."""
        return [made for node in body for made in self.statement(node)]

    def statement(self, node: Any) -> list[ast.stmt]:
        """The statements for one."""
        for owner, name in _blocks_of(node):
            setattr(owner, name, self.block(getattr(owner, name)))
        return [node]


class _Leaving:
    """Makes what leaves the generator of a level."""

    def __init__(self, level: int, flag: str | None) -> None:
        self.level, self._flag = level, flag

    def at(self, node: ast.stmt) -> list[ast.stmt]:
        """The statements that leave it in the place of another one."""
        made = _like(Leave(), node)
        made.level = self.level
        marks = [] if self._flag is None else [_assigned(self._flag, ast.Constant(True), node)]
        return [*marks, made]


class _Jumps(_Statements):
    """The jumps of a consumer's body."""

    def __init__(self, leaving: _Leaving, broke: str | None) -> None:
        self._leaving, self._broke = leaving, broke

    def statement(self, node: Any) -> list[ast.stmt]:
        if isinstance(node, ast.Break):
            broke = self._broke
            marks = [] if broke is None else [_assigned(broke, ast.Constant(True), node)]
            return [*marks, *self._leaving.at(node)]
        if type(node) is ast.Continue:
            return [_like(Skip(), node)]
        if isinstance(node, (ast.For, ast.While)):
            node.orelse = self.block(node.orelse)
            return [node]
        return super().statement(node)


class _Yields(_Statements):
    """The `yield` and `return` statements of a generator's body.

    Parameters
    ----------
    consumer : callable
        Makes another copy of the consumer's body.
    """

    def __init__(self, loop: Any, prefix: str, leaving: _Leaving, consumer: Any) -> None:
        self._loop, self._prefix, self._leaving, self._consumer = loop, prefix, leaving, consumer
        self._level, self.copies = leaving.level, 0
        self.names: set[str] = set()
        self.why: tuple[str, str] | None = None

    def statement(self, node: Any) -> list[ast.stmt]:
        value = getattr(node, "value", None)
        if isinstance(node, _GUARDED) and any(isinstance(x, _YIELDS) for x in own_nodes([node])):
            self.why = "a yield inside of try or with", "let the generator end it before it yields"
        elif isinstance(node, ast.Return):
            return self._return(node)
        elif isinstance(node, (ast.Expr, ast.Assign)) and isinstance(value, _YIELDS):
            made, name = self._given(value)
            if isinstance(node, ast.Assign):
                node.value = ast.Constant(None) if name is None else ast.Name(name, ast.Load())
                made.append(node)
            return made
        return super().statement(node)

    def _given(self, node: Any) -> tuple[list[ast.stmt], str | None]:
        """Statements for a `yield`, and the name of what it gives, if that isn't None."""
        if isinstance(node, ast.Yield):
            return [self._yielding(node.value or ast.Constant(None), node)], None
        item, name = self._fresh(), self._fresh()
        given = self._yielding(ast.Name(item, ast.Load()), node)
        loop = _like(ast.For(ast.Name(item, ast.Store()), node.value, [given], []), node)
        loop.takes = name
        return [_assigned(name, ast.Constant(None), node), loop], name

    def _fresh(self) -> str:
        self.names.add(f"{self._prefix}{len(self.names)}")
        return f"{self._prefix}{len(self.names) - 1}"

    def _yielding(self, value: ast.expr, node: ast.AST) -> Any:
        made = _like(Yielding(value, copied(self._loop.target), self._consumer()), node)
        made.level = self._level
        return made

    def _return(self, node: ast.Return) -> list[ast.stmt]:
        before: list[ast.stmt] = []
        value: Any = node.value
        if isinstance(value, _YIELDS):
            before, name = self._given(value)
            value = None if name is None else ast.Name(name, ast.Load())
        takes = getattr(self._loop, "takes", None)
        if value is not None and takes is not None:
            before.append(_assigned(takes, value, node))
        elif value is not None:
            before.append(_like(ast.Expr(value), node))
        return [*before, *self._leaving.at(node)]


class _Named(ast.NodeTransformer):
    """Spells the names of a function's own in another way, also where inner functions read them."""

    def __init__(self, names: Any, prefix: str) -> None:
        self._names, self._prefix = frozenset(names), prefix

    def all(self, nodes: list[Any]) -> list[Any]:
        """Nodes with the other names."""
        return [self.visit(node) for node in nodes]

    def _within(self, hidden: set[str]) -> _Named:
        return _Named(self._names - hidden, self._prefix)

    def _spelled(self, name: str) -> str:
        return self._prefix + name if name in self._names else name

    def visit_Name(self, node: ast.Name) -> Any:
        node.id = self._spelled(node.id)
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        inner = self._within(set(scope_of(node).own))
        node.decorator_list = self.all(node.decorator_list)
        self._defaults(node.args)
        node.name = self._spelled(node.name)
        node.body = inner.all(node.body)
        return node

    def visit_Lambda(self, node: ast.Lambda) -> Any:
        inner = self._within(set(scope_of(node).own))
        self._defaults(node.args)
        node.body = inner.visit(node.body)
        return node

    def _defaults(self, args: ast.arguments) -> None:
        args.defaults = self.all(args.defaults)
        args.kw_defaults = [None if x is None else self.visit(x) for x in args.kw_defaults]

    def _comprehension(self, node: Any) -> Any:
        first = self.visit(node.generators[0].iter)  # which is evaluated outside of it
        inner = self._within({name for part in node.generators for name in stored(part.target)})
        node.generators[0].iter = ast.Constant(None)
        inner.generic_visit(node)
        node.generators[0].iter = first
        return node

    def visit(self, node: Any) -> Any:
        """A node with the other names."""
        if isinstance(node, COMPREHENSIONS):
            return self._comprehension(node)
        if isinstance(node, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)):
            return self._with_name(node)
        return super().visit(node)

    def _with_name(self, node: Any) -> Any:
        if node.name is not None:
            node.name = self._spelled(node.name)
        return self.generic_visit(node)

    def visit_MatchMapping(self, node: ast.MatchMapping) -> Any:
        if node.rest is not None:
            node.rest = self._spelled(node.rest)
        return self.generic_visit(node)

    def visit_Nonlocal(self, node: ast.Nonlocal) -> Any:
        node.names = [self._spelled(name) for name in node.names]
        return node

    def visit_alias(self, node: ast.alias) -> Any:
        name = node.asname or node.name
        if name in self._names:  # but not one of `import package.module`
            node.asname = self._spelled(name)
        return node
