"""Detours: Python functions that answer calls which no program answers."""

import functools
import gc
import weakref

import numpy as np
import pytest
from binding_support import no_match
from quernel._runtime import Detour, Function


def taken(*args, **kwargs):
    return ("taken", args, kwargs)


def detoured(*parameters, kwnames=(), target=taken):
    made = Function(lambda: None, no_match)
    made.add(
        Detour(target, nargs=len(parameters) - len(kwnames), kwnames=kwnames, parameters=parameters)
    )
    return made


def test_calls_are_handed_on_as_they_are():
    compiled = detoured(("like", 1, False), ("value", "a"), kwnames=("mode",))
    assert compiled(3, mode="a") == ("taken", (3,), {"mode": "a"})
    assert compiled(3, mode="b")[0] == "miss"
    assert compiled(3, "a")[0] == "miss"
    assert compiled(3.0, mode="a")[0] == "miss"
    assert compiled.counters() == {"calls": 4, "memory_hits": 0, "detoured": 1}


def test_arrays_of_a_kind():
    x = np.zeros((2, 3))
    compiled = detoured(("like", x, False))
    for good in (x, np.zeros((7, 0)), np.zeros((4, 4)).T, np.zeros((4, 4))[::2]):
        assert compiled(good)[0] == "taken"
    swapped = x.astype(x.dtype.newbyteorder())
    unaligned = np.frombuffer(b"x" * 33, np.uint8)[1:].view(np.float64).reshape(2, 2)
    for other in (np.zeros(6), np.zeros((2, 3), np.float32), swapped, unaligned, [1.0], None):
        assert compiled(other)[0] == "miss"
    assert detoured(("like", unaligned, False))(unaligned)[0] == "taken"


def test_arrays_of_a_shape():
    compiled = detoured(("like", np.zeros((2, 3)), True))
    assert compiled(np.ones((2, 3)))[0] == "taken"
    assert compiled(np.ones((3, 2)))[0] == "miss"


def test_objects_of_a_type():
    class Own:
        pass

    class Other(Own):
        pass

    compiled = detoured(("like", Own(), False))
    assert compiled(Own())[0] == "taken"
    assert compiled(Other())[0] == "miss"


def test_arrays_of_other_dtypes():
    compiled = detoured(("like", np.array(["a", "bc"]), False))
    assert compiled(np.array(["xy"]))[0] == "taken"
    assert compiled(np.array(["abc"]))[0] == "miss"
    assert compiled(np.array([None]))[0] == "miss"


def test_containers():
    compiled = detoured(("tuple", [("like", 1, False), ("dict", ["k"], [("like", 1.0, False)])]))
    assert compiled((5, {"k": 2.0}))[0] == "taken"
    assert compiled((5, {"k": 2}))[0] == "miss"


def test_the_traceback_has_the_called_functions_frames_alone():
    def fails(x):
        raise KeyError(x)

    compiled = detoured(("like", 1, False), target=fails)
    with pytest.raises(KeyError) as caught:
        compiled(4)
    names = [entry.name for entry in caught.traceback]
    assert names == ["test_the_traceback_has_the_called_functions_frames_alone", "fails"]


def test_detours_are_forgotten():
    compiled = detoured(("like", 1, False))
    compiled.clear_detours()
    assert compiled(1)[0] == "miss"


def test_a_detour_to_the_function_itself_is_collected():
    def own():
        pass

    compiled = Function(own, no_match)
    compiled.add(Detour(compiled.__call__, nargs=0, parameters=()))
    gone = weakref.ref(compiled)
    del compiled
    gc.collect()
    assert gone() is None


@pytest.mark.parametrize(
    ("make", "kind", "text"),
    [
        (lambda: Detour(3, nargs=0, parameters=()), TypeError, "not int"),
        (lambda: Detour(len, nargs=1, parameters=()), ValueError, "0 guards for 1 arguments"),
        (lambda: Detour(len, nargs=1, parameters=[("like", 1)]), ValueError, "exact"),
        (lambda: Detour(len, nargs=1, parameters=[("like", 1, 2)]), TypeError, "exact"),
    ],
)
def test_wrong_forms(make, kind, text):
    with pytest.raises(kind, match=text):
        make()


def test_many_answers_of_many_kinds():
    examples = [np.zeros((1,) * rank, dtype) for rank in range(5) for dtype in "fdbhilBHIL"]
    made = Function(lambda: None, no_match)
    for k, example in enumerate(examples):
        target = functools.partial(lambda k, x: k, k)
        made.add(Detour(target, nargs=1, parameters=[("like", example, False)]))
    for _ in range(2):
        assert [made(example) for example in examples] == list(range(len(examples)))
        assert made(np.zeros(1, complex))[0] == "miss"
        assert made(1)[0] == "miss"
    # Arrays of one kind that lie otherwise, turn by turn.
    for order in "CFCF":
        matrices = [np.zeros((2, 3), example.dtype, order=order) for example in examples[20:30]]
        assert [made(matrix) for matrix in matrices] == list(range(20, 30))
    # One more of a kind that is known by now, which is tried first.
    made.add(Detour(lambda x: "new", nargs=1, parameters=[("like", np.zeros(7), True)]))
    assert [made(np.zeros(7)), made(np.zeros(6))] == ["new", 11]
    made.clear_detours()
    assert made(examples[0])[0] == "miss"
