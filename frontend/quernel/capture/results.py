"""What a function returns, as a tree that the runtime builds the result from.

A node of the tree is a list; its first item is its kind:

- ``input`` k, ``output`` k: that array; ``scalar`` k, ``number`` k: the number in output k, one of
  NumPy's or of Python's; ``prefix`` k c: as many entries of output k as output c says.
- ``view`` array forms names: a view of an ``input``, ``output`` or ``prefix``. The names say which
  symbol of the program, or which output, each name in the forms is.
- ``numbers`` array whose: a list of the elements, ``python``'s or ``numpy``'s numbers.
- ``zipped`` lists: a list of tuples, each of one item of every list.
- ``named`` place tuple: a named tuple, by the module and the name of its class.
- ``tuple``, ``list``, ``dict``, ``const``: Python's objects.
- ``either`` k first second: the first where output k holds, a bool, else the second.
- ``instance`` n: the object with that number among the arguments, or the list or dict; ``object``
  class places trees: a new object, by the place of its class, and its attributes.
- ``assign`` tree places trees: the first, after what is outside has been changed. A place is an
  object's number, or the place of a class (of a new object there is none), and a name, perhaps with
  the output that says whether it is assigned; or it is ``items`` n low high, for which a list gets
  those of another one, or ``keys`` n gone new: a dict loses the ones, and then gets the others with
  the values of a tuple. These, too, may have such an output.
- ``let`` definitions tree, ``ref`` k: objects that the result has in more than one place.

There is one output for each memory, and arrays that share it are views of that output.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import Any, NoReturn

import numpy as np

from ..arguments.looking import is_written_out
from ..arguments.named_tuples import SliceMaker, is_made_of_items, place_of
from ..traced.array import TracedArray, constant
from ..traced.doubts import learn_strides
from ..traced.iterators import Iterating
from ..traced.memory import C_ORDER, lying
from ..traced.numbers import SymbolicSize, as_kind, isinstance_symbolic, parameters_known
from ..traced.objects import are_one_object, named
from ..traced.open_types import open_types_of, refuse_open_result
from ..traced.outer_containers import OuterContainer, dict_change, items_of, list_change
from ..traced.places import side_of
from ..traced.tags import by_tag
from ..traced.tracer import Tracer
from ..traced.undecided import TOO_MANY, Conflict, Either, Maybe
from ..traced.views import extents
from .class_stand_ins import WORDS, is_stand_in, known_of
from .given_lists import GivenList
from .growing import arrays_of, is_growing
from .grown import Grown
from .named_results import name_of
from .opaque import Opaque, looks_of
from .outputs import Outputs
from .texts import Text

_MOST_CHOICES = 1000  # between arrays; views of choices of views have one for each way to an array
_END = 2**62  # of a list of any length
_CONSTANTS = (type(None), bool, int, float, str)
# Where a node of a kind has other nodes; lists of nodes apart.
_CHILDREN = {"view": (1,), "either": (2, 3), "numbers": (1,), "named": (2,), "assign": (1,)}
_LISTS = {"tuple": 1, "list": 1, "dict": 2, "zipped": 1, "object": 3, "assign": 3}
# Kinds whose object is built once, or where nobody sees whether it is.
_UNSHARED = (
    "input",
    "output",
    "scalar",
    "prefix",
    "room",
    "handed",
    "const",
    "dtype",
    "named_object",
    "instance",
)


class ResultTree(Outputs):
    """Collects the outputs while the tree is made.

    Parameters
    ----------
    exact : bool
        Whether Python goes on with the result: no array in it may be a copy where NumPy's is not.

    Attributes
    ----------
    aliases : set of int
        Inputs that the result shares memory with.
    """

    def __init__(self, tracer: Tracer, exact: bool = False) -> None:
        super().__init__(tracer)
        self.aliases: set[int] = set()
        self.exact = exact
        self._nodes: dict[int, tuple[Any, list]] = {}  # by identity of the object, which is kept
        self._uses: dict[int, int] = {}  # by identity of the node
        self._arrays: list[tuple[TracedArray, list]] = []
        # Of memory that is a copy: where it is in the result, as the choices that lead there.
        self._copies: dict[int, tuple[Any, set[tuple]]] = {}
        self._copies_in: dict[int, list[Any]] = {}  # by identity of the node
        self._seen_copies: list[Any] = []
        self._path: list[tuple[int, bool]] = []  # of choices, by identity of their conditions
        self._choices = 0
        self._definitions: list[list] = []
        self._references: dict[int, list] = {}
        self._under_way: set[int] = set()

    def of(self, obj: Any, arguments: Any = ()) -> list:
        """The tree of a returned object. To be called once.

        Parameters
        ----------
        arguments : list of object
            What stands for objects among the arguments: their attributes may have been assigned.
        """
        node = self._node(obj)
        assigned = [
            self._assigned(self._number_of(stand_in), name, value)
            for stand_in in arguments
            for name, value in stand_in._quernel.changes(stand_in)
        ]
        classes = self.tracer.rebuilder.classes
        assigned += [
            self._assigned(
                self._place_of(kind, f"assigning to `{kind.__name__}.{name}`"), name, value
            )
            for kind, name, value in classes.assigned()
        ]
        for outer in self.tracer.containers:
            if outer.is_changed:
                assigned += self._added(outer) if outer.is_open else [self._changed(outer)]
        # A copy of an argument that had to be converted would be changed, or given back.
        self.aliases |= {-1} if self.tracer.counts_containers else set()
        if assigned:
            places, nodes = zip(*assigned, strict=True)
            node = ["assign", node, list(places), list(nodes)]
        storages: dict[int, list[tuple[TracedArray, list]]] = {}
        for array, place in self._arrays:
            storages.setdefault(id(array.storage), []).append((array, place))
        self._refuse_copies()
        for users in storages.values():
            self._settle(users)
        tree = self._written(node)
        return ["let", self._definitions, tree] if self._definitions else tree

    def _refuse_copies(self) -> None:
        """Refuse arrays that are copies of what may be one memory, of which each alone is right."""
        together = [
            pair for pair in itertools.combinations(self._copies.values(), 2) if _meet(*pair)
        ]
        if together:
            for storage, _ in itertools.chain(*together):
                storage.frozen.pool(self.tracer)
            self.tracer.fail(
                "returning several arrays that share memory in some turns of a loop only",
                "copy one of them: y.copy()",
            )

    def _place_of(self, kind: type, what: str) -> list[str]:
        """The place of a class of the user's.

        Raises
        ------
        UnsupportedError
            Where no module has it.
        """
        place = place_of(kind)
        if place is None:
            self.tracer.fail(f"{what}, a class that no module has", "define the class in a module")
        return place

    def _assigned(self, owner: int | list, name: str, value: Any) -> tuple[list, list]:
        """Where a value is assigned to, and its node; with the output that says whether it is."""
        if type(value) is Maybe:
            condition = self._output("condition", value.bound)
            return [owner, name, condition], self._node(value.value)
        return [owner, name], self._node(value)

    def _added(self, outer: OuterContainer) -> Iterator[tuple[list, list]]:
        """What an open list or dict gets, in runs of what it gets in any case, and one by one."""
        number, _ = self.tracer.rebuilder.classes.number_of(outer.leaf)
        pairs = items_of(outer.obj)
        for bound, run in itertools.groupby(pairs, lambda pair: self._bound(pair[1])):
            keys, items = zip(*run, strict=True)
            nodes = [self._node(item.value if type(item) is Maybe else item) for item in items]
            condition = [] if bound is None else [bound]
            if type(outer.obj) is list:
                yield ["items", number, _END, _END, *condition], ["list", nodes]
            else:
                yield ["keys", number, [], list(map(repr, keys)), *condition], ["tuple", nodes]

    def _bound(self, item: Any) -> int | None:
        """The output that says whether something is there; None for what is there in any case."""
        return self._output("condition", item.bound) if type(item) is Maybe else None

    def _changed(self, outer: OuterContainer) -> tuple[list, list]:
        """What of a list or dict from outside is changed, and the node of what it gets."""
        number, _ = self.tracer.rebuilder.classes.number_of(outer.leaf)
        if type(outer.obj) is list:
            low, high, items = list_change(outer)
            return ["items", number, low, high], ["list", [self._node(item) for item in items]]
        gone, new = dict_change(outer)
        for key in (*gone, *new):
            if not is_written_out(key):
                what = f"setting a key of type {type(key).__name__} of the dict `{outer.leaf.path}`"
                self.tracer.fail(what, "use texts, numbers, or tuples of them as keys")
        place = ["keys", number, [repr(key) for key in gone], [repr(key) for key in new]]
        return place, ["tuple", [self._node(item) for item in new.values()]]

    # Objects

    def _node(self, obj: Any) -> list:
        """The node of an object: one for each object. Those of arrays are filled in later."""
        while type(obj) is Either and isinstance(obj.condition, bool):
            obj = obj.first if obj.condition else obj.second
        known = self._nodes.get(id(obj))
        if known is not None:
            self._uses[id(known[1])] += 1
            for storage in self._copies_in.get(id(known[1]), ()):
                self._note_copy(storage)
            return known[1]
        outer = next((one for one in self.tracer.containers if one.shown is obj), None)
        if outer is not None:
            return ["instance", self.tracer.rebuilder.classes.number_of(outer.leaf)[0]]
        node: list = []
        self._nodes[id(obj)] = (obj, node)
        self._uses[id(node)] = 1
        begun = len(self._seen_copies)
        node += self._made(obj, node)
        if len(self._seen_copies) > begun:
            self._copies_in[id(node)] = self._seen_copies[begun:]
        return node

    def _note_copy(self, storage: Any) -> None:
        """Note that memory which is a copy is in the result, where data choose so."""
        self._seen_copies.append(storage)
        self._copies.setdefault(id(storage), (storage, set()))[1].add(tuple(self._path))

    def _made(self, obj: Any, node: list) -> list:
        if open_types_of(obj):
            either = self.tracer.alternative_of(obj.value, exact=True)
            either = by_tag(self.tracer, obj) if either is None else either
            if either is not None:
                return self._either(either.condition, either.first, either.second)
        refuse_open_result(self.tracer, obj)
        if type(obj) is TracedArray:
            return self._array(obj, node)
        if isinstance_symbolic(obj):
            return self._number(obj)
        if type(obj) is Either:
            return self._either(obj.condition, obj.first, obj.second)
        if self.exact and type(obj) in (np.ndarray, list, dict):
            self.tracer.fail(f"going on in Python with a {type(obj).__name__} from outside")
        if type(obj) is np.ndarray:
            return self._array(constant(self.tracer, obj), node)
        if type(obj) is Grown:
            obj = obj.grown
        if is_growing(obj):
            parts = [["numbers", self._node(array), whose] for array, whose in arrays_of(obj)]
            return ["zipped", parts] if obj[2].is_tuple else parts[0]
        if type(obj) in (tuple, list):
            return [type(obj).__name__, [self._node(item) for item in obj]]
        if is_made_of_items(obj) and (place := place_of(type(obj))) is not None:
            return ["named", place, ["tuple", [self._node(item) for item in obj]]]
        if type(obj) is slice:
            items = (obj.start, obj.stop, obj.step)
            return ["named", place_of(SliceMaker), ["tuple", [self._node(item) for item in items]]]
        if is_stand_in(obj):
            return self._object_of_class(obj)
        if type(obj) is dict:
            if not all(type(key) in (str, int) for key in obj):
                self.tracer.fail("returning a dict with keys that aren't strings or integers")
            return ["dict", list(obj), [self._node(item) for item in obj.values()]]
        if type(obj) in _CONSTANTS:
            return ["const", obj]
        if isinstance(obj, np.dtype) and np.dtype(obj.str) is obj:
            return ["dtype", obj.str]
        if (place := name_of(self.tracer.rebuilder, obj)) is not None:
            return ["named_object", place]
        if type(obj) is complex:  # JSON has none
            return ["number", self._output("number", self.tracer.constant(np.complex128(obj)))]
        if isinstance(obj, np.generic):
            return ["scalar", self._output("scalar", self.tracer.constant(np.array(obj)))]
        if type(obj) in (Text, GivenList):
            obj.known()
        if issubclass(type(obj), Opaque):
            looks_of(obj).refuse()
        if type(obj) is Conflict:
            self.tracer.fail(f"returning what {obj.reason}", "return a copy: y[::2].copy()")
        kind = obj.__class__ if issubclass(type(obj), Iterating) else type(obj)
        self.tracer.fail(
            f"returning an object of type {kind.__name__}",
            "return arrays, numbers, and tuples, lists or dicts of them",
        )

    def _object_of_class(self, obj: Any) -> list:
        """An object of a class of the user's: an argument, or a new one."""
        if known_of(obj).leaf is not None:
            return ["instance", self._number_of(obj)]
        if WORDS in vars(obj):
            what = "returning a generator of Python's random numbers that the function makes"
            self.tracer.fail(what, "make it outside, and pass it as an argument")
        kind = self.tracer.rebuilder.classes.original(type(obj))
        place = None if kind.__module__.startswith("quernel.numpy.") else place_of(kind)
        if place is None:
            self.tracer.fail(
                f"returning an object of the class {type(obj).__name__}, which no module has",
                "define the class in a module",
            )
        places, nodes = [], []
        for name, value in known_of(obj).attributes(obj):
            is_open = type(value) is Maybe
            condition = [self._output("condition", value.bound)] if is_open else []
            places.append([name, *condition])
            nodes.append(self._node(value.value if is_open else value))
        return ["object", place, places, nodes]

    def _number_of(self, obj: Any) -> int:
        return self.tracer.rebuilder.classes.number_of(obj._quernel.leaf)[0]

    def _number(self, number: Any) -> list:
        """A Python number; a parameter becomes part of the program."""
        (known,) = parameters_known(number)
        if known is not number:
            return self._node(known)
        value = as_kind(self.tracer, number, number.kind)
        return ["number", self._output("number", value)]

    def _either(self, condition: Any, first: Any, second: Any) -> list:
        """The result that a bool of the program chooses."""
        index, sides = self._output("condition", condition), []
        for holds, side in ((True, first), (False, second)):
            self._path.append((id(condition), holds))
            sides.append(self._node(side))
            self._path.pop()
        return ["either", index, *sides]

    def _array(self, array: TracedArray, node: list) -> list:
        if array.is_scalar:
            return ["scalar", self._output("scalar", array.value)]
        storage = array.storage
        self.tracer.check_listed(storage, copies=True)
        if storage.frozen.is_copy:
            self._note_copy(storage)
        condition = getattr(storage, "condition", None)
        if condition is not None:
            return self._either(condition, *self._sides(array, condition))
        return self._object(array, node)

    def _sides(self, array: TracedArray, condition: Any) -> list[TracedArray]:
        """The two arrays that an array may be; a view of them is the same object as either."""
        tracer, storage = self.tracer, array.storage
        self._choices += 1
        if self._choices > _MOST_CHOICES:
            tracer.fail(*TOO_MANY)
        sides = [side_of(array, side) for side in (storage.first, storage.second)]
        if array.is_view:
            first = array.identity.where(tracer, lambda: condition)
            second = array.identity.where(tracer, lambda: tracer.op("logical_not", [condition]))
            sides = [named(*pair) for pair in zip(sides, (first, second), strict=True)]
        return sides

    def _object(self, array: TracedArray, node: list) -> list:
        """One of the arrays of a memory: one that came before where data say that it is the same.

        The form of an array is filled in later, here or in the part that it is alone.
        """
        own, made = node, []
        others = [pair for pair in self._arrays if pair[0].storage is array.storage]
        for other, known in reversed(others):  # so that the first one is asked first, by all
            same = are_one_object(array, other)
            if same is not False:
                same = self.tracer.constant(np.bool_(True)) if same is True else same
                if not made:
                    own = made = []
                    self._uses[id(own)] = 1
                self._uses[id(known)] += 1
                made = ["either", self._output("condition", same), known, made]
        self._arrays.append((array, own))
        return made

    # Arrays of one memory

    def _settle(self, users: list[tuple[TracedArray, list]]) -> None:
        """Fill in the nodes of all the arrays of one memory."""
        tracer, storage, first = self.tracer, users[0][0].storage, []
        if storage.leaf is not None:
            index = next(k for k, leaf in enumerate(tracer.inputs) if leaf is storage.leaf)
            self.aliases.add(index)
            base = ["input", index]
        else:
            if self.exact and storage.frozen:
                storage.frozen.pool(tracer)
                tracer.fail("going on in Python with arrays that may share memory")
            if self._settle_bytes(users):
                return
            if len(users) == 1 and self._stands_alone(users[0][0]):
                array, node = users[0]
                node.extend(["view", self._stored(array.value, C_ORDER), [], {}])
                return
            owner = next((array for array, _ in users if not array.is_view), None)
            self._check_order(storage)
            if owner is not None and owner.views:  # its shape was assigned to
                if storage.layout.axes is not None:
                    tracer.fail("assigning to `.shape` of an array that isn't in C order")
                base = self._stored(owner.value, C_ORDER)
                first = [["reshape", list(storage.value.shape)]]
            else:
                base = self._stored(storage.value, storage.layout)
        self._check_doubts([array for array, _ in users])
        for array, node in users:
            if array.is_view:
                forms = [*first, *(view.form() for view in array.views)]
                node.extend(["view", base, _texts(forms), self._names(array, forms)])
            else:
                node.extend(base)

    def _settle_bytes(self, users: list[tuple[TracedArray, list]]) -> bool:
        """Fill in the nodes of arrays that show a memory's bytes as a dtype of another size.

        That can be done where all show the same elements of that dtype, which are stored then.
        """
        shown = [_through_bytes(array) for array, _ in users]
        first = shown[0]
        if (
            not first
            or _is_read_only(first)
            or any(len(x) != len(first) or x[-1] is not first[-1] for x in shown)
        ):
            return False
        storage = users[0][0].storage
        found = lying(storage.dims, [view.form() for view in first], storage.layout)
        if found is None or not found.flags.c_contiguous:
            return False
        base = self._stored(storage.seen(first), C_ORDER)
        self._check_doubts([array for array, _ in users])
        for array, node in users:
            forms = [view.form() for view in array.views[len(first) :]]
            node.extend(["view", base, _texts(forms), self._names(array, forms)])
        return True

    def _check_order(self, storage: Any) -> None:
        """See that the program knows how NumPy lays an array."""
        if storage.layout.how == "unknown":
            learn_strides(self.tracer, storage.layout.causes)
            reason = "returning an array whose order in memory isn't known"
            self.tracer.refuse_size(storage.shape, reason, "copy it: x.copy()")

    def _check_doubts(self, arrays: list[TracedArray]) -> None:
        """See that one array of a memory at most has a view that may be a copy.

        NumPy makes it of an argument; else it stands alone. Two would be two copies.
        """
        doubts = [view.doubt for array in arrays for view in array.views if view.doubt is not None]
        doubtful = [any(view.doubt is not None for view in array.views) for array in arrays]
        others = len(arrays) if arrays[0].storage.leaf is None else sum(doubtful)
        for doubt in doubts:
            if others > 1:
                doubt.settle()
            doubt.read()

    def _stands_alone(self, array: TracedArray) -> bool:
        """Whether the one array of a memory can be stored without the elements it doesn't show.

        It is a view in any case, and its strides are those that it would have in the whole.
        """
        if not array.is_view or _is_read_only(array.views):
            return False
        whole = array.storage.dims
        found = lying(whole, [view.form() for view in array.views], array.storage.layout)
        if found is None or not 0 < found.size < math.prod(whole):
            return False
        return found.strides == _c_strides(found.shape)

    def _names(self, array: TracedArray, forms: list[list]) -> dict[str, list]:
        """What the names in the forms of views are: symbols of the program, or outputs."""
        tracer = self.tracer
        sizes = [size for _, *parts in forms for part in parts for size in part]
        found = {number for size in sizes for number in getattr(size, "symbols", ())}
        names: dict[str, list] = {}
        of_call = {dim.symbols: number for number, dim in tracer.symbols.values()}
        for number in sorted(found):
            value = tracer.value_of_symbol(number)
            if (number,) in of_call:
                names[f"s{number}"] = ["symbol", of_call[number,]]
            elif value is not None:
                names[f"s{number}"] = ["output", self._output("count", value)]
            else:
                _know(array, number)
        return names

    # Objects in more than one place

    def _written(self, node: list) -> list:
        """The tree below a node, with references to what is there more than once."""
        if id(node) in self._references:
            return self._references[id(node)]
        if id(node) in self._under_way:
            self.tracer.fail("returning objects that lead to each other")
        self._under_way.add(id(node))
        kind = node[0]
        made = list(node)
        for place in _CHILDREN.get(kind, ()):
            made[place] = self._written(node[place])
        if kind in _LISTS:
            made[_LISTS[kind]] = [self._written(item) for item in node[_LISTS[kind]]]
        self._under_way.discard(id(node))
        if self._uses.get(id(node), 0) < 2 or kind in _UNSHARED:
            return made
        self._definitions.append(made)
        self._references[id(node)] = ["ref", len(self._definitions) - 1]
        return self._references[id(node)]


