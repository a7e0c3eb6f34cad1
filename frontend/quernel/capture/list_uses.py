"""Lists that a function only fills and reads: their uses become calls of what `growing.py` has."""

from __future__ import annotations

import ast
import copy
import itertools
from collections.abc import Iterator
from typing import Any

from .scopes import Scope, own_nodes, stored
from .trees import children, walk

_DISPLAYS = (ast.Tuple, ast.List, ast.Dict)
_POPPING = (ast.Assign, ast.AugAssign, ast.Expr, ast.Return)
_TYPED = {
    "item",
    "pop",
    "update",
    "folded",
    "listed",
    "listed part",
}  # of items as what they are
_FOLDS = {"sum", "min", "max", "any", "all", "sorted"}
_ONCE = (ast.Call, ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom)  # not to be evaluated twice


def growable_lists(body: list[ast.stmt], scope: Scope) -> dict[str, bool]:
    """The names of lists of which all uses can be rewritten, and whether their items are seen.

    Such a name is bound to displays alone, or to such a one times a number, and nothing but it
    leads to the list: it is filled by `append` and `extend`, emptied by `pop`, reversed, asked for
    items and its length, has items put into it, is given to functions of modules, or returned.
    """
    parts = [*own_nodes(body)]
    if not any(isinstance(part, ast.Assign) and any(displays(part)) for part in parts):
        return {}
    uses = _Uses(parts, scope)
    names = {name for name, kind in uses.found.values() if kind == "display"}
    others = {part.id for part in parts if _is_name(part) and id(part) not in uses.found}
    inner = scope.captured | {name for part in uses.inner for name in part}
    typed = {name for name, kind in uses.found.values() if kind in _TYPED}
    return {name: name in typed for name in sorted((names & scope.own) - others - inner)}


def lists_apart(body: list[ast.stmt], scope: Scope) -> list[ast.stmt]:
    """Statements in which a list that is filled doesn't share its name with what is made of it.

    So all uses of the list's name can be rewritten::

        found = []                          found_1 = []
        for i in range(n):                  for i in range(n):
            found.append(f(i))       →          found_1.append(f(i))
        found = np.array(found)             found = np.array(found_1)

    Between the two assignments, of one block, nothing leaves the block but by a ``return``. The new
    names become the scope's own.
    """
    if not any(_partings(block, scope) for block, _ in _blocks(body, False)):
        return body
    body = copy.deepcopy(body)
    taken = {part.id for statement in body for part in walk(statement) if _is_name(part)}
    taken |= scope.own
    for block, is_inner in _blocks(body, False):
        for begin, end, name in _partings(block, scope):
            region = block[begin:end]
            if is_inner and any(map(_leaves, region)):
                continue
            names = (f"{name}_{k}" for k in itertools.count(1))
            fresh = next(known for known in names if known not in taken)
            taken.add(fresh)
            scope.own |= {fresh}
            for part in (*region, block[end].value):
                for node in walk(part):
                    if isinstance(node, ast.Name) and node.id == name:
                        node.id = fresh
    return body


def pops_apart(body: list[ast.stmt], scope: Scope) -> list[ast.stmt]:
    """Statements in which what is popped gets a name of its own first.

    Nothing but names, constants and methods of names is evaluated before it, and of the names none
    is a new one::

        y, x = divmod(stack.pop(), n)      →      popped = stack.pop()
                                                  y, x = divmod(popped, n)
    """
    if not any(_pop_within(node) for statement in body for node in walk(statement)):
        return body
    names = {part.id for statement in body for part in walk(statement) if _is_name(part)}
    fresh = (f"popped_{k}" for k in itertools.count(1))
    apart = _PopsApart(known for known in fresh if known not in names | scope.own)
    found = [made for statement in copy.deepcopy(body) for made in _listed(apart.visit(statement))]
    scope.own |= apart.made
    return found


def _listed(made: Any) -> list[ast.stmt]:
    return made if isinstance(made, list) else [made]


def _pop_within(node: ast.AST) -> Any:
    """The call ``name.pop()`` that a statement evaluates first, within an expression."""
    if not isinstance(node, _POPPING) or pop_of(node) is not None:
        return None
    part = _first_work([*_in_order(node)])
    while part is not None:
        if _is_method(part, "pop") and not part.args and not part.keywords:  # type: ignore
            return part
        part = _first_work([*_in_order(part)])
    return None


def _first_work(parts: list[ast.AST]) -> ast.AST | None:
    return next((part for part in parts if not isinstance(part, (ast.Name, ast.Constant))), None)


