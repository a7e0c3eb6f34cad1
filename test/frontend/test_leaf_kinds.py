"""The kinds of arguments: each tells all of its objects, and takes no others."""

import collections
import functools

import numpy as np
import pytest

from quernel.arguments.leaf_kinds import KINDS, NO_OBJECT, Mismatch, classify, guard, guard_texts
from quernel.arguments.opaque import Observation
from quernel.devices.array import DeviceArray
from quernel.devices.headers import Layout
from quernel.errors import UnsupportedError


class Plain:
    """A class of the user's."""


Point = collections.namedtuple("Point", "x y")


class Made:
    """A class whose objects are made in a way of its own."""

    def __new__(cls):
        return object.__new__(cls)


class Memory:
    """What has the memory of an array that nobody reads."""

    address, device = 1 << 40, 0


ON_DEVICE = DeviceArray(Memory(), Layout(0, (2,), (4,)), np.dtype("float32"))
EXAMPLES = {
    "array": (np.zeros((3, 4)), "p: float64[3, 4]"),
    "scalar": (2.5, "p: any float"),
    "device_array": (ON_DEVICE, "p: float32[2], on the device"),
    "numbers": (list(range(300)), "p: list of int"),
    "tuple": ((1, np.int8(2)), "p: tuple of 2"),
    "list": ([1.0, "a"], "p: list of 2"),
    "named": (Point(1, 2), "p: Point of 2"),
    "dict": ({"a": 1}, "p[str:'a']: any int"),
    "stream": (np.random.default_rng(1), "p: any random stream of a PCG64, written"),
    "function": (lambda: 1, "p has the code of function:"),
    "is": (np.sum, "p is function:numpy.sum"),
    "value": ("text", "p == str:'text'"),
    "set": ({"a", int}, "p == frozenset:"),
    "parts": (functools.partial(int, "3"), "p: a partial"),
    "object": (Plain(), "p: a Plain"),
    "seen": (Observation({"a": 1}, "item", "a").made(), "p gives int:1"),
    "opaque": (Made(), "p: any Made"),
}


# Where the runtime has no guard of the kind's own.
IN_THE_RUNTIME = {"numbers": "dict", "set": "value", "seen": "value", "opaque": "like"}


class Program:
    """A capture that has taken all arguments as they are, and writes to none."""

    def __init__(self, leaf):
        self.inputs = [part for part in leaf.leaves() if not part.kind.is_constant]

    def index(self, leaf):
        return self.inputs.index(leaf) if leaf in self.inputs else None

    def sizes(self, leaf):
        return list(leaf.shape)

    def is_written(self, leaf):
        return False

    def has_strides(self, leaf):
        return False

    def flags(self, leaf):
        return 0

    def instance(self, leaf):
        return 0, True

    def opaque(self, leaf):
        return 0

    def container(self, leaf):
        return None


def pattern_of(obj):
    leaf = classify(obj, "p")
    return leaf.kind.pattern(leaf, Program(leaf))


def test_each_kind_has_an_example():
    assert [kind.name for kind in KINDS if kind is not NO_OBJECT] == list(EXAMPLES)


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_kind_takes_its_own_objects(name):
    obj, text = EXAMPLES[name]
    leaf = classify(obj, "p")
    pattern = pattern_of(obj)
    assert leaf.kind.name == pattern[0] == name
    assert guard(pattern, leaf.rebuilt(), {})[0] == IN_THE_RUNTIME.get(name, name)
    assert guard_texts(pattern, "p")[0].startswith(text)
    for other, _ in EXAMPLES.values():
        if other is not obj:
            with pytest.raises(Mismatch):
                guard(pattern, other, {})


def test_numbers_that_programs_depend_on_are_values():
    leaf = classify(3, "n")
    assert leaf.signature(set()) == ("scalar", "int")
    assert leaf.signature({"n"}) == ("value", "int:3")
    program = Program(leaf)
    program.inputs.clear()
    assert leaf.kind.pattern(leaf, program) == ["value", "int:3"]
    assert classify(3, "n", symbolic=False).kind.name == "value"


def test_a_symbol_has_one_size():
    pattern = ["array", 0, "float64", ["n0", "n0"], "C", False]
    symbols = {}
    taken = guard(pattern, np.zeros((3, 3)), symbols)
    assert taken == ("array", 0, "float64", (("sym", 0, 2), ("sym", 0, 2)), "C", False)
    assert symbols == {"n0": 3}
    for shape in ((3, 4), (4, 4), (1, 1)):
        with pytest.raises(Mismatch):
            guard(pattern, np.zeros(shape), {"n0": 3})
    with pytest.raises(Mismatch):
        guard(pattern, np.zeros((1, 1)), {})


def test_a_symbol_of_any_size():
    pattern = ["array", 0, "float64", ["n0?", "n0?"], "C", False]
    for size in (0, 1, 7):
        taken = guard(pattern, np.zeros((size, size)), {})
        assert taken == ("array", 0, "float64", (("sym", 0, 0), ("sym", 0, 0)), "C", False)
    with pytest.raises(Mismatch):
        guard(pattern, np.zeros((0, 1)), {})


def test_what_is_of_no_kind_is_refused():
    with pytest.raises(UnsupportedError, match="`p` is an object of type tuple_iterator"):
        classify(iter(()), "p")


def test_objects_that_programs_look_at_are_told_from_others():
    leaf, made = classify(Made(), "p"), Made()
    pattern = pattern_of(leaf.obj)
    assert guard(pattern, made, {}) == ("like", made, False)
    seen = [*pattern[:3], True]
    symbols = {}
    assert guard(seen, made, symbols) == ("is", made)
    with pytest.raises(Mismatch):
        guard(seen, leaf.obj, symbols)
    with pytest.raises(Mismatch):
        guard([seen[0], 1, *seen[2:]], made, symbols)
