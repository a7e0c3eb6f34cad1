"""Names in syntax trees: which are a function's own, and which are needed where."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import Any

from .trees import children, walk

COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_CONSUMERS = {
    "all", "any", "dict", "frozenset", "list", "max", "min", "next", "set", "sorted", "sum",
    "tuple",
}  # fmt: skip
SCOPES = (*_FUNCTIONS, ast.ClassDef)


class Scope:
    """The names of a function.

    Attributes
    ----------
    own : frozenset of str
        Local variables, parameters included.
    global_, outer : frozenset of str
        What ``global`` and ``nonlocal`` name.
    captured : frozenset of str
        Names that functions and generators inside read: they may be needed at any time.
    growable : dict
        Of lists that the program may fill (`growing.py`): the sites, by name.
    """

    def __init__(
        self, own: set[str], global_: set[str], outer: set[str], captured: set[str]
    ) -> None:
        self.own = frozenset(own - global_ - outer)
        self.global_, self.outer = frozenset(global_), frozenset(outer)
        self.captured = frozenset(captured)
        self.growable: dict[str, tuple] = {}

    def with_names(self, names: set[str], growable: dict[str, tuple]) -> Scope:
        """The scope with more names of its own, of which some are lists that may grow."""
        if names <= self.own:
            return self
        made = Scope(set(self.own), set(self.global_), set(self.outer), set(self.captured))
        made.own |= names
        made.growable = {**self.growable, **growable}
        return made

    def without_own(self) -> Scope:
        """The scope of a function whose own names lie elsewhere."""
        return Scope(set(), set(self.global_), set(self.outer), set())


def scope_of(node: Any) -> Scope:
    """The scope of a function, or of a comprehension."""
    if isinstance(node, COMPREHENSIONS):
        bound = {name for part in node.generators for name in stored(part.target)}
        return Scope(bound, set(), set(), set())
    args = node.args
    every = (*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg)
    own = {arg.arg for arg in every if arg is not None}
    body = [node.body] if isinstance(node, ast.Lambda) else node.body
    global_, outer, captured = set(), set(), set()
    parts = list(own_nodes(body))
    at_once = {id(arg) for part in parts if _uses_up(part) for arg in part.args}
    for part in parts:
        if isinstance(part, ast.Global):
            global_ |= set(part.names)
        elif isinstance(part, ast.Nonlocal):
            outer |= set(part.names)
        elif isinstance(part, _FUNCTIONS):
            captured |= _free_reads(part)
        elif isinstance(part, ast.GeneratorExp) and id(part) not in at_once:
            captured |= reads(part)
    return Scope(own | assigned(body), global_, outer, captured)


def _uses_up(node: ast.AST) -> bool:
    """Whether an expression is a call that takes all items of its arguments by itself."""
    return isinstance(node, ast.Call) and getattr(node.func, "id", "") in _CONSUMERS


def own_nodes(nodes: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """All nodes of a function's own body: what is inside of inner functions left out."""
    pending = list(nodes)
    while pending:
        node = pending.pop()
        yield node
        if not isinstance(node, SCOPES):
            pending.extend(children(node))
        elif not isinstance(node, ast.Lambda):
            pending.extend(node.decorator_list)


def assigned(nodes: Iterable[ast.AST]) -> set[str]:
    """The names that statements may bind or delete."""
    names: set[str] = set()
    pending = list(nodes)
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Name):
            if not isinstance(node.ctx, ast.Load):
                names.add(node.id)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names.add(node.name)
            pending.extend(node.decorator_list)
        elif isinstance(node, ast.Lambda):
            pass
        elif isinstance(node, COMPREHENSIONS):
            names |= {
                part.target.id for part in walk(node) if isinstance(part, ast.NamedExpr)
            }  # the rest has a scope of its own
        else:
            if not isinstance(node, ast.expr):
                names |= _other_bindings(node)
            pending.extend(children(node))
    return names


def computed_from_themselves(nodes: Iterable[ast.AST]) -> set[str]:
    """The names that statements bind by operations on what they have had, and in no other way."""
    parts = [part for node in nodes for part in walk(node)]
    targets = [part.targets[0] for part in parts if _is_computed_from_itself(part)]
    others = {part.id for part in parts if _is_bound(part) and part not in targets}
    return {target.id for target in targets} - others


def _is_bound(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)


def _is_computed_from_itself(node: ast.AST) -> bool:
    """Whether a statement is such as `x = x * y`."""
    if not (isinstance(node, ast.Assign) and len(node.targets) == 1 and _is_bound(node.targets[0])):
        return False
    if not isinstance(node.value, (ast.BinOp, ast.UnaryOp)):
        return False
    name = node.targets[0].id
    return any(isinstance(part, ast.Name) and part.id == name for part in walk(node.value))


