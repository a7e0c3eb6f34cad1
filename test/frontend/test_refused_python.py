"""What of Python is refused: the text that says so, and where."""

from __future__ import annotations

import ast
import copy
import functools
import sys
import time
import types
from pathlib import Path

import numpy as np
import pytest
from numpy.lib.stride_tricks import sliding_window_view as windows
from refusal_texts import Sources, unseen, untested
from refusal_texts import test_strings as strings_of_tests

import quernel as qn
from quernel.arguments.leaf_kinds import Mismatch

X = np.linspace(0.5, 3.5, 12)
LONG = np.ones(5000)
COUNT = 0


class Masked(np.ndarray):
    """A subclass of ndarray."""


def rises(x):
    global COUNT
    COUNT = 1
    return x + 1


def outer():
    count = 0

    def inner(x):
        nonlocal count
        count = 1
        return x + 1

    return inner


def read_only(x):
    y = x + 1
    y.flags.writeable = False
    return y


def other_dtype(x):
    y = x + 1
    y.dtype = np.int64
    return y


def other_strides(x):
    y = x + 1
    y.strides = (-8,)
    return y


def one_of_two(x, look):
    """A look at one of two arrays, which data choose."""
    a, b = x.reshape(3, 4) + 1, (x.reshape(4, 3) + 1).T
    y = a if x[0] > 1 else b
    y[0] = 1
    return look(y), a, b


def resizes_argument(x):
    x.resize(20)
    return x


def resizes_in_loop(x):
    y = x + 1
    for n in range(20, 400, 20):
        if x[0] < n:
            y.resize(n)
    return y


def resizes_fortran(x):
    y = np.asfortranarray(x.reshape(3, 4) + 1)
    y.resize(2, 4)
    return y


def deep(x, n=0):
    return deep(x, n + 1)


def guarded_case(x):
    match x[0]:
        case 0.5 if x[1] > 0:
            return x
    return -x


def odd_case(x):
    match x[0]:
        case float():
            return x
    return -x


def reshaped_inside(x):
    for _ in range(3):
        x.shape = (3, 4)
    return x + 1


def deletes(x):
    del x.shape
    return x


def counts_calls(x):
    @functools.lru_cache
    def cached(n):
        return n

    cached(1)
    return x + cached.cache_info().hits


def picked_type(x):
    n = 1 if x[0] > 0 else 1.5
    return x + (1 if isinstance(n, int) else 2) + (3 if type(n) is int else 4)


def prints(x):
    print(x)
    return x


def opened(x):
    n = 1
    for value in x:
        if value > 2:
            n = 1.5
        elif value > 1:
            n = 1
    return n


def open_index(x):
    return x if x[0] > 9 else x[opened(x)]


def copies_an_iterator(x):
    items = iter([1, 2])
    other = copy.copy(items)
    return x + next(other)


class Point:
    pass


class Odd(list):
    """A list with something more."""


ODD = Odd()


def reads_odd(x):
    return x + len(str(ODD))


HELD = [np.zeros(3)]
GIVING = types.ModuleType("giving")
GIVING.__getattr__ = lambda name: HELD  # so that nobody sees what it has


def writes_late(x):
    for k in range(len(x)):
        GIVING.held[0][k] = x[k]
    return x


class Scaled:
    scale = 2.0

    def act(self, x):
        return x * self.scale

    @classmethod
    def within(cls):
        class Inner:
            count = 0

        return Inner


INNER = Scaled.within()


def replaces_a_method(x):
    Scaled.act = 3
    return x


def counts_inside(x):
    INNER.count = 1
    return x


def helps(x):
    return x + 1


def marks_a_function(x):
    helps.marked = True
    return x


def marks_numpy(x):
    np.marked = True
    return x


def marks_a_class(x):
    Odd.marked = True
    return x


def writing_condition(x):
    while np.add(x, 1, out=x)[0] < 9:
        if x[1] > 2:
            break
        x[1] = 2
    else:
        x[2] = 3
    return x


def many(x):
    return [[x * k + j for k in range(90)] for j in range(90)]


def keeps_a_part_in_some_turns(x):
    y = x[:1]
    for k, value in enumerate(x):
        x = x + 1
        if value > 1:
            y = x[k : k + 1]
    return x, y


