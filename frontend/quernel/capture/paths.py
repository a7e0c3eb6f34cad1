"""Paths of blocks of statements, branches and loops, as they are in each turn and on each side."""

from __future__ import annotations

_WITHIN = ("split", "fork", "unless")  # steps into a part of a block
_SORTS = ("sort", "of sort")
TURNS = ("turn", "turns")


def general(path: tuple) -> tuple:
    """A path as it is in each turn of an unrolled loop, and on each side of the forks around it."""
    if not path:
        return path
    return (*general_block(path[:-1]), path[-1])


def general_block(path: tuple) -> tuple:
    """The path of a block of statements, likewise."""
    return tuple(step for step in path if step[0] not in (*_WITHIN, *TURNS))


def whole_loop(path: tuple) -> tuple:
    """The path of a loop or branch, the same for all copies of what it is in."""
    return tuple(step for step in path if step[0] not in (*_WITHIN, *TURNS, *_SORTS))


def whole_block(path: tuple) -> tuple:
    """The path of the block that a block of statements is a part of."""
    return tuple(step for step in path if step[0] not in _WITHIN)


def within_call(path: tuple) -> tuple:
    """The same in all calls of the function that the loop is in."""
    path = whole_loop(path)
    calls = [k for k, step in enumerate(path) if step[0] == "call"]
    return path[calls[-1] + 1 :] if calls else path


def copies_of(loops: set[tuple]) -> set[tuple]:
    """What names loops with all their copies, and with those in other calls.

    What one copy has found out is right for the others, so that a loop in a helper, or within a
    loop that is unrolled, isn't begun anew for each copy of it.
    """
    return {name for loop in loops for name in (whole_loop(loop), within_call(loop))}