def _in_order(node: ast.AST) -> Iterator[ast.AST]:
    """The parts that are always evaluated, in their order; none for nodes of other kinds."""
    if isinstance(node, ast.Assign):
        yield node.value
        for target in node.targets:
            yield from _in_order(target)
    elif isinstance(node, ast.AugAssign):
        yield from (*_in_order(node.target), node.value)
    elif isinstance(node, (ast.Expr, ast.Return)) and node.value is not None:
        yield node.value
    elif isinstance(node, ast.Call):
        is_method = isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name)
        if is_method or isinstance(node.func, ast.Name):
            yield from node.args
    elif isinstance(node, ast.BinOp):
        yield from (node.left, node.right)
    elif isinstance(node, (ast.Tuple, ast.List)):
        yield from node.elts
    elif isinstance(node, ast.Subscript):
        yield from (node.value, node.slice)
    elif isinstance(node, ast.UnaryOp):
        yield node.operand


class _PopsApart(ast.NodeTransformer):
    def __init__(self, fresh: Iterator[str]) -> None:
        self._fresh = fresh
        self.made: set[str] = set()

    def visit(self, node: ast.AST) -> Any:
        call = _pop_within(node)
        if call is None:
            return self.generic_visit(node)
        name = next(self._fresh)
        self.made.add(name)
        first = ast.Assign([ast.Name(name, ast.Store())], copy.copy(call))
        call_as_name = ast.copy_location(ast.Name(name, ast.Load()), call)
        placed = ast.fix_missing_locations(ast.copy_location(first, node))
        return [placed, _Replaced(call, call_as_name).visit(node)]


class _Replaced(ast.NodeTransformer):
    def __init__(self, old: ast.AST, new: ast.AST) -> None:
        self._old, self._new = old, new

    def visit(self, node: ast.AST) -> Any:
        return self._new if node is self._old else self.generic_visit(node)


def _blocks(body: list[ast.stmt], is_inner: bool) -> Iterator[tuple[list[ast.stmt], bool]]:
    """The blocks of a function but those of ``try``, whose handlers may see any state."""
    yield body, is_inner
    for statement in body:
        if isinstance(statement, (ast.For, ast.While, ast.If, ast.With)):
            for block in (statement.body, getattr(statement, "orelse", [])):
                yield from _blocks(block, True)


def _partings(block: list[ast.stmt], scope: Scope) -> list[tuple[int, int, str]]:
    """Where a name is bound to a display, where to what is made of that list, and the name."""
    found, begun = [], {}
    for place, statement in enumerate(block):
        if not isinstance(statement, ast.Assign):
            continue
        target = statement.targets[0]
        name = target.id if len(statement.targets) == 1 and isinstance(target, ast.Name) else None
        if name in begun and _may_part(block[begun[name] : place], statement, name, scope):
            found.append((begun.pop(name), place, name))
        begun.pop(name, None)
        begun.update({bound.id: place for bound, _ in displays(statement)})
    return found


def _may_part(region: list[ast.stmt], last: ast.Assign, name: str, scope: Scope) -> bool:
    if name not in scope.own or name in scope.captured:
        return False
    nodes = [node for part in (*region, last.value) for node in walk(part)]
    calls = [append_of(node) for node in nodes]
    is_filled = any(call is not None and call.func.value.id == name for call in calls)
    loops = [node for node in nodes if isinstance(node, ast.comprehension)]
    is_bound = any(name in stored(loop.target) for loop in loops)
    is_used = any(isinstance(node, ast.Name) and node.id == name for node in walk(last.value))
    return is_filled and is_used and not is_bound


def _leaves(statement: ast.AST) -> bool:
    """Whether a statement may end the loop around it, or its turn."""
    if isinstance(statement, (ast.Break, ast.Continue)):
        return True
    if isinstance(statement, (ast.For, ast.While)):
        return any(map(_leaves, statement.orelse))
    return any(map(_leaves, children(statement)))


def rewritten(
    body: list[ast.stmt], scope: Scope, names: frozenset[str], calls: dict[str, Any]
) -> list[ast.stmt]:
    """Statements with the uses of some lists as calls of functions.

    Parameters
    ----------
    calls : dict
        The functions, by kind of use; the first argument is the list's site.
    """
    body = copy.deepcopy(body)
    rewriter = _Rewriter(_Uses([*own_nodes(body)], scope), names, calls, scope)
    return [rewriter.visit(statement) for statement in body]


