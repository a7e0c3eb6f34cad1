"""Functions in parts: what only Python can run runs there, and the statements around it compiled.

A *part* is a run of statements that is called as a function of its own: it gets the names that it
reads, and gives those that it binds and that are read behind it. What stays in Python are the
statement that can't be compiled, the loops, branches and blocks that it stands in, and jumps out of
them; parts are made of what stands before and behind it in each of those. A part that holds such a
statement itself is cut in its turn, when it is called.
"""

from __future__ import annotations

import ast
import copy
import types
from typing import Any

import numpy as np

from ..capture.scopes import Liveness, assigned, own_nodes, stored
from ..capture.source import Definition, definition_of, is_generator, made_function
from ..errors import UnsupportedError
from ..traced.location import is_library

_UNCLEAR = (ast.Yield, ast.YieldFrom, ast.Await, ast.Delete, ast.AsyncFor, ast.AsyncWith, ast.Match)
_INNER = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
_FRAMES = {"locals", "vars", "eval", "exec", "super", "dir"}
# Functions that count the frames around: a part has a frame more.
_COUNTERS = {"_getframe", "currentframe", "stack", "extract_stack", "format_stack", "print_stack"}
_WORK = (ast.BinOp, ast.Call, ast.Compare, ast.AugAssign, ast.For, ast.While)
_LOOPS = (ast.For, ast.While)
_LEAVES = (ast.Return, ast.Raise, ast.Break, ast.Continue)
_BLOCKS = (*_LOOPS, ast.If, ast.With, ast.Try)
_MOST_PROGRAMS = 8
_MOST_PARTS = 16


class Split:
    """A function of which a statement runs in Python, and what stands around it compiled.

    Attributes
    ----------
    whole : Dispatcher
    function : FunctionType
        Called like the whole one.
    parts : list of Dispatcher
    repeated : dict
        The parts that stand in loops, by the places of their statements.
    left : frozenset of tuple
        The places of statements that are no parts, since nothing is gained.
    """

    def __init__(self, whole: Any, left: frozenset[tuple]) -> None:
        self.whole = whole
        self.left = left
        self.function: Any = None
        self.parts: list[Any] = []
        self.repeated: dict[tuple, Any] = {}

    @property
    def pays(self) -> bool:
        """False where a part needs a program of its own at nearly each call, or none has one."""
        few = all(part.counts["compiles"] <= _MOST_PROGRAMS for part in self.parts)
        return few and not all(part.is_left for part in self.parts)

    @property
    def vain(self) -> frozenset[tuple]:
        """The places of parts that loops call for a few numbers' sake, or for none."""
        return frozenset(place for place, part in self.repeated.items() if not part.works)

    def reconsider(self) -> None:
        """A part has another program, or none: where parts don't pay, the next call is cut anew.

        So is a function of which this one is a part in a loop.
        """
        if not self.pays or self.vain:
            self.whole.refusals.forget()
        if self.whole.whole is not None:
            self.whole.whole.reconsider()


def split_at(
    whole: Any, error: UnsupportedError, left: frozenset[tuple] = frozenset()
) -> Split | None:
    """The function in parts around the statement that an error names.

    None where nothing is gained, or where it isn't clear that the parts do what the whole does.

    Parameters
    ----------
    left : frozenset of tuple
        The places of statements that become no parts.
    """
    plain = whole.plain
    definition = definition_of(plain.__code__, plain.__globals__)
    if definition is None or not _is_clear(definition, plain):
        return None
    line = error.line if error.call_line is None else error.call_line
    if error.argument is None and error.call_line is None and error.file != definition.file:
        return None
    if error.argument is not None:
        line = _first_read(definition.body, error.argument)
    elif line is not None and _first_line(definition.node) <= line < definition.body[0].lineno:
        line = definition.body[-1].lineno  # the function as a whole: its result can't be made
    if line is None or not any(_is_at(line, statement) for statement in definition.body):
        return None
    return _Splitter(whole, definition, line, left).split()


def _first_read(body: list[ast.stmt], name: str) -> int | None:
    """The first line at which a name is read; None where it isn't."""
    lines = [
        node.lineno
        for node in own_nodes(body)
        if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load)
    ]
    return min(lines, default=None)


