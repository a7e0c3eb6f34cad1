"""A refusal is kept for the kind of what no program takes: calls with another kind compile."""

from __future__ import annotations

import collections
import functools
import importlib
import sys
import time
import types
import warnings

import numpy as np
import pytest

import quernel as qn

TEXTS = np.array(["1", "2"], object)
DAYS = np.array(["2020-01-01"], "M8[D]")
X = np.array([1.0, 2.0])
Pair = collections.namedtuple("Pair", "a b")

SOURCE = """
import numpy as np

class Model:
    scale = 2.0

    def __init__(self, x):
        self.x = x

    def sum(self, y):
        return (self.x * y).sum()

class Slotted:
    __slots__ = ("x", "other")

    def __init__(self, x):
        self.x = x
        self.other = None

class Outer:
    def __init__(self, x):
        self.inner = Model(x)
        self.many = [x, x]
        self.table = {"x": x}

TABLE = None
HOLDER = Model(None)

def attribute(m):
    return np.sqrt(m.x * m.x + 1).sum()

def attribute_in_loop(m):
    total = 0.0
    for k in range(3):
        total += (m.x * k).sum()
    return total

def deep(o):
    return o.inner.x.sum()

def item_of_attribute(o):
    return o.many[1].sum()

def value_of_attribute(o):
    return o.table["x"].sum()

def item(values):
    return values[0].sum()

def value(d):
    return d["x"].sum()

def field(pair):
    return pair.a.sum() + pair.b

def variadic(*values):
    return values[1].sum()

def outside():
    return (TABLE * 2).sum()

def outside_object():
    return (HOLDER.x * 2).sum()

def applied(f, y):
    return f(y)
"""


