"""What a piece of a program may change (variables, memory, containers), kept and put back."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .environment import UNBOUND, Environment
from .numbers import SymbolicSize, symbol_numbers
from .tracer import Tracer, current

_CONTAINER_LIMIT = 10_000


class _Gone:
    """What stands for a graph value whose loop or branch is over."""

    def __getattr__(self, name: str) -> Any:
        current().fail(
            "an array from inside of a loop or a branch is used after it",
            "bind it to a name in every turn or on both sides",
        )


GONE = _Gone()


class Slot:
    """A variable of a function that is interpreted.

    Attributes
    ----------
    key : (int, str)
        The same for each attempt at one loop or branch.
    """

    __slots__ = ("environment", "name", "key")

    def __init__(self, environment: Environment, name: str, key: tuple[int, str]) -> None:
        self.environment, self.name, self.key = environment, name, key

    def get(self) -> Any:
        """The value, or UNBOUND."""
        return self.environment.values.get(self.name, UNBOUND)

    def put(self, value: Any) -> None:
        """Bind the name."""
        self.environment.values[self.name] = value

    def clear(self) -> None:
        """Unbind the name."""
        self.environment.values.pop(self.name, None)


class State:
    """Everything that can change, as it is at one point.

    Attributes
    ----------
    storages : dict
        The graph value and the attributes of every storage.
    environments : list of (Environment, dict)
    """

    def __init__(self, tracer: Tracer) -> None:
        self.tracer = tracer
        self.tick = tracer.tick()
        self.symbols = tracer.symbol_count
        self.environments = [(env, dict(env.values)) for env in tracer.environments.values()]
        self.storages = {
            storage: (storage.value, storage.known, storage.frozen, storage.written)
            for storage in tracer.live.values()
        }
        values = [values for _, values in self.environments]
        self.containers = [(obj, _content(obj)) for obj in _containers(values)]

    def restore(self) -> None:
        """Put everything back."""
        for env, values in self.environments:
            env.values.clear()
            env.values.update(values)
        for storage, (value, known, frozen, written) in self.storages.items():
            # A new version, since views may have kept values of the piece in between.
            storage.put(self.tracer, value)
            storage.known, storage.frozen, storage.written = known, frozen, written
        for obj, content in self.containers:
            _refill(obj, content)

    def retire(self) -> None:
        """Make sure that arrays made since then aren't used again: their region is closed."""
        for serial, storage in list(self.tracer.live.items()):
            if serial > self.tick and storage.leaf is None:
                del self.tracer.live[serial]
                storage.put(self.tracer, GONE)

    def knows(self, sizes: Any) -> bool:
        """Whether sizes are made of symbols that were there already."""
        dims = [size.dim for size in sizes if type(size) is SymbolicSize]
        return all(number < self.symbols for dim in dims for number in symbol_numbers(dim))

    def changed_containers(self) -> list[Any]:
        """The lists and dicts whose content is another one now."""
        return [obj for obj, content in self.containers if not _same(_content(obj), content)]

    def slots(self) -> Iterator[Slot]:
        """All variables that have a value here or now."""
        for index, (env, values) in enumerate(self.environments):
            for name in sorted(values.keys() | env.values.keys()):
                yield Slot(env, name, (index, name))

    def before(self, slot: Slot) -> Any:
        """The value that a variable had, or UNBOUND."""
        return self.environments[slot.key[0]][1].get(slot.name, UNBOUND)

    def changed_slots(self) -> list[Slot]:
        """The variables that are bound to another object now."""
        return [slot for slot in self.slots() if slot.get() is not self.before(slot)]

    def find(self, environment: Environment, name: str) -> Slot:
        """A variable of an environment."""
        index = next(k for k, (env, _) in enumerate(self.environments) if env is environment)
        return Slot(environment, name, (index, name))


def _containers(roots: list[Any]) -> list[Any]:
    """The lists, dicts and sets that can be reached."""
    found: dict[int, Any] = {}
    pending = [item for root in roots for item in root.values()]
    while pending and len(found) < _CONTAINER_LIMIT:
        obj = pending.pop()
        if type(obj) is tuple:
            pending.extend(obj)
        elif type(obj) in (list, dict, set) and id(obj) not in found:
            found[id(obj)] = obj
            pending.extend(obj.values() if type(obj) is dict else obj)
    return list(found.values())


def _content(obj: Any) -> list[Any]:
    return list(obj.items()) if type(obj) is dict else list(obj)


def _same(first: list[Any], second: list[Any]) -> bool:
    if len(first) != len(second):
        return False
    for a, b in zip(first, second, strict=True):
        if a is not b and not (
            type(a) is tuple
            and len(a) == 2
            and type(b) is tuple
            and len(b) == 2
            and a[0] is b[0]
            and a[1] is b[1]
        ):
            return False
    return True


def _refill(obj: Any, content: list[Any]) -> None:
    if _same(_content(obj), content):
        return
    obj.clear()
    if type(obj) is list:
        obj.extend(content)
    else:
        obj.update(content)


class Retype(BaseException):
    """A loop or a branch has to be captured again: a fact has been found out about it.

    Parameters
    ----------
    facts : Facts, optional
        Those of the loop or branch, where it isn't the innermost one.
    """

    def __init__(self, facts: Facts | None = None) -> None:
        super().__init__()
        self.facts = facts

    def concerns(self, facts: Facts) -> bool:
        """Whether the loop or branch with these facts is the one to be captured again."""
        return self.facts is None or self.facts is facts


class Fork(BaseException):
    """The sides of a branch have to be captured apart from each other, from a statement on.

    Parameters
    ----------
    key : tuple
        The path of the statement's block, and the identity of its node.
    path : tuple
        The path of the branch, without steps into forks.
    condition : graph value
    """

    def __init__(self, key: tuple, path: tuple, condition: Any) -> None:
        super().__init__()
        self.key, self.path, self.condition = key, path, condition


class Facts:
    """What earlier attempts at one loop or branch have found out.

    Attributes
    ----------
    types : dict
        The type of a number, by path: the key of a slot, and positions in sequences.
    fills : dict
        The piece, by slot key, of what is unbound before a loop.
    detached : set
        Paths of arrays that a loop carries by value.
    shrinks : dict
        Of paths of arrays that get shorter from turn to turn: which of them keep one length.
    extra : set
        Keys of slots of other functions that change.
    flags : set
        Others: ``("jump", name)`` for what leaves the loop, ``("forget", position)`` for a storage
        whose elements aren't known, ``("view", path)`` for a name bound to a part of an array,
        ``("refer", path)`` for a name that refers to one of several arrays.
    targets : dict
        By path: the arrays from before the loop that a turn binds a name to.
    """

    def __init__(self) -> None:
        self.types: dict[Any, Any] = {}
        self.fills: dict[Any, Any] = {}
        self.detached: set[Any] = set()
        self.shrinks: dict[Any, int] = {}
        self.extra: set[Any] = set()
        self.flags: set[tuple] = set()
        self.targets: dict[Any, list[Any]] = {}