def _first_line(node: ast.FunctionDef) -> int:
    return min([node.lineno, *(item.lineno for item in node.decorator_list)])


def _is_at(line: int, statement: ast.stmt) -> bool:
    return statement.lineno <= line <= (statement.end_lineno or 0)


def _is_clear(definition: Definition, plain: types.FunctionType) -> bool:
    """Whether the names of a function are what its statements bind, and nobody else sees them."""
    scope = definition.scope
    if not isinstance(definition.node, ast.FunctionDef) or scope.global_ or scope.outer:
        return False
    if scope.captured or "__class__" in plain.__code__.co_freevars:
        return False
    nodes = list(own_nodes(definition.body))
    return not any(isinstance(node, (*_UNCLEAR, *_INNER)) for node in nodes) and not any(
        isinstance(node, ast.Name) and node.id in _FRAMES for node in nodes
    )


class _Place:
    """Where a list of statements stands.

    Attributes
    ----------
    bound : set of str
        The names that are bound for certain before it.
    ends : bool
        Whether the function ends behind it.
    repeats : bool
        Whether a loop is around it.
    caught : set of str
        The names that may be read once an exception has left it, by what stands in the function.
    """

    def __init__(self, bound: set[str], ends: bool, repeats: bool, caught: set[str]) -> None:
        self.bound, self.ends, self.repeats, self.caught = bound, ends, repeats, caught

    def inside(
        self,
        bound: set[str] | None = None,
        ends: bool = False,
        repeats: bool = False,
        caught: frozenset[str] = frozenset(),
    ) -> _Place:
        """The place of a list of statements within one of this list."""
        now = self.bound | (bound or set())
        return _Place(now, self.ends and ends, self.repeats or repeats, self.caught | caught)


