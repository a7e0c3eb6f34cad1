"""List comprehensions as loops that fill lists.

The turns of a comprehension are captured one by one. Where that fails, as it does where data say
how many there are or which of them count, the capture begins anew with a loop in its place::

    return np.array([f(c) for c in x if c > 0])      found = []
                                                     for c_1 in x:
                                                         if c_1 > 0:
                                                             found.append(f(c_1))
                                                     return np.array(found)

So the list may be one that the program fills (`growing.py`). That is done where the comprehension
is what the statement evaluates first, so that nothing is evaluated in another order.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from typing import Any

from ..traced.restarts import Restart
from ..traced.tracer import current
from .scopes import stored
from .trees import walk

_SCOPES = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.Lambda)
_OTHER = (*_SCOPES, ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom)
_BLOCKS = ("body", "orelse", "finalbody")


def ask_for_loop(site: tuple) -> None:
    """Begin anew with a loop in the place of a comprehension, unless that has been tried.

    Raises
    ------
    Restart
    """
    known = current().choices.growing
    if ("plain", site) not in known and ("loop", site) not in known:
        raise Restart(growing={("loop", site)})


def chosen_loops(sites: frozenset[tuple]) -> frozenset[tuple]:
    """The comprehensions that are loops in this capture."""
    known = current().choices.growing
    return frozenset(
        site for site in sites if ("loop", site) in known and ("plain", site) not in known
    )


def loopable(body: list[ast.stmt], file: str) -> frozenset[tuple]:
    """The sites of the comprehensions that can be loops."""
    return frozenset(site_of(found, file) for found in _found(body))


def site_of(node: ast.ListComp, file: str) -> tuple:
    """What names a comprehension in all attempts."""
    return file, node.lineno, node.col_offset


def with_loops(node: ast.FunctionDef, file: str, sites: frozenset[tuple]) -> ast.FunctionDef:
    """A function with loops in the place of some of its comprehensions."""
    made = copy.deepcopy(node)
    made.body = _with_loops(made.body, file, sites)
    return ast.fix_missing_locations(made)


def _blocks(statement: ast.stmt) -> Iterator[tuple[Any, str]]:
    """The owners and names of the blocks inside of a statement, those of functions left out."""
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return
    owners = [statement, *getattr(statement, "handlers", ()), *getattr(statement, "cases", ())]
    for owner in owners:
        for name in _BLOCKS:
            if getattr(owner, name, None):
                yield owner, name


def _found(body: list[ast.stmt]) -> Iterator[ast.ListComp]:
    for statement in _spread(body):
        found = _leading(getattr(statement, "value", None))
        if found is not None and _is_plain(found) and _takes_place(statement, found):
            yield found
        for owner, name in _blocks(statement):
            yield from _found(getattr(owner, name))


def _spread(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Statements of which each item of a tuple has its own, where several have comprehensions."""
    for statement in body:
        value = getattr(statement, "value", None)
        items = value.elts if isinstance(value, ast.Tuple) else []
        if (
            not isinstance(statement, (ast.Assign, ast.Return))
            or sum(_leading(item) is not None for item in items) < 2
        ):
            yield statement
            continue
        names = [f"item{k}_{item.lineno}_{item.col_offset}" for k, item in enumerate(items)]
        for name, item in zip(names, items, strict=True):
            yield _placed(ast.Assign([ast.Name(name, ast.Store())], item), item)
        made = copy.copy(statement)
        made.value = ast.Tuple([ast.Name(name, ast.Load()) for name in names], ast.Load())
        yield _placed(made, value)


def _leading(node: Any) -> ast.ListComp | None:
    """The comprehension that an expression evaluates before all but names and their attributes."""
    while not isinstance(node, ast.ListComp):
        if isinstance(node, ast.Call) and _is_name(node.func):
            node = next((arg for arg in node.args if not _is_name(arg)), None)
        elif isinstance(node, (ast.Tuple, ast.List)):
            node = next((item for item in node.elts if not _is_name(item)), None)
        elif isinstance(node, ast.BinOp):
            node = node.right if _is_name(node.left) else node.left
        elif isinstance(node, ast.Compare):
            node = node.left
        elif isinstance(node, ast.Attribute | ast.Subscript):
            node = node.value
        elif isinstance(node, ast.Call):
            node = node.func
        elif isinstance(node, ast.UnaryOp):
            node = node.operand
        else:
            return None
    return node