def _is_name(node: ast.AST) -> bool:
    return isinstance(node, ast.Name)


class _Uses:
    """The uses of names that can be rewritten.

    Attributes
    ----------
    found : dict
        By identity of the node of a name: the name, and the kind of its use.
    inner : list of set of str
        The names that comprehensions, lambdas and the like have within.
    """

    def __init__(self, parts: list[ast.AST], scope: Scope) -> None:
        self._own = scope.own
        self.found: dict[int, tuple[str, str]] = {}
        self._kept: list[ast.Name] = []  # so that no new node gets the identity of one of them
        self.inner: list[set[str]] = []
        for node in parts:
            self._look_at(node)

    def _note(self, node: ast.AST | None, kind: str) -> None:
        if isinstance(node, ast.Name):
            self.found[id(node)] = node.id, kind
            self._kept.append(node)

    def _look_at(self, node: ast.AST) -> None:
        if isinstance(node, ast.Assign):
            for target, _ in displays(node):
                self._note(target, "display")
            self._note(_item_set(node), "set")
        elif isinstance(node, ast.AugAssign):
            self._note(_item_set(node), "update")
            self._note(_extended(node), "extend")
        if (call := pop_of(node)) is not None:
            self._note(call.func.value, "pop")
        elif (call := append_of(node)) is not None:
            self._note(call.func.value, "append")
        elif (call := _call_of(node, "reverse", 0)) is not None:
            self._note(call.func.value, "reverse")
        elif _extended(node) is not None:
            self._note(_extended(node), "extend")
        elif isinstance(node, ast.Compare) and _is_membership(node):
            self._note(node.comparators[0], "contains")
        elif isinstance(node, (ast.If, ast.While, ast.IfExp)):
            for name in _tests(node.test):
                self._note(name, "length")
        elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
            if not isinstance(node.slice, ast.Slice):
                self._note(node.value, "item")
        elif isinstance(node, ast.Return) and node.value is not None:
            for part in _returned(node.value):
                self._note(part, "listed")
                self._note(_sliced(part), "listed part")
        elif isinstance(node, ast.Call):
            self._look_at_call(node)
        elif isinstance(node, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
            self.inner.append({part.id for part in own_nodes([node]) if _is_name(part)})

    def _look_at_call(self, node: ast.Call) -> None:
        if isinstance(node.func, ast.Name) and node.func.id == "len" and len(node.args) == 1:
            self._note(node.args[0], "length")
        elif self._is_fold(node.func):
            for arg in node.args:
                self._note(arg, "folded")
        elif self._is_of_module(node.func):
            for arg in node.args:
                self._note(arg, "given")
                self._note(_sliced(arg), "given part")

    def _is_fold(self, function: ast.expr) -> bool:
        """Whether a function is one of Python's that only goes through the items."""
        return _is_name(function) and function.id in _FOLDS and function.id not in self._own

    def _is_of_module(self, function: ast.expr) -> bool:
        """Whether a function is an attribute of a name from outside: ``np.linalg.norm``."""
        if not isinstance(function, ast.Attribute):
            return False
        owner = function.value
        if isinstance(owner, ast.Name):
            return owner.id not in self._own
        return self._is_of_module(owner)


def displays(node: ast.Assign) -> Iterator[tuple[ast.Name, ast.List | ast.BinOp]]:
    """The names that an assignment binds to displays of lists, or to one times a number."""
    if len(node.targets) != 1:
        return
    targets, values = [node.targets[0]], [node.value]
    if isinstance(targets[0], ast.Tuple) and isinstance(node.value, ast.Tuple):
        targets, values = targets[0].elts, node.value.elts
    for target, value in zip(targets, values, strict=False):
        is_repeated = isinstance(value, ast.BinOp) and isinstance(value.op, ast.Mult)
        if isinstance(target, ast.Name) and (
            _is_display(value) or (is_repeated and _is_display(value.left) and value.left.elts)
        ):
            yield target, value


def _is_display(node: ast.AST) -> bool:
    return isinstance(node, ast.List) and not any(isinstance(x, ast.Starred) for x in node.elts)


def _is_membership(node: ast.Compare) -> bool:
    return len(node.ops) == 1 and isinstance(node.ops[0], (ast.In, ast.NotIn))


def append_of(node: ast.AST) -> Any:
    """The call of a statement ``name.append(item)``; None for any other node."""
    return _call_of(node, "append", 1)


def _call_of(node: ast.AST, name: str, count: int) -> Any:
    """The call of a statement that is a method of a name with so many arguments; None else."""
    call = node.value if isinstance(node, ast.Expr) else None
    is_it = _is_method(call, name) and len(call.args) == count and not call.keywords
    starred = is_it and any(isinstance(arg, ast.Starred) for arg in call.args)
    return call if is_it and not starred else None


def _item_set(node: ast.AST) -> ast.AST | None:
    """The list of which a statement sets one item: ``name[key] = x``, ``name[key] += x``."""
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]  # type: ignore
    target = targets[0]
    if len(targets) != 1 or not isinstance(target, ast.Subscript):
        return None
    return None if isinstance(target.slice, ast.Slice) else target.value