REFUSED = [
    (lambda x: x + 1, (X.view(Masked),), "`x` is a Masked, a subclass of ndarray"),
    (lambda x: x, (X.astype("g"),), "`x` has dtype float128"),
    (lambda x: x["a"], ({Point(): X},), "`x` is a dict with a key of type Point"),
    (lambda x: x, (iter(()),), "`x` is an object of type tuple_iterator"),
    (lambda x: list(x)[-1], (LONG,), "a Python loop over the 5000 rows of an array"),
    (lambda x: f"{x}", (X,), "the text of an array or of its elements"),
    (lambda x: {x[0]: 1}, (X,), "hashing an array element"),
    (lambda x: x.ctypes, (X,), "the array attribute `.ctypes` is not supported yet"),
    # memory
    (lambda x: windows(x, 2).base, (X,), "`.base` of a view that NumPy makes from another object"),
    (read_only, (X,), "changing `.writeable` of an array's flags"),
    (lambda x: x.copy().setflags(write=0), (X,), "`.setflags()`, which changes the flags"),
    (lambda x: x.tobytes(), (X,), "`.tobytes()`, which gives bytes of Python's"),
    (other_dtype, (X,), "assigning to `.dtype`"),
    (other_strides, (X,), "assigning to `.strides`"),
    (
        lambda x: one_of_two(x, lambda y: y.view(np.uint8) + 1),
        (X,),
        "`.view()` as a dtype of another size where only data say how the array lies",
    ),
    (
        lambda x: one_of_two(x, lambda y: y.flags.c_contiguous),
        (X,),
        "the order of an array of which only data say how it lies",
    ),
    (
        lambda x: one_of_two(x, lambda y: y[1:].base),
        (X,),
        "`.base` of a view that NumPy makes from another object",
    ),
    (lambda x: x.base, (X[:3],), "`.base` of `x`, which is a view"),
    (lambda x: x[1:].base, (X[:3],), "`.base` of `x`, which is a view"),
    (
        lambda x, y: (x if x[0] > 1 else y).flags.writeable,
        (X, np.broadcast_to(X, X.shape)),
        "the flag WRITEABLE where data choose the array",
    ),
    (resizes_argument, (X,), "resizing an argument, or an array whose size data say"),
    (resizes_in_loop, (X,), "resizing an array inside of a loop or branch"),
    (resizes_fortran, (X,), "resizing an array that isn't in C order"),
    (lambda x: x.view(">f8"), (X,), "`.view()` of an array as >f8"),
    (lambda x: x.view(np.matrix), (X,), "`.view()` of an array as another class"),
    (lambda x: x[x > 1][::2].strides, (X,), "the array attribute `.strides` where data decide the"),
    (lambda x: x[0].item(), (X.astype("u8"),), "`.item()` of a uint64, which may be too large"),
    (lambda x: x.tolist(), (LONG,), "`.tolist()` of an array of many elements"),
    (
        lambda x: [1, 2.5, "a", None, x, (), []][x[0]],
        (np.array([1]),),
        "an element that is only known when the function runs",
    ),
    (lambda x: [v for v in (1, 2) if x[0] > v], (X,), "a comprehension that selects by data"),
    (lambda x: {1.5: x + 1}, (X,), "returning a dict with keys that aren't strings or integers"),
    (
        lambda x: np.zeros((2,) * int(x[0])),
        (X,),
        "an index, an axis or a count from a number that is only known",
    ),
    (rises, (X,), "assigning to the global `COUNT`"),
    (outer(), (X,), "assigning to the outer variable `count`"),
    (deep, (X,), "a recursion of more than"),
    (guarded_case, (X,), "a guard of a case that depends on data"),
    (odd_case, (X,), "a pattern of this kind"),
    (reshaped_inside, (X,), "assigning to `.shape` inside of a loop or branch"),
    (deletes, (X,), "deleting an attribute"),
    (counts_calls, (X,), "what a cache has counted"),
    (prints, (X,), "print() has an effect that compiled code can't have"),
    (lambda x: min("a", x[0]), (X,), "min() or max() of this"),
    (
        lambda x: x if x[0] > 9 else x * opened(x) ** 0.5,
        (X,),
        "a power of a number whose type data decide",
    ),
    (
        lambda x: x if x[0] > 9 else x * ~opened(x),
        (X * 0,),
        "an operation on a number that is a float or not, as data decide",
    ),
    (
        lambda x: x if x[0] > 9 else x * (1 | opened(x)),
        (X * 0,),
        "an operation on a number that is a float or not, as data decide",
    ),
    (lambda x: np.array([x[:, None], x[None]], dtype=object), (X,), "dtype object"),
    (open_index, (X,), "an index that is float or int, as data decide"),
    (
        lambda x: x if x[0] > 9 else x + opened(x).bit_length(),
        (X,),
        "`.bit_length` of a number that is float or int, as data decide",
    ),
    (
        lambda x: x if x[0] > 9 else x * (type(opened(x)) is int),
        (X,),
        "the type of a number, which data decide: float or int",
    ),
    (
        lambda x: x if x[0] > 9 else np.asarray(opened(x)),
        (X,),
        "a dtype that depends on whether a number is float or int",
    ),
    (copies_an_iterator, (X,), "copying an iterator"),
    (
        lambda x: x + time.time(),
        (X,),
        "a call of `time` (time.time), which may give another result at each call",
    ),
    (reads_odd, (X,), "`ODD` is an object of type Odd, read from outside of the function"),
    (replaces_a_method, (X,), "changing `act` of the class Scaled, which is no number or object"),
    (
        counts_inside,
        (X,),
        "assigning to `Inner.count`, a class that no module has",
    ),
    (lambda x: x * Scaled.__dict__["scale"], (X,), "`.__dict__` of a class"),
    (marks_a_function, (X,), "changing `.marked` of a function"),
    (marks_numpy, (X,), "assigning to `numpy.marked`"),
    (marks_a_class, (X,), "changing `.marked` of the class `Odd`"),
    (writes_late, (X,), "arguments that are written share memory with others"),
    (writing_condition, (X,), "a condition of a loop that writes to an array"),
    (many, (X,), " operations: compiling it would take more than"),
    (
        lambda x: x + hasattr(print.shape, "x"),
        (X,),
        "an attribute of a function that isn't compiled",
    ),
    (lambda x: x + len(str(np.linalg.inv)), (X,), "the text of a function"),
    (lambda x: x + len(f"{[opened]}"), (X,), "the text of a function"),
    (
        keeps_a_part_in_some_turns,
        (X,),
        "returning several arrays that share memory in some turns of a loop only",
    ),
]