@pytest.fixture
def module(tmp_path, monkeypatch):
    """The functions above in a module, with an empty cache."""
    monkeypatch.setenv("QUERNEL_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "taking.py").write_text(SOURCE)
    importlib.invalidate_caches()
    yield importlib.import_module("taking")
    del sys.modules["taking"]


def closing(x):
    return lambda y: (x * y).sum()


def made(module, name):
    """What makes the arguments of a function that hold an array, or what stands for it."""
    model, outer = module.Model, module.Outer

    def outside(x):
        module.TABLE = module.HOLDER.x = x
        return ()

    return {
        "attribute": lambda x: (types.SimpleNamespace(x=x),),
        "attribute_in_loop": lambda x: (model(x),),
        "deep": lambda x: (outer(x),),
        "item_of_attribute": lambda x: (outer(x),),
        "value_of_attribute": lambda x: (outer(x),),
        "item": lambda x: ([x, 1.0],),
        "value": lambda x: ({"x": x, "n": 1},),
        "field": lambda x: (Pair(x, 1.0),),
        "variadic": lambda x: (1.0, x),
        "outside": outside,
        "outside_object": outside,
        "applied": lambda x: (model(x).sum, 2.0),
    }[name]


def told(compiled, function, args):
    """The texts of the warnings of a call, whose answer is compared with NumPy's."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        got, want = outcome(compiled, args), outcome(function, args)
    assert got == want
    return [str(item.message) for item in caught if item.category is qn.FallbackWarning]


def outcome(function, args):
    try:
        return function(*args)
    except TypeError as error:
        return type(error), str(error)


NAMES = [
    "attribute", "attribute_in_loop", "deep", "item_of_attribute", "value_of_attribute", "item",
    "value", "field", "variadic", "outside", "outside_object", "applied",
]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_another_kind_compiles(module, name):
    function, arguments = getattr(module, name), made(module, name)
    compiled = qn.compile(function)
    for k in range(3):
        said = told(compiled, function, arguments(TEXTS))
        assert len(said) == (k == 0), said
    for _ in range(2):
        assert told(compiled, function, arguments(X)) == []
    stats = compiled.stats()
    assert (stats["compiles"], stats["memory_hits"]) == (1, 1)
    # The refusal holds as before, and so does the program.
    assert told(compiled, function, arguments(TEXTS)) == []
    assert told(compiled, function, arguments(X * 2)) == []
    assert compiled.stats()["compiles"] == 1
    assert compiled.stats()["fallbacks"] == 4


@pytest.mark.parametrize("name", NAMES)
def test_in_later_processes_too(module, name):
    function, arguments = getattr(module, name), made(module, name)
    told(qn.compile(function), function, arguments(TEXTS))
    compiled = qn.compile(function)
    assert told(compiled, function, arguments(X)) == []
    assert compiled.stats()["compiles"] == 1
    again = qn.compile(function)
    assert len(told(again, function, arguments(TEXTS))) == 1
    assert told(again, function, arguments(X)) == []
    assert again.stats()["disk_hits"] == 1


def test_each_kind_that_is_refused_is_told(module):
    compiled = qn.compile(module.attribute)
    said = []
    for x in (TEXTS, DAYS, TEXTS, np.array(["a"]), DAYS, X, np.array([1], np.longdouble)):
        said += told(compiled, module.attribute, (module.Model(x),))
    assert [text.partition("dtype ")[2].split()[0] for text in said] == [
        "object", "datetime64[D]", "<U1", "longdouble"[:0] + str(np.dtype(np.longdouble))
    ]  # fmt: skip


def test_what_a_refused_kind_holds_for(module):
    """Other values of the other attributes don't end it."""
    compiled = qn.compile(module.attribute)
    for k in range(6):
        m = types.SimpleNamespace(x=np.array(["1"] * k, object), other=k)
        assert len(told(compiled, module.attribute, (m,))) == (k == 0)
    assert compiled.stats()["fallbacks"] == 6


def test_slots(module):
    compiled = qn.compile(module.attribute)
    assert told(compiled, module.attribute, (module.Slotted(TEXTS),))
    assert told(compiled, module.attribute, (module.Slotted(X),)) == []
    assert compiled.stats()["compiles"] == 1


@pytest.mark.filterwarnings("ignore::quernel.FallbackWarning")
def test_functions_are_refused_by_their_code(module):
    compiled = qn.compile(module.applied)
    assert compiled(lambda y: np.from_dlpack(y)[0], X) == 1.0
    assert compiled(lambda y: (y * 2).sum(), X) == 6.0
    assert compiled.stats()["compiles"] == 1
    assert compiled(closing(TEXTS), np.array([2, 3])) == "11222"
    assert compiled(closing(X), np.array([2, 3])) == 8.0
    assert compiled.stats()["compiles"] == 2
    assert compiled(functools.partial(closing(TEXTS)), np.array([2, 3])) == "11222"
    assert compiled(functools.partial(closing(X)), np.array([2, 3])) == 8.0
    assert compiled.stats()["compiles"] == 3


@pytest.mark.filterwarnings("ignore::quernel.FallbackWarning")
def test_many_kinds_of_items(module):
    """Where many lists were refused for an item, those without such a one compile all the same."""
    compiled = qn.compile(module.item)
    for k in range(1, 14):
        compiled([TEXTS, *range(k)])
    for k in range(1, 5):
        assert compiled([X, *range(k)]) == 3.0
    assert compiled.stats()["compiles"] == 4
    assert compiled.stats()["fallbacks"] == 13


def grows(w, ids, n):
    for _ in range(n):
        ids.append(int(np.argmax(w[range(len(ids))].sum(0))) % 3)
    return ids[-n:]


def fills(x, d):
    d[len(d)] = float(np.from_dlpack(x)[0])
    return d


def appends(m, i):
    y = m.w[i]
    m.seen.append(i)
    return np.from_dlpack(y)[0, 0]


@pytest.fixture
def captures(monkeypatch):
    """How many functions have been captured."""
    from quernel.call import build

    seen, original = [], build.capture
    monkeypatch.setattr(build, "capture", lambda *args: seen.append(1) or original(*args))
    return seen


W = np.random.default_rng(1).random((50, 8))
CHANGING = {
    grows: lambda: (W, [1, 2, 3, 4], 5),
    fills: lambda: (X, {0: 1.0}),
    appends: lambda: (types.SimpleNamespace(w=W, seen=[]), np.array([1, 2])),
}


@pytest.mark.filterwarnings("ignore::quernel.FallbackWarning")
@pytest.mark.parametrize("fails", [False, True])
@pytest.mark.parametrize("function", CHANGING, ids=lambda f: f.__name__)
def test_arguments_that_are_changed_are_remembered_as_they_were(
    captures, own_cache, monkeypatch, function, fails
):
    if fails:  # an exception where the compiler itself is wrong
        monkeypatch.setattr("quernel.capture.trace.ResultTree", None)
    compiled, arguments = qn.compile(function), CHANGING[function]
    for k in range(12):
        got, want = arguments(), arguments()
        np.testing.assert_equal(compiled(*got), function(*want))
        np.testing.assert_equal(list(map(str, got)), list(map(str, want)))
        if k == 5:
            count = len(captures)
    assert len(captures) == count


@pytest.mark.filterwarnings("ignore::quernel.FallbackWarning")
def test_a_list_attribute_that_grows_is_captured_a_few_times(captures, own_cache):
    compiled = qn.compile(appends)
    m, i = types.SimpleNamespace(w=W, seen=[]), np.array([1, 2])
    for k in range(60):
        assert compiled(m, i) == W[1, 0]
        if k == 30:
            count = len(captures)
    assert len(captures) == count and len(m.seen) == 60


def counted(graph, v):
    r = np.zeros(len(graph))
    for i, ns in enumerate(graph):
        for j in ns:
            r[i] += v[j]
    return r


def first(values, v):
    return values[0] * v


def nested(depth):
    values = [1.0]
    for _ in range(depth):
        values = [values]
    return values


def innermost(values, v):
    while type(values) is list:
        values = values[0]
    return values * v


LONG = [
    (counted, lambda: ([[k % 50, 1, 2, 3] for k in range(100)], np.ones(60))),
    (first, lambda: ([2.0, object(), *range(300)], X)),
    (first, lambda: ({k: float(k) for k in range(300)}, X)),
    (innermost, lambda: (nested(40), X)),
]


@pytest.mark.filterwarnings("ignore::quernel.FallbackWarning")
@pytest.mark.parametrize(("function", "arguments"), LONG)
def test_a_container_that_is_too_much_is_remembered(function, arguments, monkeypatch, own_cache):
    from quernel.call import function as call

    asked = []
    prepared = call.Dispatcher.call_of
    monkeypatch.setattr(
        call.Dispatcher, "call_of", lambda *args: asked.append(1) or prepared(*args)
    )
    compiled = qn.compile(function)
    for k in range(12):
        np.testing.assert_array_equal(compiled(*arguments()), function(*arguments()))
        if k == 5:
            count = len(asked)
    assert len(asked) == count and compiled.stats()["fallbacks"] == 12


def test_what_such_a_refusal_costs(own_cache):
    """NumPy's own time, and a few microseconds."""
    args = ([[k % 50, 1, 2, 3] for k in range(100)], np.ones(60))
    compiled = qn.compile(counted)
    with pytest.warns(qn.FallbackWarning):
        compiled(*args)

    times = {compiled: [], counted: []}
    for _ in range(500):
        for function, taken in times.items():
            start = time.perf_counter()
            function(*args)
            taken.append(time.perf_counter() - start)
    assert min(times[compiled]) < min(times[counted]) + 40e-6


def by_numbers(values, x):
    return np.from_dlpack(x) * values[2] if len(values) > 3 else x * values[0]


@pytest.mark.filterwarnings("ignore::quernel.FallbackWarning")
def test_a_refusal_of_a_long_list_of_numbers_is_remembered(captures, own_cache):
    compiled = qn.compile(by_numbers)
    values = [float(k) for k in range(300)]
    for k in range(12):
        given = [*values, 1.0] * (k + 1)
        np.testing.assert_array_equal(compiled(given, X), by_numbers(given, X))
        if k == 5:
            count = len(captures)
    assert len(captures) == count and compiled.stats()["fallbacks"] == 12
    assert compiled([3.0, 1.0], X)[0] == 3.0 and compiled.stats()["compiles"] == 1


def overlapping(d, y):
    d[0][1:] += 1
    y *= 2
    return y.sum()


@pytest.mark.filterwarnings("ignore::quernel.FallbackWarning")
def test_a_call_whose_arguments_overlap_looks_for_no_program(own_cache, monkeypatch):
    from quernel.call.preparing import Preparing

    seen, original = [], Preparing.prepare
    monkeypatch.setattr(Preparing, "prepare", lambda *args: seen.append(1) or original(*args))
    compiled = qn.compile(overlapping)
    for k in range(8):
        one, other = np.arange(10.0), np.arange(10.0)
        assert compiled([one], one[1:]) == overlapping([other], other[1:])
        np.testing.assert_array_equal(one, other)
        if k == 2:
            count = len(seen)
    assert len(seen) == count < 8


THINGS = [TEXTS, *range(300)]


def outside_list(x):
    return x * len(THINGS[1:3])


@pytest.mark.filterwarnings("ignore::quernel.FallbackWarning")
def test_a_long_list_outside_is_remembered(captures, own_cache, monkeypatch):
    compiled = qn.compile(outside_list)
    for k in range(8):
        np.testing.assert_array_equal(compiled(X), X * 2)
        if k == 2:
            count = len(captures)
    assert len(captures) == count
    monkeypatch.setitem(globals(), "THINGS", [1.0, 2.0, 3.0])
    np.testing.assert_array_equal(compiled(X), X * 2)
    assert compiled.stats()["compiles"] == 1


def drawn(a, b):
    return a.random(3) + b.random(3)


@pytest.mark.filterwarnings("ignore::quernel.FallbackWarning")
def test_two_generators_compile_after_one_that_is_there_twice(own_cache):
    compiled = qn.compile(drawn)
    for _ in range(4):
        one, other = np.random.default_rng(1), np.random.default_rng(1)
        np.testing.assert_array_equal(compiled(one, one), drawn(other, other))
    pairs = [[np.random.default_rng(k) for k in (1, 2)] for _ in "ab"]
    np.testing.assert_array_equal(compiled(*pairs[0]), drawn(*pairs[1]))
    assert compiled.stats()["compiles"] == 1 and compiled.stats()["fallbacks"] == 4


@pytest.mark.filterwarnings("ignore::quernel.FallbackWarning")
def test_short_lists_compile_after_long_ones(own_cache):
    compiled = qn.compile(first)
    for _ in range(3):
        compiled([2.0, object(), *range(300)], X)
    before = compiled.stats()["fallbacks"]
    np.testing.assert_array_equal(compiled([2.0, 1.0], X), X * 2)
    assert compiled.stats()["compiles"] == 1 and compiled.stats()["fallbacks"] == before


class Odd:
    """An object that has no kind: what it has, its own `__getattribute__` says."""

    def __init__(self, **attributes):
        vars(self).update(attributes)

    def __getattribute__(self, name):
        return object.__getattribute__(self, name)


SHOWN = Odd(it=iter(()), n=2.0)
TABLE = collections.OrderedDict(it=iter(()), n=2.0)
QUEUE = collections.deque([iter(()), 2.0])


def of_object(x):
    a = SHOWN.it
    return x * SHOWN.n if a is not None else x


def of_table(x):
    a = TABLE["it"]
    return x * TABLE["n"] if a is not None else x


def of_queue(x):
    a = QUEUE[0]
    return x * QUEUE[1] if a is not None else x


SEEN = {
    of_object: (lambda: vars(SHOWN).update(it=None), lambda: vars(SHOWN).update(it=iter(()))),
    of_table: (lambda: TABLE.update(it=None), lambda: TABLE.update(it=iter(()))),
    of_queue: (lambda: QUEUE.__setitem__(0, None), lambda: QUEUE.__setitem__(0, iter(()))),
}


@pytest.mark.parametrize("function", SEEN)
@pytest.mark.filterwarnings("ignore::quernel.FallbackWarning")
def test_what_an_object_shows_is_refused_as_long_as_it_is_of_its_kind(
    captures, own_cache, function
):
    mended, spoiled = SEEN[function]
    for _ in range(2):  # of the second, the disk knows
        spoiled()
        compiled = qn.compile(function)
        for k in range(8):
            spoiled()
            np.testing.assert_array_equal(compiled(X), X * 2)
            if k == 2:
                count = len(captures)
        assert len(captures) == count
        mended()
        np.testing.assert_array_equal(compiled(X), X)
        assert compiled.stats()["fallbacks"] == 8


def by_mode(x, given):
    if "odd" in given:
        return x * len(iter(()).__reduce__())
    return x * 2


def by_object(x, given):
    if given.odd:
        return x * len(iter(()).__reduce__())
    return x * 2


GIVEN = {
    by_mode: (lambda: {"odd"}, lambda: {"even"}),
    by_object: (lambda: Odd(odd=True), lambda: Odd(odd=False)),
}


@pytest.mark.parametrize("function", GIVEN)
@pytest.mark.filterwarnings("ignore::quernel.FallbackWarning")
def test_a_refusal_for_one_set_or_object_is_none_for_others(own_cache, function):
    odd, even = (make() for make in GIVEN[function])
    for _ in range(2):
        compiled = qn.compile(function)
        for _ in range(3):
            np.testing.assert_array_equal(compiled(X, odd), function(X, odd))
        np.testing.assert_array_equal(compiled(X, even), X * 2)
        np.testing.assert_array_equal(compiled(X, odd), function(X, odd))
        stats = compiled.stats()
        assert stats["fallbacks"] == 4 and stats["compiles"] + stats["disk_hits"] == 1


HELD = {"a": TEXTS, "b": X}
HOLDING = types.SimpleNamespace(held=HELD)
LISTED = [TEXTS, X]


def reads_key(x, held):
    held["n"] = 1
    return x * held["a"].sum()


def reads_deep_key(x, held):
    held["n"] = 1
    return x * held["in.side"]["a"].sum()


def reads_attribute(x, holder):
    holder.held["n"] = 1
    return x * holder.held["a"].sum()


def reads_outside(x):
    HELD["n"] = 1
    return x * HELD["a"].sum()


def reads_object_outside(x):
    HOLDING.held["n"] = 1
    return x * HOLDING.held["a"].sum()


def counts_items(x, held):
    return x * len(held) * held[1]


def counts_outside(x):
    return x * len(LISTED) * LISTED[1]


def spoils(content, item):
    """The arguments of a function that puts what it reads into `content` before each call."""

    def put(n, given):
        content.update({"a": given, n: None})
        return ()

    return put if item is None else lambda n, given: (put(n, given), (item(content),))[1]


def listed(n, given):
    LISTED[:] = [given, X]
    return ()


OPEN = {
    reads_key: lambda n, given: ({"a": given, n: None},),
    reads_deep_key: lambda n, given: ({"in.side": {"a": given, n: None}, n: object()},),
    reads_attribute: lambda n, given: (types.SimpleNamespace(held={"a": given, n: None}),),
    reads_outside: spoils(HELD, None),
    reads_object_outside: spoils(HELD, None),
    counts_items: lambda n, given: ([given, X],),
    counts_outside: listed,
}


@pytest.mark.parametrize("function", OPEN)
@pytest.mark.filterwarnings("ignore::quernel.FallbackWarning")
def test_what_lists_and_dicts_hold_is_refused_by_its_kind(captures, own_cache, function):
    make = OPEN[function]
    numbers = np.array([1, 2], object)
    for _ in range(2):  # of the second, the disk knows
        compiled = qn.compile(function)
        for n in range(13):
            args = make(n, numbers)
            expected = function(X, *args)
            np.testing.assert_array_equal(compiled(X, *make(n, numbers)), expected)
            if n == 9:  # each of a few with other keys, then all
                count = len(captures)
        assert len(captures) == count
        np.testing.assert_array_equal(compiled(X, *make(7, X)), function(X, *make(7, X)))
        stats = compiled.stats()
        assert stats["fallbacks"] == 13 and stats["compiles"] + stats["disk_hits"] == 1
