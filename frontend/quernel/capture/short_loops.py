"""Short loops that are captured iteration by iteration, with Python's own numbers as counters.

A rolled loop holds one iteration for all counters. What a counter chooses (a side of a branch, one
of two values, the bounds of a slice) has to be there for each of them, and what a rolled loop can't
hold so is captured several times over. Where the text says that there are few iterations, and all
of them together are few operations, they are captured one by one from the start.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Set
from typing import Any

from .environment import Environment
from .scopes import reads, stored
from .trees import children, walk

_MOST_ITERATIONS = 8
BUDGET = 800  # operations of all iterations, as the text has them
_OF_A_CALL = 4  # operations, of whatever is called
_OPERATIONS = (ast.BinOp, ast.UnaryOp, ast.Compare, ast.BoolOp, ast.Subscript, ast.AugAssign)
_NUMBERS = (
    ast.Name, ast.Constant, ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.IfExp,
    ast.operator, ast.unaryop, ast.boolop, ast.cmpop,
)  # fmt: skip


def is_cheap(node: ast.For, count: Any, copies: int | None = None) -> bool:
    """Whether all iterations of a loop are few, and few operations.

    Parameters
    ----------
    copies : int, optional
        How many copies of the body there are, if not as many as iterations.
    """
    if type(count) is not int or count > _MOST_ITERATIONS:
        return False
    return (copies or count) * price_of(node) <= BUDGET


def price_of(node: ast.For) -> int:
    """The operations of one iteration of a loop, as the text has them."""
    if not hasattr(node, "price"):
        node.price = _price(node.body)
    return node.price


def chooses(node: ast.For, environment: Environment) -> bool:
    """Whether the text says how many iterations a loop has, and the counter chooses in them.

    What may leave the loop says how many it has, too.
    """
    parts = [part for statement in node.body for part in walk(statement)]
    if any(isinstance(part, (ast.Break, ast.Return)) for part in parts):
        return False
    own = environment.scope.own
    if not _is_spelled(node.iter, own):
        return False
    inner = [part for part in parts if isinstance(part, ast.For) and _is_spelled(part.iter, own)]
    counters = set().union(*(stored(loop.target) for loop in (node, *inner)))
    known = {name for name, value in environment.values.items() if type(value) in (int, bool)}
    open_names = own - known
    counters = _computed_from(counters, parts, open_names)
    tests, bounds = _tests(parts), _bounds(parts)
    return any(_is_decided(test, counters, open_names) for test in tests) or any(
        reads(bound) & counters for bound in bounds
    )


def _price(nodes: Iterable[ast.AST]) -> int:
    """The operations of statements, those of loops within them for each of their iterations."""
    total = 0
    for node in nodes:
        inner = _price(children(node))
        total += inner * _iterations(node)
        total += _OF_A_CALL * isinstance(node, ast.Call) + isinstance(node, _OPERATIONS)
    return total


def _iterations(node: ast.AST) -> int:
    """How many iterations a loop would have if it were captured one by one; 1 for all else."""
    if not isinstance(node, ast.For):
        return 1
    if isinstance(node.iter, (ast.Tuple, ast.List)):
        return len(node.iter.elts)
    bounds = [_constant(bound) for bound in getattr(node.iter, "args", ())]
    if not 1 <= len(bounds) <= 3 or None in bounds or bounds[2:] == [0]:
        return 1  # it isn't a range of constants
    count = len(range(*bounds))
    return count if count <= _MOST_ITERATIONS else 1


def _constant(node: ast.AST) -> int | None:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        value = _constant(node.operand)
        return None if value is None else -value
    return node.value if isinstance(node, ast.Constant) and type(node.value) is int else None


def _is_spelled(node: ast.AST, own: Set[str]) -> bool:
    """Whether the text says what something is: no size of an array, and no variable, is in it."""
    if isinstance(node, ast.Call):
        parts = [*node.args, *(keyword.value for keyword in node.keywords)]
        return all(_is_spelled(part, own) for part in parts)
    if isinstance(node, ast.Attribute):
        return node.attr == "ndim"
    parts = walk(node)
    names = {part.id for part in parts if isinstance(part, ast.Name)}
    return not names & own and all(isinstance(part, _NUMBERS) for part in parts)


def _tests(parts: list[ast.AST]) -> Iterator[ast.AST]:
    for part in parts:
        if isinstance(part, (ast.If, ast.IfExp, ast.While, ast.Assert)):
            yield part.test
        elif isinstance(part, ast.BoolOp):
            yield from part.values


def _bounds(parts: list[ast.AST]) -> list[ast.AST]:
    return [part for part in parts if isinstance(part, ast.Slice) or _makes_slice(part)]


def _makes_slice(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and getattr(node.func, "id", "") == "slice"


def _computed_from(counters: Set[str], parts: list[ast.AST], open_names: Set[str]) -> set[str]:
    """The names that counters alone decide."""
    found = set(counters)
    assignments = [part for part in parts if isinstance(part, ast.Assign)]
    while True:
        new = {
            name
            for part in assignments
            if _is_decided(part.value, found, open_names)
            for target in part.targets
            for name in stored(target)
        }
        if new <= found:
            return found
        found |= new


def _is_decided(node: ast.AST, counters: Set[str], open_names: Set[str]) -> bool:
    """Whether counters, and what is known, decide what an expression is."""
    parts = walk(node)
    names = {part.id for part in parts if isinstance(part, ast.Name)}
    is_number = all(isinstance(part, _NUMBERS) for part in parts)
    return is_number and bool(names & counters) and not (names - counters) & open_names
