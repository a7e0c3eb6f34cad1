"""Guards of numbers, values and containers, and of what a function reads from outside."""

import numpy as np
import pytest
from binding_support import array, function

# Scalars

INT64 = 2**63


@pytest.mark.parametrize(
    ("kind", "good", "dtype", "others"),
    [
        ("float", [1.5, -0.0, float("inf")], "float64", [1, True, np.float64(1), "1"]),
        (
            "complex",
            [1 + 2j, complex(-0.0, float("inf"))],
            "complex128",
            [1.0, np.complex128(1), np.complex64(1), 1],
        ),
        ("int", [7, -INT64, INT64 - 1], "int64", [INT64, -INT64 - 1, 1.0, True, np.int64(1)]),
        ("bool", [True, False], "bool", [1, 0, np.True_, None]),
        ("np.float64", [np.float64(2.5)], "float64", [2.5, np.float32(2.5)]),
        ("np.float32", [np.float32(2.5)], "float32", [2.5, np.float64(2.5), np.array(2.5, "f4")]),
        ("np.bool", [np.True_, np.False_], "bool", [True, 1]),
        ("np.complex64", [np.complex64(1 + 2j)], "complex64", [1 + 2j, np.complex128(1)]),
        ("np.complex128", [np.complex128(1 - 2j)], "complex128", [1 - 2j, np.complex64(1)]),
        *(
            (f"np.{name}", [np.dtype(name).type(100)], name, [100, np.float64(100)])
            for name in "int8 int16 int32 int64 uint8 uint16 uint32 uint64".split()
        ),
    ],
)
def test_scalars(make, kind, good, dtype, others):
    parameters = [("scalar", 0, kind), ("scalar", 1, kind)]
    outputs = [("int64", (2, 2))]
    compiled = function(make("slots", parameters, outputs=outputs, result=("output", 0)))
    for obj in good:
        for slot in compiled(obj, obj):
            assert slot.tobytes()[: np.dtype(dtype).itemsize] == np.array(obj, dtype).tobytes()
    for obj in others:
        assert compiled(good[0], obj)[0] == "miss"


# Lists and dicts that are numbered, changed and given back

ANY_LIST = ("list", None)


def test_a_list_of_any_items(fits):
    assert all(fits(ANY_LIST, obj) for obj in ([], [object()], list(range(1000))))
    assert not any(fits(ANY_LIST, obj) for obj in ((), None, {}, type("L", (list,), {})()))


def test_a_dict_of_some_keys(fits):
    guard = ("entries", ["b", 2], ["a"], [("value", 1)])
    assert all(fits(guard, obj) for obj in ({"a": 1}, {3: 4, "a": 1, object(): 2}))
    for obj in ({}, {"a": 2}, {"a": 1, "b": 1}, {"a": 1, 2.0: 1}, [("a", 1)]):
        assert not fits(guard, obj)


def test_the_order_of_keys(fits):
    ordered = ("dict", ["a", "b"], [("value", 1), ("value", 2)], True)
    assert fits(ordered, {"a": 1, "b": 2}) and not fits(ordered, {"b": 2, "a": 1})
    assert fits((*ordered[:3], False), {"b": 2, "a": 1})


def test_lists_of_other_numbers_are_other_lists(make):
    twice = [("numbered", 0, ANY_LIST), ("numbered", 0, None)]
    both = [("numbered", 0, ANY_LIST), ("numbered", 1, ANY_LIST)]
    one, other = [], []
    for guards, holds in ((twice, True), (both, False)):
        compiled = function(make("nothing", guards))
        assert (compiled(one, one) is None) == holds
        assert (compiled(one, other) is None) != holds


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [(1, 2, [1, "a", 3]), (3, 3, [1, 2, 3, "a"]), (2**62, 2**62, [1, 2, 3, "a"]), (0, 3, ["a"])],
)
def test_items_of_a_list_are_assigned(make, low, high, expected):
    places, values = [("items", 0, low, high)], [("list", [("const", "a")])]
    result = ("assign", ("instance", 0), places, values)
    obj = [1, 2, 3]
    assert function(make("nothing", [("numbered", 0, ANY_LIST)], result=result))(obj) is obj
    assert obj == expected