class _Splitter:
    """Cuts one function."""

    def __init__(
        self, whole: Any, definition: Definition, line: int, left: frozenset[tuple]
    ) -> None:
        self.plain, self.options, self.definition = whole.plain, whole.options, definition
        self.made = Split(whole, left)
        self.line = line
        self.own = definition.scope.own
        self.after = definition.liveness.after
        names = self.plain.__code__.co_freevars
        self.cells = dict(zip(names, self.plain.__closure__ or (), strict=True))

    def split(self) -> Split | None:
        """The function in parts."""
        node = self.definition.node
        args = node.args
        every = (*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg)
        bound = {arg.arg for arg in every if arg is not None}
        body = self._cut(self.definition.body, _Place(bound, True, False, set()))
        if not 0 < len(self.made.parts) <= _MOST_PARTS:
            return None
        whole = _function(node, args, _with_own_names(body, self.own - bound, node))
        function = made_function(whole, self.definition.file, self.plain, self.cells)
        function.__defaults__ = self.plain.__defaults__
        function.__kwdefaults__ = self.plain.__kwdefaults__
        self.made.function = function
        return self.made

    def _cut(self, body: list[ast.stmt], place: _Place) -> list[ast.stmt]:
        """A list of statements with parts in it, and Python's statement alone if it is in there.

        Where an exception may be caught, a part binds one statement's names that are read then, as
        its last deed: so they are bound, or aren't, as in Python.
        """
        ends = place.ends or (bool(body) and isinstance(body[-1], ast.Return))
        made: list[ast.stmt] = []
        run: list[ast.stmt] = []
        bound = set(place.bound)

        def stay(statement: ast.stmt, is_end: bool) -> None:
            at = _Place(set(bound), is_end, place.repeats, place.caught)
            made.append(self._within(statement, at))
            bound.update(self._bound_by(statement))
            bound.difference_update(_unbound([statement]))

        def become_part(run: list[ast.stmt], is_end: bool) -> None:
            at = _Place(set(bound), is_end, place.repeats, place.caught)
            part = self._part(run, at)
            if part is not None:
                made.extend(part)
                bound.update(_bound(run))
                bound.difference_update(_unbound(run))
            elif len(run) == 1:
                stay(run[0], is_end)
            else:
                for k, statement in enumerate(run):
                    become_part([statement], is_end and k + 1 == len(run))

        def end_run(is_end: bool) -> None:
            become_part(run, is_end)
            run.clear()

        for k, statement in enumerate(body):
            binds = assigned([statement]) & place.caught
            if self._stays(statement, body[k:], ends) or (binds and not _binds_last(statement)):
                end_run(False)
                stay(statement, ends and k + 1 == len(body))
            else:
                run.append(statement)
                if binds:
                    end_run(False)
        end_run(ends)
        return made

    def _stays(self, statement: ast.stmt, rest: list[ast.stmt], ends: bool) -> bool:
        """Whether a statement of a list is no part's, but what stands in it may be."""
        if self._is_at(statement):
            return True
        return _jumps(statement) and not (ends and self._is_free(rest))

    def _bound_by(self, statement: ast.stmt) -> set[str]:
        """The names that are bound for certain behind a statement."""
        bound = _bound([statement])
        if isinstance(statement, ast.With) and not self._may_catch(statement):
            bound |= _bound(statement.body)
        return bound

    def _may_catch(self, node: ast.With) -> bool:
        """Whether what a block is entered with may keep exceptions to itself."""
        return not all(self._is_errstate(item.context_expr) for item in node.items)

    def _is_errstate(self, node: ast.expr) -> bool:
        called = node.func if isinstance(node, ast.Call) else node
        names = []
        while isinstance(called, ast.Attribute):
            names.append(called.attr)
            called = called.value
        if not isinstance(called, ast.Name) or called.id in self.own or called.id in self.cells:
            return False
        found = self.plain.__globals__.get(called.id)
        for name in reversed(names):
            found = vars(found).get(name) if isinstance(found, types.ModuleType) else None
        return found is np.errstate

    def _is_at(self, statement: ast.stmt) -> bool:
        return _is_at(self.line, statement)

    def _is_free(self, rest: list[ast.stmt]) -> bool:
        """Whether the end of a function can be a part as it is."""
        return not any(map(self._is_at, rest)) and not _leaves_loop(rest)

    def _within(self, node: Any, place: _Place) -> ast.stmt:
        """A statement that stays in Python, with parts in the lists of statements in it."""
        if not isinstance(node, _BLOCKS):
            return self._with_helpers(node, place) if self._is_at(node) else node
        made = type(node)(**dict(ast.iter_fields(node)))
        ast.copy_location(made, node)
        for name in ("test", "iter"):
            if hasattr(node, name):
                expression = self._with_helpers(getattr(node, name), place)
                setattr(made, name, expression)
        if isinstance(node, ast.If):
            made.body = self._cut(node.body, place.inside(ends=True))
            made.orelse = self._cut(node.orelse, place.inside(ends=True))
        elif isinstance(node, ast.For):
            made.body = self._cut(node.body, place.inside(stored(node.target), repeats=True))
            made.orelse = self._cut(node.orelse, place.inside(ends=True))
        elif isinstance(node, ast.While):
            made.body = self._cut(node.body, place.inside(repeats=True))
            made.orelse = self._cut(node.orelse, place.inside(ends=True))
        elif isinstance(node, ast.With):
            names = set().union(*(stored(i.optional_vars) for i in node.items if i.optional_vars))
            caught = self.after[node] if self._may_catch(node) else frozenset()
            made.body = self._cut(node.body, place.inside(names, ends=True, caught=caught))
        else:
            self._within_try(node, made, place)
        return made

    def _within_try(self, node: ast.Try, made: ast.Try, place: _Place) -> None:
        liveness = self.definition.liveness
        inner = place.inside(ends=not node.orelse, caught=liveness.caught[node])
        made.body = self._cut(node.body, inner)
        final = liveness.final[node] if node.finalbody else frozenset()
        beside = place.inside(ends=True, caught=final)
        made.handlers = []
        for handler in node.handlers:
            name = {handler.name} if handler.name else set()
            body = self._cut(handler.body, beside.inside(name, ends=True))
            kept = ast.ExceptHandler(handler.type, handler.name, body)
            made.handlers.append(ast.copy_location(kept, handler))
        made.orelse = self._cut(node.orelse, beside.inside(_bound(node.body), ends=True))
        made.finalbody = self._cut(node.finalbody, place.inside())

    def _with_helpers(self, node: Any, place: _Place) -> Any:
        """What runs in Python, with the user's functions that it calls by their names compiled."""
        stored_names = stored(node)
        copied = copy.deepcopy(node)
        for call in [part for part in own_nodes([copied]) if isinstance(part, ast.Call)]:
            if isinstance(call.func, ast.Name) and call.func.id not in stored_names | self.own:
                self._compile_helper(call, place)
        return copied

    def _compile_helper(self, call: ast.Call, place: _Place) -> None:
        """Let a call be one of a compiled function, as long as its name means that function."""
        name = call.func
        assert isinstance(name, ast.Name)
        function = self._value_of(name.id)
        if not isinstance(function, types.FunctionType) or is_library(
            function.__code__.co_filename
        ):
            return
        key = (call.lineno, call.col_offset, name.id)
        is_going_on = _identity(function) in _ancestors(self.made.whole)
        if is_generator(function.__code__) or is_going_on or key in self.made.left:
            return
        face = self._dispatcher(function, key, place)
        plain = f"_quernel_plain{len(self.cells)}"
        self.cells = {**self.cells, plain: types.CellType(function)}
        is_known = ast.Compare(name, [ast.Is()], [ast.Name(plain, ast.Load())])
        call.func = _like(ast.IfExp(is_known, ast.Name(face, ast.Load()), name), name)

    def _value_of(self, name: str) -> Any:
        """What a name that isn't the function's own means now."""
        cell = self.cells.get(name)
        if cell is None:
            return self.plain.__globals__.get(name)
        return None if cell == types.CellType() else cell.cell_contents

    def _part(self, run: list[ast.stmt], place: _Place) -> list[ast.stmt] | None:
        """The call of a part in the place of a run, or the run itself where that is as good.

        None where it can't be a part: it may read or give a name that is bound on some ways only.
        """
        if not _works(run) or _counts_frames(run) or _place_of(run) in self.made.left:
            return list(run)
        returns = any(isinstance(node, ast.Return) for node in own_nodes(run))
        if place.ends:
            given, after = [], set()
        else:
            after = set(self.after[run[-1]]) | place.caught
            given = sorted(assigned(run) & self.own & after)
        taken = sorted(_needed(run, given) & self.own)
        if not place.bound.issuperset(taken) or (returns and not place.ends):
            return None
        if place.ends:
            return [_like(ast.Return(self._call(list(run), taken, place)), run[0])]
        results = ast.Tuple([ast.Name(name, ast.Load()) for name in given], ast.Load())
        body = [*run, _like(ast.Return(results), run[-1])]
        call = self._call(body, taken, place)
        if not given:
            return [_like(ast.Expr(call), run[0])]
        target = ast.Tuple([ast.Name(name, ast.Store()) for name in given], ast.Store())
        return [_like(ast.Assign([target], call), run[0])]

    def _call(self, body: list[ast.stmt], taken: list[str], place: _Place) -> ast.Call:
        """A call of statements as a function of their own, which is compiled."""
        args = ast.arguments([], [ast.arg(name) for name in taken], None, [], [], None, [])
        node = _function(self.definition.node, args, body)
        part = made_function(node, self.definition.file, self.plain, self.cells)
        name = self._dispatcher(part, _place_of(body), place)
        arguments: list[ast.expr] = [ast.Name(name, ast.Load()) for name in taken]
        return ast.Call(ast.Name(name, ast.Load()), arguments, [])

    def _dispatcher(self, function: types.FunctionType, key: tuple, place: _Place) -> str:
        """The name by which the function in parts calls a function compiled."""
        name = f"_quernel_part{len(self.made.parts)}"
        dispatcher = type(self.made.whole)(function, self.options, self.made)
        self.made.parts.append(dispatcher)
        if place.repeats:
            self.made.repeated[key] = dispatcher
        self.cells = {**self.cells, name: types.CellType(dispatcher.face)}
        return name