@pytest.mark.parametrize(("function", "arguments", "text"), REFUSED, ids=[c[2] for c in REFUSED])
def test_what_is_refused(function, arguments, text) -> None:
    with pytest.raises(qn.errors.UnsupportedError) as refusal:
        qn.compile(function, fullgraph=True)(*arguments)
    assert text in refusal.value.reason


def refusal(function, *arguments, **options) -> qn.errors.UnsupportedError:
    with pytest.raises(qn.errors.UnsupportedError) as raised:
        qn.compile(function, fullgraph=True, **options)(*arguments)
    return raised.value


def plus(x):
    return x + 1


def adds(a, b):
    a += b
    return a


def test_what_changes_while_it_is_captured(monkeypatch) -> None:
    def changed(*args: object) -> None:
        raise Mismatch

    monkeypatch.setattr("quernel.call.build.bind", changed)
    compiled = qn.compile(lambda x: x + 1, fullgraph=True)
    with pytest.raises(qn.errors.UnsupportedError) as raised:
        compiled(np.ones(3))
    assert "what the function reads from outside changes while it is captured" in str(raised.value)


def test_no_compiler(monkeypatch) -> None:
    from quernel.call.build import compiler

    compiler.cache_clear()
    monkeypatch.setitem(sys.modules, "quernel._compiler", None)
    monkeypatch.delattr("quernel._compiler", raising=False)
    try:
        assert "this installation has no compiler (" in refusal(plus, X).reason
    finally:
        compiler.cache_clear()


def test_a_compiler_that_fails(monkeypatch) -> None:
    from quernel.call.build import compiler

    def fail(*_: object) -> None:
        raise RuntimeError("no way")

    monkeypatch.setattr(compiler(), "compile", fail)
    found = refusal(plus, X)
    assert (found.reason, found.hint) == ("the compiler failed: no way", "please report this")


def test_a_program_that_cannot_be_loaded(monkeypatch) -> None:
    def fail(*_: object) -> None:
        raise OSError("not a library")

    monkeypatch.setattr("quernel.call.function.Dispatcher.install", fail)
    assert refusal(plus, X).reason == "the compiled program can't be loaded: not a library"