@pytest.mark.parametrize("holds", [True, False])
def test_what_is_assigned_perhaps(make, holds):
    guards = [("numbered", 0, ANY_LIST), array(0, (3,)), ("scalar", 1, "int")]
    result = ("assign", ("number", 1), [("items", 0, 0, 0, 0)], [("list", [("const", "a")])])
    outputs, obj = [("bool", ()), ("int64", ())], []
    compiled = function(make("tell_bool", guards, outputs=outputs, result=result))
    compiled(obj, np.zeros(3), int(holds))
    assert obj == (["a"] if holds else [])


def test_keys_of_a_dict_are_assigned(make):
    places = [("keys", 0, ["a", "no"], ["c", "a"])]
    result = ("assign", ("const", None), places, [("tuple", [("const", 5), ("const", 6)])])
    guard = ("numbered", 0, ("entries", [], [], []))
    obj = {"a": 1, "b": 2}
    function(make("nothing", [guard], result=result))(obj)
    assert list(obj.items()) == [("b", 2), ("c", 5), ("a", 6)]
    result = (*result[:3], [("tuple", [])])
    with pytest.raises(TypeError, match="keys are those of a dict"):
        function(make("nothing", [guard], result=result))(obj)


# Values, identities, containers


class Peculiar:
    def __eq__(self, other):
        raise ValueError("no comparison")

    __hash__ = None


@pytest.mark.parametrize(
    ("value", "same", "others"),
    [
        (1, [1], [1.0, True, 2, np.int64(1)]),
        (2**70, [2**70], [2**70 + 1]),
        (True, [True], [1, False]),
        (0.0, [0.0], [-0.0, 0, False, float("nan")]),
        (float("nan"), [float("nan"), -float("nan")], [1.0, np.float64("nan")]),
        (1j, [1j], [1, -1j, complex(-0.0, 1)]),
        ("axis", ["".join(["ax", "is"])], ["axes", b"axis", None]),
        (None, [None], [0, False]),
        ((1, (2.0, "x")), [(1, (2.0, "x"))], [(1.0, (2.0, "x")), (1, (2.0, "y")), (1,), [1]]),
        (frozenset([1, 2.5]), [frozenset([2.5, 1])], [frozenset([1.0, 2.5]), frozenset([1])]),
        (slice(1, None, 2), [slice(1, None, 2)], [slice(1, 5, 2), slice(1.0, None, 2)]),
        (range(3), [range(3)], [range(0, 3, 2), range(0, 4, 1)]),
        (range(0), [range(0)], [range(1, 1)]),
        (np.float32(0.1), [np.float32(0.1)], [np.float64(0.1), np.float32(0.2)]),
        (np.float32("nan"), [-np.float32("nan")], [np.float32(1), np.float64("nan")]),
        (np.float16(0.0), [np.float16(0.0)], [np.float16(-0.0)]),
        (np.int32(3), [np.int32(3)], [3, np.int64(3), np.int32(4)]),
        (np.dtype("f4"), [np.dtype("float32")], [np.dtype("f8"), np.float32]),
        (
            np.datetime64("2020-01-01"),
            [np.datetime64("2020-01-01")],
            [np.datetime64("2020-01-01", "s"), np.datetime64("2021-01-01")],
        ),
    ],
    ids=repr,
)
def test_values(fits, value, same, others):
    guard = ("value", value)
    assert fits(guard, value)
    for obj in same:
        assert fits(guard, obj)
    for obj in [*others, Peculiar(), np.zeros(3)]:
        assert not fits(guard, obj)


def test_errors_of_comparisons_stay_inside(make):
    class Awkward(Peculiar):
        equal = True
        __hash__ = None

        def __eq__(self, other):
            if not self.equal:
                raise ValueError("no comparison")
            return True

    expected, given = Awkward(), Awkward()
    compiled = function(make("nothing", [("value", expected)]))
    assert compiled(given) is None
    Awkward.equal = False
    assert compiled(given)[0] == "miss"
    assert compiled(expected) is None


def test_identity(fits):
    obj = [1]
    assert fits(("is", obj), obj)
    assert not fits(("is", obj), [1])