def _identity(function: types.FunctionType) -> tuple:
    return (function.__code__.co_filename, function.__qualname__)


def _ancestors(dispatcher: Any) -> set[tuple]:
    """The functions of which one is a part, itself included."""
    found = set()
    while True:
        found.add(_identity(dispatcher.plain))
        if dispatcher.whole is None:
            return found
        dispatcher = dispatcher.whole.whole


def _function(like: ast.FunctionDef, args: ast.arguments, body: list[ast.stmt]) -> ast.FunctionDef:
    node = ast.FunctionDef(like.name, args, body, [], None, None)
    node.type_params = []  # type: ignore[attr-defined]
    return _like(node, like)


def _like(node: Any, place: ast.AST) -> Any:
    """The node with all in it, where that has no place of its own, at another one's place."""
    ast.copy_location(node, place)
    return ast.fix_missing_locations(node)


def _binds_last(statement: ast.stmt) -> bool:
    """Whether an assignment binds names after all else that may raise."""
    if isinstance(statement, ast.Assign):
        targets = statement.targets
    elif isinstance(statement, (ast.AugAssign, ast.AnnAssign)):
        targets = [statement.target]
    else:
        return False
    return len(targets) == 1 and all(
        isinstance(part, (ast.Name, ast.Tuple, ast.List, ast.expr_context))
        for part in ast.walk(targets[0])
    )


