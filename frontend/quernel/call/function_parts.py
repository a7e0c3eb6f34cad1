"""Functions in parts: compiled code before and after a statement that only Python can run."""

from __future__ import annotations

import ast
import types
from typing import Any

from ..capture.scopes import assigned, own_nodes, stored
from ..capture.source import Definition, definition_of, made_function
from ..errors import UnsupportedError

_UNCLEAR = (ast.Yield, ast.YieldFrom, ast.Await, ast.Delete, ast.AsyncFor, ast.AsyncWith)
_INNER = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
_FRAMES = {"locals", "vars", "eval", "exec", "super", "dir"}
# Functions that count the frames around: a part has a frame more.
_COUNTERS = {"_getframe", "currentframe", "stack", "extract_stack", "format_stack", "print_stack"}
_WORK = (ast.BinOp, ast.Call, ast.Compare, ast.AugAssign, ast.For, ast.While)
_MOST_PROGRAMS = 8
_PARTS = ("_quernel_before", "_quernel_after")


class Split:
    """A function whose statement at one place runs in Python, and all others compiled.

    Attributes
    ----------
    whole : Dispatcher
    function : FunctionType
        Called like the whole one.
    parts : list of Dispatcher
    """

    def __init__(self, whole: Any) -> None:
        self.whole = whole
        self.function: Any = None
        self.parts: list[Any] = []

    @property
    def pays(self) -> bool:
        """False where a part needs a program of its own at nearly each call."""
        return all(part.counts["compiles"] <= _MOST_PROGRAMS for part in self.parts)

    def reconsider(self) -> None:
        """A part has got another program: where that is one too many, the whole runs in NumPy."""
        if not self.pays:
            self.whole.refusals.forget()


def split_at(whole: Any, error: UnsupportedError) -> Split | None:
    """The function in parts around the statement that an error names.

    None where nothing is gained, or where it isn't clear that the parts do what the whole does.
    """
    plain = whole.plain
    definition = definition_of(plain.__code__, plain.__globals__)
    if definition is None or error.file != definition.file or not _is_clear(definition, plain):
        return None
    body, line = definition.body, error.line or 0
    for k, statement in enumerate(body):
        if statement.lineno <= line <= (statement.end_lineno or 0):
            return Splitter(whole, definition).split(body[:k], statement, body[k + 1 :])
    return None


def _is_clear(definition: Definition, plain: types.FunctionType) -> bool:
    scope = definition.scope
    if not isinstance(definition.node, ast.FunctionDef) or scope.global_ or scope.outer:
        return False
    if plain.__code__.co_cellvars or "__class__" in plain.__code__.co_freevars:
        return False
    nodes = list(own_nodes(definition.body))
    return not any(isinstance(node, (*_UNCLEAR, *_INNER)) for node in nodes) and not any(
        isinstance(node, ast.Name) and node.id in _FRAMES for node in nodes
    )