def _other_bindings(node: ast.AST) -> set[str]:
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return {(alias.asname or alias.name).split(".")[0] for alias in node.names}
    name = getattr(node, "name", None)
    if isinstance(node, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)) and name:
        return {name}
    if isinstance(node, ast.MatchMapping) and node.rest:
        return {node.rest}
    return set()


def spelled(name: str) -> str:
    """A name as the user has it, of which a generator's may have another spelling."""
    return name.rpartition(":")[2]


def stored(target: ast.AST) -> set[str]:
    """The names that an assignment to a target binds."""
    return {
        part.id
        for part in walk(target)
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
    }


def reads(node: ast.AST | None) -> set[str]:
    """The names that evaluating an expression may read, those of inner functions included."""
    if node is None:
        return set()
    return {
        part.id
        for part in walk(node)
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load)
    }


def _free_reads(node: Any) -> set[str]:
    body = [node.body] if isinstance(node, ast.Lambda) else node.body
    return set().union(*(reads(part) for part in body))


class Liveness:
    """Which names are needed after, and at the head of, the loops and branches of a function.

    Attributes
    ----------
    after : dict
        By statement: the names whose values are read after it.
    passed : dict
        By statement: the same, where it or what stands with it in a block may jump.
    head : dict
        By loop: the names that a turn may read before it assigns them.
    jumped : dict
        By ``break`` and ``return``: the names that may be read after it.
    caught, final : dict
        By ``try``: the names that may be read once its body has raised, and from its last part on.
    """

    def __init__(self, body: list[ast.stmt], captured: frozenset[str]) -> None:
        self.after: dict[ast.AST, frozenset[str]] = {}
        self.passed: dict[ast.AST, frozenset[str]] = {}
        self.head: dict[ast.AST, frozenset[str]] = {}
        self.jumped: dict[ast.AST, frozenset[str]] = {}
        self.caught: dict[ast.AST, frozenset[str]] = {}
        self.final: dict[ast.AST, frozenset[str]] = {}
        self._always = set(captured)
        self._uses: dict[ast.AST, set[str]] = {}
        self._targets: list[tuple[set[str], set[str]]] = []  # of break and of continue
        self._left: dict[int, set[str]] = {}  # read after the generators that are left
        self._around: dict[ast.AST, tuple] = {}  # of a loop that may be one over a generator
        self._block(body, set())

    def before(self, body: list[ast.stmt], after: Iterable[str]) -> set[str]:
        """The names that are read before statements bind them, by those or by what comes after."""
        return self._block(body, set(after))

    def extend(self, loop: ast.For, body: list[ast.stmt]) -> None:
        """Find the same for statements that stand for a loop, in front of those of its `else`."""
        if body[0] in self.passed:
            return
        state = self._always, self._targets, self._left
        live, self._always, self._targets, self._left = self._around[loop]
        self._block(body, set(live))
        self._always, self._targets, self._left = state

    def _block(self, body: list[ast.stmt], live: set[str]) -> set[str]:
        for statement in reversed(body):
            live = self._statement(statement, live | self._always)
        return live | self._always

    def _statement(self, node: ast.stmt, live: set[str]) -> set[str]:
        self.after[node] = frozenset(live)
        targets = self._targets[-1] if self._targets else ()
        self.passed[node] = frozenset().union(live, *targets, *self._left.values())
        method = getattr(self, f"_{type(node).__name__.lower()}", None)
        if method is not None:
            return method(node, live)
        if node not in self._uses:  # the body of a loop is gone through several times
            self._uses[node] = _used(node)
        return (live - _killed(node)) | self._uses[node]

    def _return(self, node: ast.Return, live: set[str]) -> set[str]:
        self.jumped[node] = frozenset(self._always)
        return reads(node.value)

    def _raise(self, node: ast.Raise, live: set[str]) -> set[str]:
        return reads(node)

    def _break(self, node: ast.Break, live: set[str]) -> set[str]:
        self.jumped[node] = frozenset(self._targets[-1][0] | self._always)
        return set(self._targets[-1][0])

    def _continue(self, node: ast.Continue, live: set[str]) -> set[str]:
        return set(self._targets[-1][1])

    def _if(self, node: ast.If, live: set[str]) -> set[str]:
        sides = self._block(node.body, set(live)) | self._block(node.orelse, set(live))
        return sides | reads(node.test)

    _skip = _continue

    def _leave(self, node: Any, live: set[str]) -> set[str]:
        self.jumped[node] = frozenset(self._left[node.level] | self._always)
        return set(self._left[node.level])

    def _inlined(self, node: Any, live: set[str]) -> set[str]:
        live = live | {f"{node.prefix}left"}  # which says whether the generator has been left
        around, left, captured = self._always, self._left, node.definition.scope.captured
        self._always = around | {node.prefix + name for name in captured}
        self._left = {**left, node.level: set(live)}
        before = self._block(node.body, set(live))
        self._always, self._left = around, left
        return before

    def _yielding(self, node: Any, live: set[str]) -> set[str]:
        self._targets.append((live, live))
        before = self._block(node.body, set(live))
        self._targets.pop()
        return (before - stored(node.target)) | reads(node.value)

    def _for(self, node: ast.For, live: set[str]) -> set[str]:
        self._around[node] = live | self._always, self._always, [*self._targets], self._left
        bound = stored(node.target)
        return self._loop(node, live, lambda turn: turn - bound) | reads(node.iter)

    def _while(self, node: ast.While, live: set[str]) -> set[str]:
        return self._loop(node, live, lambda turn: turn | reads(node.test))

    def _loop(self, node: Any, live: set[str], before: Any) -> set[str]:
        over = self._block(node.orelse, set(live))
        # Within a loop around: at least what was found the time before, when less was live.
        head: set[str] = before(set()) | self.head.get(node, frozenset())
        while True:
            self._targets.append((live, head | over))
            new = before(self._block(node.body, head | over))
            self._targets.pop()
            if new <= head:
                break
            head |= new
        self.after[node] = frozenset(live | over).union(*self._behind_left(node))
        self.head[node] = frozenset(head)
        return head | over

    def _behind_left(self, loop: ast.AST) -> list[set[str]]:
        """What is read after the generators that something in a loop leaves."""
        if not self._left:
            return []
        jumps = (part for part in walk(loop) if isinstance(part, ast.Return))
        levels = {getattr(part, "level", None) for part in jumps}
        return [names for level, names in self._left.items() if level in levels]

    def _until_raised(self, body: list[ast.stmt], after: Iterable[str]) -> set[str]:
        """What is read before statements bind it, where any of them may be the last one.

        What comes after such a body is read behind each of its statements: behind one that raises
        by a handler, behind one that jumps by a `finally`.
        """
        around = self._always
        self._always = around.union(after)
        try:
            return self._block(body, set())
        finally:
            self._always = around

    def _with(self, node: ast.With, live: set[str]) -> set[str]:
        live = self._until_raised(node.body, live)
        for item in reversed(node.items):
            if item.optional_vars is not None:
                live = live - stored(item.optional_vars)
            live = live | reads(item)
        return live

    def _try(self, node: ast.Try, live: set[str]) -> set[str]:
        final = self._block(node.finalbody, set(live)) | live
        over = self._until_raised(node.orelse, final)
        handlers = set(final)
        for handler in node.handlers:
            handlers |= self._until_raised(handler.body, final) | reads(handler.type)
        self.caught[node], self.final[node] = frozenset(handlers), frozenset(final)
        return self._until_raised(node.body, over | handlers)

    def _match(self, node: ast.Match, live: set[str]) -> set[str]:
        sides = set(live)
        for case in node.cases:
            sides |= self._block(case.body, set(live)) | reads(case.guard) | reads(case.pattern)
        return sides | reads(node.subject)


def _killed(node: ast.stmt) -> set[str]:
    """The names that a simple statement binds, whatever happens."""
    if isinstance(node, ast.Assign):
        return {name for target in node.targets for name in _plain_targets(target)}
    if isinstance(node, ast.AnnAssign):
        return _plain_targets(node.target) if node.value is not None else set()
    if isinstance(node, (ast.FunctionDef, ast.Import, ast.ImportFrom)):
        return assigned([node])
    if isinstance(node, ast.Delete):
        return {target.id for target in node.targets if isinstance(target, ast.Name)}
    return set()


def _plain_targets(target: ast.AST) -> set[str]:
    if isinstance(target, ast.Name):
        return {target.id}
    if isinstance(target, (ast.Tuple, ast.List)):
        return set().union(*map(_plain_targets, target.elts))
    return _plain_targets(target.value) if isinstance(target, ast.Starred) else set()


def _used(node: ast.stmt) -> set[str]:
    names = reads(node)
    if isinstance(node, ast.AugAssign):
        names |= {part.id for part in walk(node.target) if isinstance(part, ast.Name)}
    return names