def _place_of(run: list[ast.stmt]) -> tuple:
    """Where statements begin in the file, and how far they go."""
    return (run[0].lineno, run[0].col_offset, run[-1].end_lineno)


def _works(run: list[ast.stmt]) -> bool:
    """Whether statements do enough to be worth a program."""
    return any(isinstance(node, _WORK) for node in own_nodes(run))


def _counts_frames(run: list[ast.stmt]) -> bool:
    """Whether statements ask for a frame around, as `warnings.warn` does for a `stacklevel`."""
    for node in own_nodes(run):
        if isinstance(node, ast.Call):
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            is_warning = name == "warn" and (len(node.args) > 2 or node.keywords)
            if name in _COUNTERS or is_warning:
                return True
    return False


def _jumps(statement: ast.stmt) -> bool:
    """Whether a statement may go somewhere else than behind itself."""
    return _leaves_loop([statement]) or any(
        isinstance(node, ast.Return) for node in own_nodes([statement])
    )


def _leaves_loop(body: list[ast.stmt]) -> bool:
    """Whether statements jump to the head or the end of a loop around them."""
    for statement in body:
        if isinstance(statement, (ast.Break, ast.Continue)):
            return True
        for name in ("body", "orelse", "finalbody"):
            is_inner = name == "body" and isinstance(statement, _LOOPS)
            if not is_inner and _leaves_loop(getattr(statement, name, [])):
                return True
        if any(_leaves_loop(handler.body) for handler in getattr(statement, "handlers", [])):
            return True
    return False


def _with_own_names(
    body: list[ast.stmt], names: frozenset[str] | set[str], place: ast.AST
) -> list[ast.stmt]:
    """Statements in which names are the function's own, also those that parts alone bind now."""
    read = {node.id for node in own_nodes(body) if isinstance(node, ast.Name)}
    lost = sorted(read & names - assigned(body))
    if not lost:
        return body
    targets: list[ast.expr] = [ast.Name(name, ast.Store()) for name in lost]
    never = ast.If(ast.Constant(False), [ast.Assign(targets, ast.Constant(None))], [])
    return [_like(never, place), *body]


def _needed(body: list[ast.stmt], after: Any) -> set[str]:
    """The names that are read before statements bind them, by those or by what comes after."""
    return Liveness(body, frozenset()).before(body, after)


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
            for item in statement.items:
                names |= stored(item.optional_vars) if item.optional_vars else set()
        elif isinstance(statement, ast.If):
            names |= _bound_or_left(statement.body, statement.orelse)
        elif isinstance(statement, ast.Try):
            over = [*statement.body, *statement.orelse]
            names |= _bound_or_left(over, *(handler.body for handler in statement.handlers))
            names |= _bound(statement.finalbody)
        elif isinstance(statement, (ast.Import, ast.ImportFrom)):
            names |= assigned([statement])
    return names


def _unbound(body: list[ast.stmt]) -> set[str]:
    """The names of exceptions that handlers in some statements unbind at their ends."""
    handlers = (node for node in own_nodes(body) if isinstance(node, ast.ExceptHandler))
    return {handler.name for handler in handlers if handler.name}


def _bound_or_left(*sides: list[ast.stmt]) -> set[str]:
    """The names that are bound for certain where one of some lists has run to its end."""
    ending = [side for side in sides if not (side and isinstance(side[-1], _LEAVES))]
    return set.intersection(*map(_bound, ending)) if ending else set()