def _is_name(node: ast.expr) -> bool:
    """Whether an expression is a name, an attribute of one, or a constant."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, (ast.Name, ast.Constant))


def _is_plain(node: ast.ListComp) -> bool:
    """Whether its parts can stand in the function's own scope."""
    inner = [*walk(node)][1:]
    if any(isinstance(part, _OTHER) for part in inner):
        return False
    targets = [part for generator in node.generators for part in walk(generator.target)]
    return not any(generator.is_async for generator in node.generators) and all(
        isinstance(part, (ast.Name, ast.Tuple, ast.List, ast.Store)) for part in targets
    )


def _takes_place(statement: ast.stmt, node: ast.ListComp) -> bool:
    """Whether the list may have the name that the statement binds it to, or one of its own."""
    if isinstance(statement, ast.AugAssign):
        return isinstance(statement.target, ast.Name)
    if not isinstance(statement, (ast.Assign, ast.AnnAssign, ast.Return, ast.Expr)):
        return False
    name = _bound_name(statement)
    return name is None or name not in {
        part.id for part in walk(node) if isinstance(part, ast.Name)
    }


def _bound_name(statement: ast.stmt) -> str | None:
    """The one name that a statement binds to a comprehension as it is."""
    if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.ListComp):
        target = statement.targets[0]
        if len(statement.targets) == 1 and isinstance(target, ast.Name):
            return target.id
    return None


def _with_loops(body: list[ast.stmt], file: str, sites: frozenset[tuple]) -> list[ast.stmt]:
    made: list[ast.stmt] = []
    for statement in _spread(body):
        found = None if any(_blocks(statement)) else next(_found([statement]), None)
        if found is not None and site_of(found, file) in sites:
            made += _filled(statement, found)
        else:
            made.append(statement)
        for owner, name in _blocks(statement):
            setattr(owner, name, _with_loops(getattr(owner, name), file, sites))
    return made


def _filled(statement: Any, node: ast.ListComp) -> list[ast.stmt]:
    """The loop that fills the list of a comprehension, and the statement with that list."""
    mark = f"_{node.lineno}_{node.col_offset}"
    name = _bound_name(statement)
    is_bound = name is not None
    name = name or f"list{mark}"
    begin = ast.Assign([ast.Name(name, ast.Store())], ast.List([], ast.Load()))
    filled = [begin, _loop(node, name, mark)]
    if not is_bound:
        statement.value = _Replaced(node, name).visit(statement.value)
        filled.append(statement)
    return [_placed(part, node) for part in filled]


def _loop(node: ast.ListComp, name: str, mark: str) -> ast.stmt:
    append = ast.Attribute(ast.Name(name, ast.Load()), "append", ast.Load())
    made: ast.stmt = ast.Expr(ast.Call(append, [node.elt], []))
    for generator in reversed(node.generators):
        for test in reversed(generator.ifs):
            made = ast.If(test, [made], [])
        made = ast.For(generator.target, generator.iter, [made], [])
    first = made.iter  # type: ignore[attr-defined]
    own = {found for generator in node.generators for found in stored(generator.target)}
    for part in walk(made):
        if isinstance(part, ast.Name) and part.id in own and part.id != name:
            part.id += mark
    for part in walk(first):  # which is evaluated outside of the comprehension
        if isinstance(part, ast.Name) and part.id.removesuffix(mark) in own:
            part.id = part.id.removesuffix(mark)
    return made


def _placed(made: Any, like: ast.AST) -> Any:
    """A statement whose new parts stand where the comprehension does."""
    if not hasattr(made, "lineno"):
        ast.copy_location(made, like)
    for part in walk(made):
        if not hasattr(part, "lineno"):
            ast.copy_location(part, like)
    return made


class _Replaced(ast.NodeTransformer):
    def __init__(self, node: ast.ListComp, name: str) -> None:
        self._node, self._name = node, name

    def visit_ListComp(self, node: ast.ListComp) -> Any:
        if node is not self._node:
            return node
        return ast.copy_location(ast.Name(self._name, ast.Load()), node)
