"""What a piece of a program may change (variables, memory, containers), kept and put back."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..traced.array import TracedArray
from ..traced.changes import Change
from ..traced.numbers import SymbolicSize
from ..traced.storage import Storage, Taken
from ..traced.tracer import Tracer, current, is_capturing
from ..traced.undecided import UNBOUND
from .contents import (
    arrays_in,
    can_change,
    content_of,
    parts_of,
    reached,
    refill,
    refuse_unknown,
    same_content,
)
from .environment import Environment


class _Gone:
    """What stands for a graph value whose loop or branch is over.

    It refuses a program that uses the value. Whoever looks at objects by Python's own protocols,
    or after the capture (as `gc.get_objects` shows them until Python has collected them), uses no
    value: for these it just hasn't the attribute.
    """

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or not is_capturing():
            raise AttributeError(name)
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


class Item:
    """An item of a list or dict: loops and branches treat it as a variable.

    Attributes
    ----------
    name : index or key
    key : ((str, int), index or key)
        With the number of the list or dict among those of a state.
    """

    __slots__ = ("owner", "name", "key")
    environment = None

    def __init__(self, owner: Any, name: Any, key: tuple) -> None:
        self.owner, self.name, self.key = owner, name, key

    def get(self) -> Any:
        """The value."""
        return self.owner[self.name]

    def put(self, value: Any) -> None:
        """Set the item."""
        self.owner[self.name] = value

    def clear(self) -> None:
        """Leave it: there is always a value."""


class State:
    """Everything that can change, as it is at one point.

    Attributes
    ----------
    operations : int
        How many the graph had.
    tick : int
        What was made later isn't part of the state.
    taken : Taken, optional
        Where it is the state before a rolled loop: what that has taken over.
    items : list of Item
        Those that are variables of a loop.
    """

    def __init__(self, tracer: Tracer) -> None:
        self.tracer = tracer
        self.symbols = tracer.symbol_count
        self.operations = tracer.operations
        self._planned = len(tracer.plan)
        self._known = [(env, dict(env.values)) for env in tracer.environments.values()]
        self._loaded = [len(env.loaded) for env, _ in self._known]
        self._first = self.tick = tracer.tick()
        self._from = self._noted = tracer.changes.begin(self.tick)
        self._storage_count = tracer.storage_count
        self.taken: Taken | None = None
        self.items: list[Item] = []
        self._outer = [(outer.obj, content_of(outer.obj)) for outer in tracer.containers]
        self._containers = list(self._content())
        self._looks = -1  # those of the tracer when these two were found
        self._all: list[tuple[Environment, dict[str, Any]]] = []
        self._made: dict[int, tuple] | None = None  # paths of all arrays, by identity

    @property
    def environments(self) -> list[tuple[Environment, dict[str, Any]]]:
        """All variables that were there, with their values.

        What has been read from outside since then for the first time was there already: objects
        with their attributes, and attributes of objects that were known.
        """
        if self._looks != self.tracer.looks:
            since = self.tracer.environments.since(self._first)
            late = [(env, env.loaded) for _, env in reversed(since) if env.is_outside]
            known = [
                (env, values if len(env.loaded) == count else {**_later(env, count), **values})
                for (env, values), count in zip(self._known, self._loaded, strict=True)
            ]
            self._looks, self._all, self._made = self.tracer.looks, known + late, None
        return self._all

    def note_storages(self) -> None:
        """Count what has been made by now as made before."""
        self.tick = self.tracer.tick()
        self._noted = self.tracer.changes.begin(self.tick)

    def is_old(self, storage: Any) -> bool:
        """Whether memory is from before."""
        return storage.born < self.tick

    def _changes(self) -> dict[Storage, Change]:
        """What storages from before were, of which something has been changed since then."""
        found: dict[Storage, Change] = {}
        for position, change in enumerate(self.tracer.changes.entries[self._from :], self._from):
            if change.storage.born < (self._first if position < self._noted else self.tick):
                found.setdefault(change.storage, change)
        return dict(sorted(found.items(), key=lambda item: item[0].born))

    def written(self) -> list[tuple[Storage, Any]]:
        """The storages that have another value now, the oldest first, and the one that they had."""
        return [(x, was.value) for x, was in self._changes().items() if x.value is not was.value]

    def frozen(self) -> dict[Storage, Any]:
        """Why storages can't be written now; those are left out of which nothing has changed."""
        return {storage: storage.frozen for storage in self._changes() if storage.frozen}

    @property
    def containers(self) -> list[tuple[Any, list[Any]]]:
        """What can be changed without an assignment to a name, with its content."""
        return self._containers + self._outer_containers()

    def _outer_containers(self) -> list[tuple[Any, list[Any]]]:
        """Those from outside; what has been read since then was there already."""
        late = self.tracer.containers[len(self._outer) :]
        return self._outer + [(outer.obj, outer.content()) for outer in late]

    def _numbered(self) -> Iterator[tuple[int, Any, list[Any]]]:
        """The same with numbers, those from outside from -1 down: attempts may read more."""
        yield from ((k, *pair) for k, pair in enumerate(self._containers))
        yield from ((-1 - k, *pair) for k, pair in enumerate(self._outer_containers()))

    def _content(self) -> Iterator[tuple[Any, list[Any]]]:
        """What else can be reached and changed, with its content."""
        outer = {id(obj) for obj, _ in self._outer}
        roots = [((), obj) for _, values in self._known for obj in values.values()]
        if self.tracer.interpreter is not None:
            roots += [((), obj) for obj in self.tracer.interpreter.held]
        roots += [((), outer.obj) for outer in self.tracer.containers]
        for _, obj in reached(roots, paths=False):
            refuse_unknown(obj)
            if can_change(obj) and id(obj) not in outer:
                yield obj, content_of(obj)

    def restore(self) -> None:
        """Put everything back; what has been loaded since then was there already.

        So were objects that have been looked at since then for the first time.
        """
        self.tracer.note_effects()
        for (env, values), known in zip(self._known, self._loaded, strict=True):
            env.values.clear()
            env.values.update(values)
            env.values.update(_later(env, known))
        for _, env in self.tracer.environments.since(self._first):
            if env.is_outside:
                env.values.clear()
                env.values.update(env.loaded)
        tracer = self.tracer
        for storage, was in self._changes().items():
            storage.put_back(was)
        del tracer.changes.entries[self._from :]
        if self.taken is not None:
            self.taken.give_back()
        tracer.put_back = tracer.tick()  # views may have kept values of the piece in between
        for obj, content in self.containers:
            refill(obj, content)

    def discard(self) -> None:
        """Forget what has been captured since then: it is captured again."""
        self.restore()
        self.retire()
        self.tracer.operations = self.operations
        del self.tracer.plan[self._planned :]
        self.tracer.storage_count = self._storage_count

    def retire(self) -> None:
        """Make sure that arrays made since then aren't used again: their region is closed."""
        for serial, storage in self.tracer.live.since(self.tick):
            if storage.leaf is None:
                self.tracer.live.discard(serial)
                storage.end(GONE)

    def knows(self, sizes: Any) -> bool:
        """Whether sizes are made of symbols that were there already."""
        dims = [size.dim for size in sizes if type(size) is SymbolicSize]
        return all(number < self.symbols for dim in dims for number in dim.symbols)

    def is_same(self, first: TracedArray, second: TracedArray) -> bool:
        """Whether two arrays are one object, or views of one place that were made since then."""
        if any(map(self.has, (first, second))):
            return first.is_same(second)
        return first.same_place(second) and first.is_view == second.is_view

    def has(self, array: TracedArray) -> bool:
        """Whether names led to an array."""
        return self.path_of(array) is not None

    def path_of(self, array: TracedArray) -> tuple | None:
        """The path of a variable that led to an array; None where there was none."""
        environments = self.environments  # which may be more by now
        if self._made is None:
            values = [values for _, values in environments]
            self._made = {id(array): path for path, array in arrays_in(values)}
        return self._made.get(id(array))

    def at_path(self, path: tuple) -> Any:
        """What a path of a variable led to; None where nothing is there."""
        obj: Any = [values for _, values in self.environments]
        for step in path:
            obj = next((part for at, part in parts_of(obj) if at == step), None)
        return obj

    def changed_containers(self) -> list[Any]:
        """The lists, dicts and objects whose content is another one now."""
        return [
            obj for obj, content in self.containers if not same_content(content_of(obj), content)
        ]

    def changed_items(self, changed: list[Any]) -> tuple[list[Item], list[Any]]:
        """The items that are others now, and what has other keys, or has no items."""
        items: list[Item] = []
        others: list[Any] = []
        for number, obj, content in self._numbered():
            if not any(obj is one for one in changed):
                continue
            before, now = _by_key(obj, content), _by_key(obj, content_of(obj))
            if before is None or list(before) != list(now):
                others.append(obj)
                continue
            names = [name for name in before if now[name] is not before[name]]
            items += [Item(obj, name, (("item", number), name)) for name in names]
        return items, others

    def _container(self, number: int) -> tuple[Any, list[Any]]:
        """The list or dict of a number, with its content; None where none has it."""
        pairs = self._containers if number >= 0 else self._outer_containers()
        place = number if number >= 0 else -1 - number
        return pairs[place] if place < len(pairs) else (None, [])

    def slots(self) -> Iterator[Slot]:
        """All variables that have a value here or now."""
        for index, (env, values) in enumerate(self.environments):
            for name in sorted(values.keys() | env.values.keys()):
                yield Slot(env, name, (index, name))

    def keys(self, environment: Environment) -> set[tuple[int, str]]:
        """The keys of all variables of one environment that have a value here or now."""
        return {slot.key for slot in self.slots() if slot.environment is environment}

    def before(self, slot: Slot | Item) -> Any:
        """The value that a variable had, or UNBOUND."""
        if type(slot) is Item:
            _, content = self._container(slot.key[0][1])
            return _by_key(slot.owner, content)[slot.name]
        return self.environments[slot.key[0]][1].get(slot.name, UNBOUND)

    def changed_slots(self) -> list[Slot]:
        """The variables that are bound to another object now."""
        slots = [*self.slots(), *self.items]
        return [slot for slot in slots if slot.get() is not self.before(slot)]

    def find(self, environment: Environment, name: str) -> Slot:
        """A variable of an environment."""
        index = next(k for k, (env, _) in enumerate(self.environments) if env is environment)
        return Slot(environment, name, (index, name))

    def slot(self, key: tuple) -> Any:
        """The variable of a key, also where it has no value; None for an item that isn't there."""
        if type(key[0]) is tuple:
            number, name = key[0][1], key[1]
            obj, content = self._container(number)
            return Item(obj, name, key) if name in (_by_key(obj, content) or ()) else None
        return Slot(self.environments[key[0]][0], key[1], key)