def _meet(first: tuple[Any, set[tuple]], second: tuple[Any, set[tuple]]) -> bool:
    """Whether there is a result that has both of two memories."""
    pairs = itertools.product(first[1], second[1])
    return any(all((c, not holds) not in b for c, holds in a) for a, b in pairs)


def _is_read_only(views: tuple) -> bool:
    return any(view.kind in ("broadcast_to", "windows") for view in views)


def _through_bytes(array: TracedArray) -> tuple:
    """An array's views up to the last one that shows bytes as a dtype of another size."""
    places = [k for k, view in enumerate(array.views) if view.kind == "bytes"]
    return array.views[: places[-1] + 1] if places else ()


def _texts(forms: list[list]) -> list[list]:
    """The JSON form of views: sizes that aren't integers are texts over ``s0``, ``s1``, …."""
    return [
        [kind, *(part if type(part) is str else [_text(size) for size in part] for part in parts)]
        for kind, *parts in forms
    ]


def _text(size: Any) -> Any:
    return size if type(size) is int else str(size)


def _know(array: TracedArray, number: int) -> NoReturn:
    """Begin anew with a symbol known that an array's views need; refuse where that can't be."""
    for view in array.views:
        for size in extents(view):
            if type(size) is SymbolicSize and number in size.dim.symbols:
                size.known()
    array.tracer.fail("returning a view whose place is known in a loop or branch only", "copy it")


def _c_strides(shape: tuple) -> tuple:
    """The strides of a contiguous array of one-byte elements."""
    strides = [1]
    for size in reversed(shape[1:]):
        strides.insert(0, strides[0] * size)
    return tuple(strides[: len(shape)])
