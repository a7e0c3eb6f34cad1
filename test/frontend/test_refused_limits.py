"""Refusals of what is too much for a capture, and of what keeps it from going on for ever."""

import warnings

import numpy as np
import pytest

import quernel as qn
from quernel.capture import branches, contents, loops, trace
from quernel.errors import UnsupportedError
from quernel.traced import tracer

X = np.arange(1.0, 7.0)


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    """A cache of its own: a refusal by a limit that a test has set isn't for other tests."""
    monkeypatch.setenv("QUERNEL_CACHE_DIR", str(tmp_path))


def reason(function, *args):
    with pytest.raises(UnsupportedError) as raised:
        qn.compile(function, fullgraph=True)(*args)
    return raised.value.reason


def by_sides(x):
    y = 1
    if x[0] > 2:
        y = x[1]
    return y


def by_turns(x):
    s = 0
    for v in x:
        s = s + v
    return s


def appends(x):
    found = []
    for k in range(40):
        found.append(x * k)
    return found[-1]


def test_sides_that_do_not_agree(monkeypatch):
    monkeypatch.setattr(branches, "_ATTEMPTS", 0)
    assert reason(by_sides, X) == "a branch whose sides can't be made to agree"


def test_a_loop_without_types(monkeypatch):
    monkeypatch.setattr(loops, "_ATTEMPTS", 0)
    assert reason(by_turns, X) == "a loop whose variables can't be given types"


def test_turns_one_by_one(monkeypatch):
    monkeypatch.setattr(loops, "_UNROLL_LIMIT", 30)
    assert reason(appends, X) == "a loop of more than 30 turns that can't be compiled as a loop"
    monkeypatch.setattr(loops, "_UNROLL_LIMIT", 40)
    qn.cache.clear()
    assert np.array_equal(qn.compile(appends, fullgraph=True)(X), X * 39)


def test_many_lists(monkeypatch):
    def nests(x):
        many = [[k] for k in range(200)]
        if x[0] > 0:
            x = x + many[3][0]
        return x

    monkeypatch.setattr(contents, "LIMIT", 100)
    assert reason(nests, X).startswith("more than 100 lists and other objects that loops or")
    monkeypatch.setattr(contents, "LIMIT", 1000)
    qn.cache.clear()
    assert np.array_equal(qn.compile(nests, fullgraph=True)(X), X + 3)


def test_work(monkeypatch):
    monkeypatch.setattr(tracer, "_AGAIN_LIMIT", 3)
    monkeypatch.setattr(tracer, "_TIMES_AGAIN", 0)
    text = "loops and branches within each other that have to be captured too many times"
    assert reason(by_turns, X) == text


def test_work_that_grows_with_the_graph(monkeypatch):
    monkeypatch.setattr(tracer, "_AGAIN_LIMIT", 3)
    monkeypatch.setattr(tracer, "_TIMES_AGAIN", 4)
    assert qn.compile(by_turns, fullgraph=True)(X) == by_turns(X)


def other_dtype_in_turns(a, d):
    w = d
    for x in d:
        for _ in a[1:]:
            d = d * min(0.5, x)
        w = d
        for k in range(2):
            w = w * 0.5 + k
    return d, w


def test_copies_of_a_loop_share_what_they_find_out(monkeypatch):
    """Each of them by itself would take 1,900 operations."""
    monkeypatch.setattr(tracer, "_AGAIN_LIMIT", 1500)
    args = X, np.arange(6)
    pairs = qn.compile(other_dtype_in_turns, fullgraph=True)(*args), other_dtype_in_turns(*args)
    for got, want in zip(*pairs, strict=True):
        assert got.dtype == want.dtype and np.array_equal(got, want)


def by_number_of_turns(x, n):
    for k in range(n):
        x[k] += 1
    return x if n > 1 else -x


def test_restarts(monkeypatch):
    monkeypatch.setattr(trace, "_RESTART_LIMIT", 1)
    text = "the function's branches depend on too many of its arguments"
    assert reason(by_number_of_turns, X, 2) == text


def test_a_restart_that_knows_nothing_new(monkeypatch):
    monkeypatch.setattr(tracer.Choices, "learn", lambda *args: False)
    assert reason(by_number_of_turns, X, 2) == "a number that can't be followed through"


def test_a_program_that_refuses_its_own_call(monkeypatch):
    compiled = qn.compile(by_turns)
    monkeypatch.setattr(type(compiled.stats.__self__), "_retry", lambda *args: NotImplemented)
    with pytest.warns(qn.errors.FallbackWarning, match="the program doesn't take the call"):
        assert compiled(X) == by_turns(X)


def test_a_diagonal_of_a_size_by_data():
    def trace_of(x, n):
        return np.trace(x[: int(n[0])])

    text = "a diagonal of a matrix whose sizes the program doesn't know"
    assert reason(trace_of, np.ones((3, 4)), np.array([2])) == text


def test_arrays_of_numpys_own_that_are_no_numbers():
    def days(x):
        return np.busday_offset(["2011-10-11"], 0), x + 1

    assert reason(days, X) == "an array of dtype datetime64[D]"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        got, want = qn.compile(days)(X), days(X)
    assert got[0].dtype == want[0].dtype and np.array_equal(got[0], want[0])


def goes_deeper(x, k):
    return x if x[0] > 100 else goes_deeper(x * 2, int(x[0]))


def test_a_recursion_that_data_end() -> None:
    text = "a recursion of goes_deeper() of which data decide how deep it is"
    assert reason(goes_deeper, X * 1e-6, 1) == text


def test_an_expression_of_many_terms_is_no_limit(tmp_path):
    terms = " + ".join(f"x * {k}.0" for k in range(1500))
    path = tmp_path / "terms.py"
    path.write_text(f"def terms(x):\n    return {terms}\n")
    space = {}
    exec(compile(path.read_text(), str(path), "exec"), space)
    terms = space["terms"]
    np.testing.assert_allclose(qn.compile(terms, fullgraph=True)(X), terms(X), rtol=1e-12)