def _extended(node: ast.AST) -> ast.Name | None:
    """The list that a statement extends by a display: ``name.extend([x])``, ``name += [x]``."""
    if isinstance(node, ast.AugAssign):
        is_sum = isinstance(node.op, ast.Add) and isinstance(node.target, ast.Name)
        return node.target if is_sum and _is_display(node.value) else None  # type: ignore
    call = _call_of(node, "extend", 1)
    return call.func.value if call is not None and _is_display(call.args[0]) else None


def pop_of(node: ast.AST) -> Any:
    """The call of ``name.pop()`` or ``target = name.pop()``; None for any other node."""
    is_alone = isinstance(node, ast.Expr) or (
        isinstance(node, ast.Assign) and len(node.targets) == 1
    )
    call = node.value if is_alone else None  # type: ignore[attr-defined]
    return call if _is_method(call, "pop") and not call.args and not call.keywords else None


def _is_method(call: Any, name: str) -> bool:
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return False
    return call.func.attr == name and isinstance(call.func.value, ast.Name)


def _sliced(node: ast.AST) -> ast.AST | None:
    """What a slice is taken of."""
    is_slice = isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice)
    return node.value if is_slice else None  # type: ignore[attr-defined]


def _tests(test: ast.expr) -> Iterator[ast.expr]:
    """The parts of a condition of which only the truth counts."""
    if isinstance(test, ast.BoolOp):
        for part in test.values:
            yield from _tests(part)
    elif isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        yield from _tests(test.operand)
    else:
        yield test


def _returned(value: ast.expr) -> Iterator[ast.expr]:
    """The parts of what is returned that the result holds as they are."""
    if isinstance(value, _DISPLAYS):
        keys = value.keys if isinstance(value, ast.Dict) else []
        for part in children(value):
            if not any(part is key for key in keys):
                yield from _returned(part)  # type: ignore[arg-type]
    else:
        yield value