def test_a_capture_that_fails(monkeypatch) -> None:
    def fail(*_: object) -> None:
        raise ArithmeticError("lost")

    monkeypatch.setattr("quernel.call.build.capture", fail)
    assert refusal(plus, X).reason == "ArithmeticError while capturing: lost"


def test_a_fork_amid_a_compile(monkeypatch) -> None:
    monkeypatch.setattr("quernel._runtime.forked_amid_section", lambda: True)
    reason = "this process was forked while another thread was compiling"
    assert refusal(plus, X).reason == reason


def test_overlaps_that_have_no_common_array() -> None:
    a = np.ones(9)
    b = a.view(np.int32)[:9]
    text = (
        "arguments that are written share memory with others (among b, a), and their dtypes differ"
    )
    assert text in refusal(adds, a[1:], b[:8]).reason


def test_overlaps_in_a_function_without_source() -> None:
    names: dict = {}
    exec("def adds(a, b):\n    a += b\n    return a", names)
    x = np.ones(9)
    assert refusal(names["adds"], x[1:], x[:-1]).reason == "the function's source can't be found"


def test_too_many_values_of_a_number() -> None:
    compiled = qn.compile(lambda x, n: x.reshape((1,) * n + (-1,)), fullgraph=True)
    text = "the value of `n` has to be part of the program, and there were more than 8"
    for n in range(8):
        compiled(X, n)
    with pytest.raises(qn.errors.UnsupportedError, match=text):
        [compiled(X, n) for n in (8, 9)]


async def asynchronous(x):
    return x + 1


def defines_asynchronous(x):
    async def inner(y):
        return y

    return x + 1


def test_asynchronous_functions() -> None:
    assert refusal(asynchronous, X).reason == "a call of the asynchronous function asynchronous()"
    assert refusal(defines_asynchronous, X).reason == "an asynchronous function"


LISTED = Path(__file__).with_name("refusals_without_tests.txt")


def test_every_refusal_is_quoted() -> None:
    """What the list names has no test yet; a refusal that gets one leaves it."""
    listed = set(LISTED.read_text().splitlines())
    without = {str(one) for one in untested()}
    assert sorted(without - listed) == [], "refusals without a test"
    assert sorted(listed - without) == [], "refusals that have a test, or are gone"


def test_every_refusal_is_seen() -> None:
    """Refusals whose texts stand elsewhere: in another refusal, a file of the cache, a manifest,
    the compiler."""
    files = ["call/build.py", "call/known_refusals.py", "call/programs.py", "capture/kept.py"]
    assert [text.partition(":")[0] for text in unseen()] == [*files, "report/lowered.py"]


MADE_UP = """
class Reason:
    def __init__(self, obj, text):
        self.obj, self.text = obj, text

def first(tracer, why, count):
    tracer.fail(why)

def second(tracer):
    chosen = "text of a name" if tracer else "text of another"
    first(tracer, chosen, 1)
    first(tracer, why="text of a keyword", count=2)
    tracer.fail(*TABLE.get(1, ("text of a default",)))
    tracer.fail(Reason(1, "text of an object").text)
    tracer.check(1, IN_NUMPY, "text of a check", 3)
    tracer.fail(*third())
    tracer.fail(tracer.compute())

def third():
    return "text that a function gives", "hint"

TABLE = {1: ("text of a table", "hint")}
"""


def test_where_texts_of_refusals_are_looked_for() -> None:
    found = Sources({"made_up.py": ast.parse(MADE_UP)})
    texts = {"a name", "another", "a keyword", "a default", "a table", "an object", "a check"}
    wanted = {f"text of {text}" for text in texts} | {"text that a function gives"}
    assert {one.text for one in found.found} == wanted
    assert found.unseen == {"made_up.py: tracer.fail(tracer.compute())"}


def test_what_counts_as_a_quote() -> None:
    text = " ".join(("hashing", "an array", "element"))
    others = [quote for quote in strings_of_tests() if quote not in text and text not in quote]

    def is_quoted(*quotes: str) -> bool:
        return text not in [one.text for one in untested([*others, *quotes])]

    assert not is_quoted()
    assert is_quoted(f"refused: {text}, really")
    assert is_quoted(text[:16])
    assert not is_quoted(text[:11])
    assert not is_quoted(text[7:16])