class Splitter:
    """Makes the parts of one function."""

    def __init__(self, whole: Any, definition: Definition) -> None:
        self.plain, self.options, self.definition = whole.plain, whole.options, definition
        self.made = Split(whole)
        args = definition.node.args
        every = (*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg)
        self.parameters = {arg.arg for arg in every if arg is not None}
        self.own = definition.scope.own
        names = self.plain.__code__.co_freevars
        self.cells = dict(zip(names, self.plain.__closure__ or (), strict=True))

    def split(self, before: list[ast.stmt], at: ast.stmt, after: list[ast.stmt]) -> Split | None:
        """The function with `at` in Python."""
        if any(_works(part) and _counts_frames(part) for part in (before, after)):
            return None
        bound = self.parameters | _bound(before)
        start, end = before, after
        if _works(before):
            given = sorted(assigned(before) & self.own & _needed([at, *after]))
            if not bound.issuperset(given) or _returns(before):
                return None
            taken = sorted(self.parameters & (_needed(before) | set(given)))
            start = [self._call_before(before, taken, given)]
        if _works(after):
            needed = _needed(after) & self.own
            bound |= _bound([at])
            if (needed - bound) & assigned([*before, at]):
                return None  # perhaps bound, perhaps not
            end = [self._call_after(after, sorted(needed & bound))]
        if not self.made.parts:
            return None
        node = self.definition.node
        whole = _function(node, node.args, [*start, at, *end])
        function = made_function(whole, self.definition.file, self.plain, self.cells)
        function.__defaults__ = self.plain.__defaults__
        function.__kwdefaults__ = self.plain.__kwdefaults__
        self.made.function = function
        return self.made

    def _call_before(self, body: list[ast.stmt], taken: list[str], given: list[str]) -> ast.stmt:
        results = ast.Tuple([ast.Name(name, ast.Load()) for name in given], ast.Load())
        call = self._call(_PARTS[0], [*body, _like(ast.Return(results), body[-1])], taken)
        if not given:
            return _like(ast.Expr(call), body[0])
        target = ast.Tuple([ast.Name(name, ast.Store()) for name in given], ast.Store())
        return _like(ast.Assign([target], call), body[0])

    def _call_after(self, body: list[ast.stmt], taken: list[str]) -> ast.stmt:
        return _like(ast.Return(self._call(_PARTS[1], body, taken)), body[0])

    def _call(self, name: str, body: list[ast.stmt], taken: list[str]) -> ast.Call:
        """A call of statements as a function of their own, which is compiled."""
        args = ast.arguments([], [ast.arg(name) for name in taken], None, [], [], None, [])
        node = _function(self.definition.node, args, body)
        part = made_function(node, self.definition.file, self.plain, self.cells)
        dispatcher = type(self.made.whole)(part, self.options, self.made)
        self.made.parts.append(dispatcher)
        self.cells = {**self.cells, name: types.CellType(dispatcher.face)}
        arguments: list[ast.expr] = [ast.Name(name, ast.Load()) for name in taken]
        return ast.Call(ast.Name(name, ast.Load()), arguments, [])


def _function(like: ast.FunctionDef, args: ast.arguments, body: list[ast.stmt]) -> ast.FunctionDef:
    node = ast.FunctionDef(like.name, args, body, [], None, None)
    node.type_params = []  # type: ignore[attr-defined]
    return _like(node, like)


def _like(node: Any, place: ast.AST) -> Any:
    """The node with all in it, where that has no place of its own, at another one's place."""
    ast.copy_location(node, place)
    return ast.fix_missing_locations(node)


def _works(body: list[ast.stmt]) -> bool:
    """Whether statements do enough to be worth a program."""
    return any(isinstance(node, _WORK) for node in own_nodes(body))


def _counts_frames(body: list[ast.stmt]) -> bool:
    """Whether statements ask for a frame around, as `warnings.warn` does for a `stacklevel`."""
    for node in own_nodes(body):
        if isinstance(node, ast.Call):
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            is_warning = name == "warn" and (len(node.args) > 2 or node.keywords)
            if name in _COUNTERS or is_warning:
                return True
    return False


def _returns(body: list[ast.stmt]) -> bool:
    return any(isinstance(node, ast.Return) for node in own_nodes(body))


def _loads(body: list[Any]) -> set[str]:
    """The names that statements may read."""
    names = set()
    for node in own_nodes(body):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            names.add(node.id)
        elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            names.add(node.target.id)
    return names


def _needed(body: list[ast.stmt]) -> set[str]:
    """The names that statements may read before they bind them."""
    names: set[str] = set()
    bound: set[str] = set()
    for statement in body:
        if isinstance(statement, ast.For):
            found = _needed(statement.body) - stored(statement.target)
            found |= _loads([statement.iter, statement.target]) | _needed(statement.orelse)
        elif isinstance(statement, (ast.If, ast.While)):
            found = _loads([statement.test])
            found |= _needed(statement.body) | _needed(statement.orelse)
        else:
            found = _loads([statement])
        names |= found - bound
        bound |= _bound([statement])
    return names


def _bound(body: list[ast.stmt]) -> set[str]:
    """The names that are bound for certain when statements have run."""
    names: set[str] = set()
    for statement in body:
        if isinstance(statement, ast.Assign):
            names |= set().union(*(stored(target) for target in statement.targets))
        elif isinstance(statement, ast.AugAssign) or (
            isinstance(statement, ast.AnnAssign) and statement.value is not None
        ):
            names |= stored(statement.target)
        elif isinstance(statement, ast.With):
            names |= _bound(statement.body)
            for item in statement.items:
                names |= stored(item.optional_vars) if item.optional_vars else set()
        elif isinstance(statement, ast.If):
            names |= _bound(statement.body) & _bound(statement.orelse)
        elif isinstance(statement, (ast.Import, ast.ImportFrom)):
            names |= assigned([statement])
    return names