class _Rewriter(ast.NodeTransformer):
    """Replaces the uses of some names, which it has found in the same tree."""

    def __init__(
        self,
        uses: _Uses,
        names: frozenset[str],
        calls: dict[str, Any],
        scope: Scope,
    ) -> None:
        self._uses, self._names, self._calls, self._scope = uses, names, calls, scope
        self._sites = scope.growable

    def visit_Assign(self, node: ast.Assign) -> Any:
        call = pop_of(node)
        if call is not None and self._concerns(call.func.value):
            name, target = call.func.value, self.visit(node.targets[0])
            both = ast.Tuple([target, ast.Name(name.id, ast.Store())], ast.Store())
            return self._placed(ast.Assign([both], self._call("pop", name, [name])), node)
        name = _item_set(node)
        if name is not None and self._concerns(name):
            key, value = node.targets[0].slice, node.value  # type: ignore[attr-defined]
            return self._bound(node, "set", name, self.visit(value), self.visit(key))
        made = {
            id(value): self._display(target, value)
            for target, value in displays(node)
            if target.id in self._names
        }
        if id(node.value) in made:
            node.value = made[id(node.value)]
        elif isinstance(node.value, ast.Tuple):
            node.value.elts = [made.get(id(item), item) for item in node.value.elts]
        return self.generic_visit(node)

    def _display(self, target: ast.Name, value: ast.AST) -> Any:
        if isinstance(value, ast.List):
            return self._call("display", target, value.elts)
        shown = value.left  # type: ignore[attr-defined]
        return self._call("repeated", target, [value.right, *shown.elts])  # type: ignore

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        name = _item_set(node)
        if name is not None and self._concerns(name):
            key = self.visit(node.target.slice)  # type: ignore[union-attr]
            first, again = self._twice(key)
            item = self._call("item", name, [name, first])
            new = self._placed(ast.BinOp(item, node.op, self.visit(node.value)), node)
            return self._bound(node, "set", name, new, again)
        if (name := _extended(node)) is not None and self._concerns(name):
            return self._extension(node, name, node.value)
        return self.generic_visit(node)

    def _twice(self, key: ast.expr) -> tuple[ast.expr, ast.expr]:
        """An expression for two uses, the first of which binds a name where it has calls in it."""
        if not any(isinstance(part, _ONCE) for part in walk(key)):
            return key, copy.deepcopy(key)
        names = (f"key_{k}" for k in itertools.count(1))
        name = next(known for known in names if known not in self._scope.own)
        self._scope.own |= {name}
        bound = ast.NamedExpr(ast.Name(name, ast.Store()), key)
        return self._placed(bound, key), self._placed(ast.Name(name, ast.Load()), key)

    def _extension(self, node: ast.AST, name: Any, items: Any) -> Any:
        place = ast.Constant((node.lineno, node.col_offset))  # type: ignore[attr-defined]
        return self._bound(node, "extend", name, place, *map(self.visit, items.elts))

    def visit_Expr(self, node: ast.Expr) -> Any:
        call = pop_of(node)
        if call is not None and self._concerns(call.func.value):
            return self._bound(node, "drop", call.func.value)
        if (name := _extended(node)) is not None and self._concerns(name):
            return self._extension(node, name, node.value.args[0])  # type: ignore
        call = _call_of(node, "reverse", 0)
        if call is not None and self._concerns(call.func.value):
            return self._bound(node, "reverse", call.func.value)
        call = append_of(node)
        if call is None or not self._concerns(call.func.value):
            return self.generic_visit(node)
        place = ast.Constant((call.lineno, call.col_offset))
        return self._bound(node, "append", call.func.value, place, self.visit(call.args[0]))

    def _bound(self, node: ast.AST, kind: str, name: ast.Name, *args: Any) -> Any:
        """The assignment that stands for a statement which changes a list."""
        value = self._call(kind, name, [name, *args])
        return self._placed(ast.Assign([ast.Name(name.id, ast.Store())], value), node)

    def visit_Subscript(self, node: ast.Subscript) -> Any:
        name, key = node.value, self.visit(node.slice)
        if not self._concerns(name):
            node.value, node.slice = self.visit(name), key
            return node
        kind = self._kind(name)
        made = self._call("item" if kind == "item" else "part", name, [name, key])
        return self._call("listed", name, [made]) if kind == "listed part" else made

    def visit_Compare(self, node: ast.Compare) -> Any:
        if not _is_membership(node) or not self._concerns(node.comparators[0]):
            return self.generic_visit(node)
        name = node.comparators[0]
        made = self._call("contains", name, [name, self.visit(node.left)])
        if isinstance(node.ops[0], ast.NotIn):
            made = self._placed(ast.UnaryOp(ast.Not(), made), node)
        return made

    def visit_Call(self, node: ast.Call) -> Any:
        is_length = isinstance(node.func, ast.Name) and node.func.id == "len"
        if is_length and node.args and self._concerns(node.args[0]):
            return self._call("length", node.args[0], [node.args[0]])
        for place, arg in enumerate(node.args):
            part = _sliced(arg)
            if self._concerns(arg):
                node.args[place] = self._call("given", arg, [arg, node.func])
            elif part is not None and self._concerns(part):
                node.args[place] = self._call("given", part, [self.visit(arg), node.func])
        return self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> Any:
        kind = self._kind(node)
        if self._concerns(node) and kind in ("length", "listed"):
            return self._call(kind, node, [node])
        return node

    def _kind(self, node: ast.AST) -> str:
        """The kind of a name's use."""
        return self._uses.found.get(id(node), ("", ""))[1]

    def _concerns(self, node: ast.AST) -> bool:
        is_found = id(node) in self._uses.found
        return is_found and isinstance(node, ast.Name) and node.id in self._names

    def _call(self, kind: str, name: Any, args: list[Any]) -> Any:
        """A call of the function for a kind of use; the name in it is read as it is."""
        args = [
            ast.Name(arg.id, ast.Load()) if arg is name and isinstance(arg, ast.Name) else arg
            for arg in args
        ]
        site = ast.Constant(self._sites[name.id])
        return self._placed(ast.Call(ast.Constant(self._calls[kind]), [site, *args], []), name)

    def _placed(self, made: Any, like: ast.AST) -> Any:
        return ast.fix_missing_locations(ast.copy_location(made, like))