def test_containers(make):
    guards = [
        ("tuple", [("value", 1), array(0, (2,))]),
        ("list", [("list", []), array(1, (2,))]),
        ("dict", ["x", 3], [array(2, (2,)), ("value", None)]),
    ]
    parts = [("input", k) for k in range(3)]
    compiled = function(make("nothing", guards, result=("tuple", parts)))
    x, y, z = np.zeros((3, 2))
    answer = compiled((1, x), [[], y], {3: None, "x": z})
    assert answer[0] is x
    assert answer[1] is y
    assert answer[2] is z
    for other in [(1,), [1, x], (1, x, x), (2, x), (1, None)]:
        assert compiled(other, [[], y], {3: None, "x": z})[0] == "miss"
    for other in [([], y), [(), y], [[1], y], [[]]]:
        assert compiled((1, x), other, {3: None, "x": z})[0] == "miss"
    for other in [{"x": z}, {"x": z, 4: None}, {"x": z, 3: None, 4: 5}, {"x": z, 3: 1}, [], 1]:
        assert compiled((1, x), [[], y], other)[0] == "miss"


def test_subclasses_of_containers_dont_fit(fits):
    class Items(list):
        pass

    class Named(tuple):
        __slots__ = ()

    class Keyed(dict):
        pass

    assert not fits(("list", []), Items())
    assert not fits(("tuple", []), Named())
    assert not fits(("dict", [], []), Keyed())


def test_comparison_that_changes_the_list(make):
    class Emptying:
        __hash__ = None

        def __eq__(self, other):
            items.clear()
            return True

    items = [Emptying(), np.zeros(3)]
    compiled = function(
        make("nothing", [("list", [("value", Emptying()), array(0, (3,))])], result=("input", 0))
    )
    assert compiled(items)[0] == "miss"
    assert items == []


# What a function reads from outside


def test_globals(make):
    namespace = {"scale": 2, "table": np.arange(3.0)}
    extras = [
        (namespace, "scale", ("value", 2)),
        (namespace, "table", array(0, (3,))),
    ]
    compiled = function(make("nothing", [], extras=extras, result=("input", 0)))
    assert compiled() is namespace["table"]
    namespace["scale"] = 3
    assert compiled()[0] == "miss"
    namespace["scale"] = 2
    namespace["table"] = np.ones(3)
    assert compiled() is namespace["table"]
    del namespace["scale"]
    assert compiled()[0] == "miss"


def test_cells(make):
    scale = 2

    def inner():
        return scale

    (cell,) = inner.__closure__
    compiled = function(make("nothing", [], extras=[(cell, None, ("value", 2))]))
    assert compiled() is None
    scale = 3
    assert compiled()[0] == "miss"
    cell.cell_contents = 2
    assert compiled() is None
    del cell.cell_contents
    assert compiled()[0] == "miss"


def test_names_that_are_missing(make):
    namespace = {}

    class Base:
        pass

    class Derived(Base):
        pass

    extras = [(namespace, "scale", None), (Derived, "scale", None)]
    compiled = function(make("nothing", [], extras=extras))
    assert compiled() is None
    namespace["scale"] = 2
    assert compiled()[0] == "miss"
    del namespace["scale"]
    Base.scale = 2
    assert compiled()[0] == "miss"
    del Base.scale
    assert compiled() is None


def test_attributes_that_an_object_lacks(fits):
    class Base:
        default = 1

    class Plain(Base):
        pass

    class Slotted(Base):
        __slots__ = ("slot",)

    plain, slotted = Plain(), Slotted()
    for obj in (plain, slotted):
        names = ["default", "none", *(["slot"] if obj is slotted else [])]
        guard = ("object", 0, type(obj), names, [], [])
        assert fits(guard, obj)
        for name in names:
            setattr(obj, name, 2)
            assert not fits(guard, obj), name
            delattr(obj, name)
            assert fits(guard, obj)


def test_attributes_that_a_class_gets(make):
    class Plain:
        default = 1

    guard = ("object", 0, Plain, ["default", "none"], [], [])
    compiled = function(make("nothing", [guard]))
    obj = Plain()
    assert compiled(obj) is None
    Plain.default = 2  # what it is, a guard of the class says
    assert compiled(obj) is None
    Plain.none = None
    assert compiled(obj)[0] == "miss"
    del Plain.none
    assert compiled(obj) is None


def test_how_many_attributes_an_object_has(fits):
    class Plain:
        pass

    class Slotted:
        __slots__ = ("k",)

    obj = Plain()
    for count in range(3):
        assert [fits(("object", 0, Plain, [], [], [], n), obj) for n in range(3)] == [
            n == count for n in range(3)
        ]
        setattr(obj, f"k{count}", 1)
    assert fits(("object", 0, Slotted, [], [], [], 0), Slotted())