def _later(environment: Environment, known: int) -> dict[str, Any]:
    """What names have had from the beginning on, of which more is known now."""
    return dict(list(environment.loaded.items())[known:])


def _by_key(obj: Any, content: list[Any]) -> dict[Any, Any] | None:
    """The items of a list or dict by index or key; None for what is neither."""
    if type(obj) is list:
        return dict(enumerate(content))
    return dict(content) if type(obj) is dict else None


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


_HINTS = ("jump", "refer", "which", "own")  # flags that change how a loop computes, not what


class Hints:
    """What attempts at any copy of one loop or branch have found out that is right for all of them.

    A copy that doesn't need it computes the same.

    Attributes
    ----------
    detached, flags : set
        As those of `Facts`.
    named : dict
        By path: where there is a variable that leads to a target, the path of that.
    """

    def __init__(self) -> None:
        self.named: dict[Any, set[tuple]] = {}
        self.detached: set[Any] = set()
        self.flags: set[tuple] = set()


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
    resized : dict
        Of paths of arrays whose first size the turns choose: which of them keep one length.
    grows : set
        Those of `resized` that don't only get shorter.
    extra : set
        Keys of slots of other functions that change.
    flags : set
        Others: ``("jump", name)`` for what leaves the loop, ``("forget", number)`` for a storage
        whose elements aren't known, ``("view", path)`` for a name bound to a part of an array,
        ``("alias", path)`` for a name whose memory another name has too after a turn,
        ``("refer", path)`` for a name that refers to one of several arrays, ``("which", path)`` for
        one that refers to one of `targets`, ``("untagged", path)`` for a number of which nobody
        knows which of its types it has, ``("own", path)`` for a name that some turn binds to memory
        of the loop's own, ``("unsafe",)`` for a leading test that has to be made within the turn,
        ``("assigned",)`` where a turn changes objects from outside after a check,
        ``("foreseen", name)`` and ``("unsure", name)`` for a jump that the text alone has shown,
        ``("scattered",)`` where names that change places among arrays aren't in few arrangements.
    targets : dict
        By path: the arrays from before the loop that a turn binds a name to.
    views : dict
        By path: the parts of memory of the turns that a name may refer to, as the path of a name
        that has all of it, and views.
    sorts : dict
        By path of a name that is of several sorts: a `Fill` for each that it doesn't have before.
    arrangements : list of dict
        Of names that change places among arrays from before the loop: by slot key, the path that
        led to the array there. The first one is what they have before the loop.
    """

    def __init__(self, hints: Hints) -> None:
        self.hints = hints
        self.types: dict[Any, Any] = {}
        self.fills: dict[Any, Any] = {}
        self.detached: set[Any] = set(hints.detached)
        self.resized: dict[Any, int] = {}
        self.grows: set[Any] = set()
        self.extra: set[Any] = set()
        self.flags: set[tuple] = set(hints.flags)
        self.targets: dict[Any, list[Any]] = {}
        self.views: dict[Any, list[Any]] = {}
        self.sorts: dict[Any, list[Any]] = {}
        self.arrangements: list[dict[Any, Any]] = []

    def hint(self) -> None:
        """Let other copies of the loop or branch begin with what is right for all of them."""
        self.hints.detached |= self.detached
        self.hints.flags |= {flag for flag in self.flags if flag[0] in _HINTS}

    def forget(self) -> None:
        """Forget what was made around the loop or branch, which is captured again."""
        self.targets.clear()
        self.views.clear()
        for fill in (fill for fills in self.sorts.values() for fill in fills):
            fill.forget()

    def flag(self, *flags: tuple) -> None:
        """Add flags; where one of them is new, the loop or branch is captured again.

        Raises
        ------
        Retype
        """
        if not self.flags.issuperset(flags):
            self.flags.update(flags)
            raise Retype(self)
