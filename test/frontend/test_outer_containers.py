"""Lists and dicts from outside that functions change, beside Python itself."""

from __future__ import annotations

import copy
import json
import operator
import os
import subprocess
import sys
import typing
import warnings

import numpy as np
import pytest

import quernel as qn
from quernel.errors import FallbackWarning, UnsupportedError

X = np.arange(6.0)
PAST: list = []
MADE: dict = {}


class Model:
    registered: typing.ClassVar[list] = []

    def __init__(self):
        self.past, self.made, self.total = [], {"other": "a text"}, 0.0
        self.weights = {"w": np.ones(6), "b": 0.5}


class Value:
    def __init__(self, value):
        self.value = value


def seen(obj, known=None):
    """All that can be seen of an object: types, values, keys in order, which are one object."""
    known = {} if known is None else known
    if isinstance(obj, (list, dict, np.ndarray, Model, Value)):
        if id(obj) in known:
            return ("again", known[id(obj)])
        known[id(obj)] = len(known)
    if isinstance(obj, (list, tuple)):
        return (type(obj), [seen(item, known) for item in obj])
    if isinstance(obj, dict):
        return (dict, [(repr(key), seen(item, known)) for key, item in obj.items()])
    if isinstance(obj, (Model, Value)):
        return (type(obj), seen(vars(obj), known))
    return (type(obj), repr(obj))


def outcome(function, args):
    """What a call gives, raises and warns of, and what is there then."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            result = function(*args)
        except Exception as error:
            result = (type(error), str(error))
    texts = [str(one.message) for one in told if one.category is not FallbackWarning]
    return seen([result, list(args), PAST, MADE, Model.registered]), texts


def forget():
    for outside in (PAST, MADE, Model.registered):
        outside.clear()


def outcomes(function, make, calls):
    """The outcomes of calls one after the other, of the same arguments."""
    forget()
    args = make()
    return [outcome(function, args) for _ in range(calls)]


@pytest.fixture(autouse=True)
def clean():
    forget()
    yield
    forget()


# What is done to lists


def appends(h, x):
    h.append(x.sum())
    h.append(x)
    return x * 2


def sets_items(h, x):
    h[0] = x
    h.insert(1, x + 1)
    h[-1], h[1] = h[1], h[-1]
    return len(h)


def takes_items(h, x):
    first, last = h.pop(0), h.pop()
    del h[0]
    h[1:2] = [last, x]
    return first


def orders(h, x):
    h.sort()
    h.reverse()
    h.remove(2)
    h += [x, 1]
    h *= 2
    return h


def sorts_by(h, x):
    h.sort(key=lambda item: -item)
    return x + h[0]


def clears(h, x):
    h.clear()
    h.extend(x[:2])
    return h


def adds_an_array(h, x):
    h += x[: len(h)]
    return h


def adds_a_number(h, x):
    h.append(1)
    h += 5


def keeps_views(h, x):
    y = x + 1
    h.append(y)
    h.append(y[::2])
    h.append(y)
    x[0] = 5
    return y


def swaps_arrays(h):
    h[0], h[1] = h[1], h[0]
    h[0][0] = 9.0
    return h[1]


def holds_itself(h, x):
    h.append(h)
    return x


def two_lists(a, b, x):
    a.append(x.sum())
    b.append(2.0)
    return len(a), a is b


def one_in_the_other(a, b, x):
    a.append(b)
    b.append(x)
    return a


def by_its_method(h, x):
    add = h.append
    add(x.sum())
    list(map(add, [1, 2]))
    return [h.append(3) for _ in range(2)]


def by_a_helper(h, x):
    def log(past, value):
        past += [value, value * 2]

    log(h, x.max())
    return h


def in_turns(h, x):
    for i in range(len(x)):
        h.append(x[i])
    return h


def in_many_turns(h, x):
    for i in range(40):
        h.append(i)
        x = x * 1.5
    return x


def of_what_data_choose(h, x, y):
    h.append(x if x.sum() > 3 else y)
    h.append(1.5 if x[0] > 0 else 2)
    return h[-2]


def what_the_list_is(h, x):
    h.append(x.sum())
    return type(h) is list, isinstance(h, (list, dict)), h is None, [h] == [[]], bool(h)


def copies(h, x):
    h.append(2.0)
    other = copy.copy(h)
    other.append(x)
    return other, h.copy(), h[:], [*h], h + [1], [1] + h, sum(h), sorted(h), h == [2.0], 2.0 in h


def holds_arrays(h, x):
    h.append(x)
    return np.stack(h), np.concatenate(h), np.sum(h, axis=0)


def changes_objects(h, x):
    h.append(Value(x))
    h[0].value = x
    h.append(h[0])
    return h[-1] is h[0]


def layers(h, x):
    for k, (w, b) in enumerate(h):
        h[k] = (w * 0.9, b - 1)
        x = x * h[k][0] + h[k][1]
    return x


# What is done to dicts


def sets_keys(d, x):
    d["w"] = d["w"] * 0.5 + x
    d[1] = d[2.5] = d["a", 1] = x
    d[None] = d[b"x"] = d[True] = 5
    return d["w"]


def steps_down(d, x):
    d["w"] -= 0.1 * x
    d["b"] = d["b"] + x.sum()
    return d["w"].sum()


def takes_keys(d, x):
    value = d.pop("w")
    d["w"] = value
    del d["b"]
    d.setdefault("c", x + 1)
    d.update(q=x, w=3.5)
    return d.popitem()


def asks_for_keys(d, x):
    d["a"] = x.sum()
    d["e"] = d["a"] + d["b"]
    d.update({"f": x}, g=2)
    d |= {"h": 3}
    return d.get("no"), d.get("no", 7), "f" in d, "no" in d, d.setdefault("b", 1), d


def lacks_a_key(d, x):
    d["a"] = x
    return d["no"]


def cannot_hash(d, x):
    d["a"] = x
    return d[[1]]


def looks_at_all(d, x):
    d["a"] = x.sum()
    return len(d), list(d), {**d}, d.copy(), dict(d), d == {}, sorted(d), bool(d)


def in_a_loop_over_keys(d, x):
    for key in d:
        d[key] = d[key] * 0.5
    return x


def gets_longer_in_a_loop(d, x):
    for key in d:
        d[key + "x"] = x


def nested(d, x):
    d.setdefault("a", {}).setdefault("b", []).append(x.sum())
    d["h"] = [x]
    past = d["h"]
    past.append(3)
    return past, d["a"]["b"]


def in_a_rolled_loop(d, x):
    d["n"] = 1.0
    for i in range(len(x)):
        if x[i] > 2:
            d["w"][i] = x[i] * 2
    return x


def other_turns(d, x):
    for _ in range(40):
        d["w"] = d["w"] * 0.5 + x
    return d["w"]


def by_operators(d, x):
    operator.setitem(d, "q", x)
    return operator.getitem(d, "q")


def same_dict(a, b, x):
    a["w"] = x
    return b["w"]


# Memory that names lead to as well


def writes_on_a_path(h, x):
    y = x + 1
    h.append(y)
    if x.sum() > 0:
        y = y * 2
    y[0] = 7.0
    return y


def writes_after_turns(d, x):
    y = x + 1
    d["y"] = MADE["y"] = y
    for i in range(len(x)):
        if x[i] > 2:
            y = y * 2
    y[0] = 7.0
    return y


def changes_places(d, x):
    a, b = x + 1, x * 2
    d["a"] = a
    for i in range(5):
        a, b = b, a
        a[i] = i
    return a, b


# Where data decide


def on_both_paths(h, x):
    if x.sum() > 0:
        h.append(x.sum())
        h.append("positive")
    else:
        h.append(-1)
    h.append(x)
    return x


def on_nested_paths(h, x):
    if x.sum() > 0:
        h.append(1.5)
    if x[1] > 0:
        if x[2] > 90:
            h.append("a text")
        else:
            h.append(x * 2)
            h.append([x, {"x": x}])
    h.append("end")
    return x


def behind_a_return(h, x):
    if x.sum() < 0:
        return x
    h.append(x.max())
    PAST.append(1)
    if x.sum() > 100:
        raise ValueError("big")
    h.append(2)
    return x + 1


def in_some_turns(h, x):
    for i in range(len(x)):
        if x[i] > 2:
            h.append(x[i])
            MADE[i] = i
    return x


def where_caught(h, x):
    try:
        if x[0] > 1:
            h.append("above")
        y = x[int(x[1])]
        h.append(y)
    except IndexError:
        h.append("none")
        y = 0.0
    return y


def memory_on_a_path(h, x):
    y, z = x + 1, x - 1
    if x.sum() > 0:
        h.append(y)
        h.append(z)
    else:
        h.append(z)
        y = z
    y[0] = 9.0
    return y, z


def one_of_two(a, b, x):
    chosen = a if x.sum() > 0 else b
    chosen.append(1.0)
    return x


def the_best(d, x):
    if x.sum() > d["b"]:
        d["b"] = x.sum()
        d["arg"] = x
    return d["b"]


def other_keys(d, x):
    if x.sum() > 0:
        d["a"], d["b"] = 1, 2.0
    else:
        d["c"], d["b"] = x, 3
    d["z"] = 0
    return d.setdefault("new", 1)


def other_items(d, x):
    w = d["w"]
    if x.sum() > 0:
        d["w"] = w * 0.5
    else:
        w -= 1
    d.setdefault("past", []).append(x.max())
    return d["w"]


def the_best_of_an_object(m, x):
    total = x.sum()
    if total > m.total:
        m.total = total
        m.past.append(total)
        m.made["best"] = x
    return total


def in_another_order(d, x):
    if x.sum() > 0:
        d["a"] = d["c"] = 1
    else:
        d["c"] = d["a"] = 2


def again_behind_it(d, x):
    if x.sum() > 0:
        d["a"] = 1
    d["q"] = 2
    d["a"] = 3


def length_on_a_path(h, x):
    if x.sum() > 0:
        h.append(1.0)
        return len(h)
    return 0


# Exceptions


def raises_behind(h, x):
    h.append(1.0)
    if x.sum() > 100:
        raise ValueError("big")
    return x


def raises_with_it(h, x):
    if x.sum() > 100:
        h.append("big")
        raise ValueError("big")
    return x + 1


def raises_in_turns(h, x):
    for i in range(len(x)):
        if x[i] > 100:
            h.append(i)
            raise ValueError("big")
    return x


def index_behind(h, x, i):
    h.append(x[i])
    y = x[i + 1]
    h.append(y)
    return y


def catches(h, x, i):
    try:
        h.append(1)
        y = x[i]
    except IndexError:
        h.append("none")
        y = 0.0
    return y


def pops_of_none(h, x):
    h.pop()
    return x


def deletes_of_none(d, x):
    d["q"] = x
    del d["no"]


def no_method(h, x):
    h.append(1)
    h.push(2)


def no_argument(h, x):
    h.append()


# Floating-point warnings


def warns_and_appends(h, x):
    h.append(np.log(x))
    h[0] = h[0] + 1
    return 1 / x


def warns_and_sets(d, x):
    d["k"] = np.sqrt(x - 3)
    d.pop("w", None)
    return x


# Objects, and what is read from outside


def of_objects(m, x):
    m.total = m.total + x.sum()
    m.past.append(m.total)
    return x


def remembers(m, x):
    if "exp" not in m.made:
        m.made["exp"] = np.exp(x)
    return m.made["exp"]


def learns(m, x):
    m.weights["w"] -= 0.1 * x
    m.weights["b"] = m.weights["b"] + 1
    return m.weights["w"].sum()


def gives_back(m, x):
    m.past = [x]
    m.past.append(m)
    return m.past


def keeps_a_list(m, h, x):
    m.past = h
    h.append(x)
    return m.past is h


def of_the_class(m, x):
    m.registered.append(x.sum())
    Model.registered.append(2)
    return x


def of_globals(x):
    PAST.append(x.mean())
    MADE["last"] = x
    return len(MADE)


def late_globals(x):
    for i in range(20):
        if x[0] > -1:
            x = x * 1.5
        PAST.append(i)
    return x


def late_and_raises(x):
    if x.sum() > 100:
        PAST.append("big")
        raise ValueError("big")
    return x + 1


def a_global_as_well(h, x):
    h.append(x.sum())
    PAST.append(1)
    return h is PAST


def one_list():
    both = []
    return (both, both, X.copy())


def one_dict():
    both = {"w": 1.0}
    return (both, both, X.copy())


def both_in_an_object():
    m = Model()
    return (m, m.past, X.copy())


def weights():
    return {"w": np.ones(6), "b": 0.5}


BIG = X + 100
ROWS = [
    *(
        (function, lambda: ([], X.copy()))
        for function in (
            appends, keeps_views, holds_itself, by_its_method, by_a_helper, in_turns, in_many_turns,
            what_the_list_is, copies, adds_a_number, adds_an_array, raises_behind, raises_with_it,
            raises_in_turns, pops_of_none, no_method, no_argument, a_global_as_well,
        )
    ),
    *(
        (function, lambda x=x: ([], x.copy()))
        for x in (X, -X, BIG)
        for function in (
            on_both_paths, on_nested_paths, behind_a_return, in_some_turns, where_caught,
            memory_on_a_path,
        )
    ),
    *((one_of_two, lambda x=x: ([], [], x.copy())) for x in (X, -X)),
    *(
        (function, lambda x=x: (weights(), x.copy()))
        for x in (X, -X)
        for function in (the_best, other_keys, other_items)
    ),
    *((the_best_of_an_object, lambda x=x: (Model(), x.copy())) for x in (X, -X)),
    *((writes_on_a_path, lambda x=x: ([], x.copy())) for x in (X, -X)),
    *((writes_after_turns, lambda x=x: ({}, x.copy())) for x in (X, -X)),
    (changes_places, lambda: ({}, X.copy())),
    *((f, lambda: ([], BIG.copy())) for f in (raises_behind, raises_with_it, raises_in_turns)),
    *((f, lambda: ([5, 2, 1, 3], X.copy())) for f in (sets_items, takes_items, orders, sorts_by)),
    *((f, lambda: ([5, 2.5, 1], X[:3].copy())) for f in (clears, adds_an_array, copies)),
    (holds_arrays, lambda: ([np.ones(6)], X.copy())),
    (changes_objects, lambda: ([Value(1.5)], X.copy())),
    (layers, lambda: ([(np.ones(6), np.ones(6)) for _ in range(3)], X.copy())),
    (swaps_arrays, lambda: ([X.copy(), X + 1],)),
    (two_lists, lambda: ([], [], X.copy())),
    (two_lists, one_list),
    (one_in_the_other, lambda: ([], [], X.copy())),
    (of_what_data_choose, lambda: ([], X.copy(), X + 1)),
    (of_what_data_choose, lambda: ([], X * 0, X + 1)),
    *(
        (function, lambda: (weights(), X.copy()))
        for function in (
            sets_keys, steps_down, takes_keys, asks_for_keys, lacks_a_key, cannot_hash,
            looks_at_all, in_a_loop_over_keys, gets_longer_in_a_loop, nested, in_a_rolled_loop,
            other_turns, by_operators, deletes_of_none, warns_and_sets,
        )
    ),
    (same_dict, lambda: ({"w": 1.0}, {"w": 2.0}, X.copy())),
    (same_dict, one_dict),
    *((index_behind, lambda i=i: ([], X.copy(), i)) for i in (2, 5, 9)),
    *((catches, lambda i=i: ([], X.copy(), i)) for i in (2, 9)),
    (warns_and_appends, lambda: ([X.copy()], X.copy())),
    *((f, lambda: (Model(), X.copy())) for f in (of_objects, remembers, learns, gives_back)),
    (keeps_a_list, lambda: (Model(), [], X.copy())),
    (keeps_a_list, both_in_an_object),
    (of_the_class, lambda: (Model(), X.copy())),
    *((f, lambda: (X.copy(),)) for f in (of_globals, late_globals, late_and_raises)),
    (late_and_raises, lambda: (BIG.copy(),)),
    (a_global_as_well, lambda: (PAST, X.copy())),
]  # fmt: skip


@pytest.mark.parametrize("fullgraph", [True, False])
@pytest.mark.parametrize(("function", "make"), ROWS, ids=lambda x: getattr(x, "__name__", ""))
def test_as_in_python(function, make, fullgraph):
    expected = outcomes(function, make, 3)
    compiled = qn.compile(function, fullgraph=fullgraph)
    assert outcomes(compiled, make, 3) == expected
    assert compiled.stats()["fallbacks"] == 0


def programs(compiled):
    stats = compiled.stats()
    return stats["compiles"] + stats["disk_hits"]


@pytest.mark.parametrize(
    ("function", "make"),
    [
        (lambda h, x: h.append(x.sum()), list),
        (lambda h, x: h.extend([x, x + 1]), lambda: [1]),
        (by_a_helper, list),
        (of_objects, Model),
    ],
)
def test_a_list_that_gets_longer_needs_no_other_program(function, make):
    compiled, own, plain = qn.compile(function, fullgraph=True), make(), make()
    for k in range(40):
        x = np.arange(3.0 + (k > 20) * k)
        compiled(own, x)
        function(plain, x)
    assert seen(own) == seen(plain)
    assert programs(compiled) <= 3


def test_a_list_that_is_looked_at_and_gets_longer():
    def function(h, x):
        y = x * 2
        h.append(len(h))
        return y + 1

    compiled, h = qn.compile(function), []
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        answers = [compiled(h, X) for _ in range(20)]
    text = (
        "` holds, which the function changes, has to be part of the program, "
        "and there were more than"
    )
    assert [text in str(one.message) for one in told] == [True]
    assert all(np.array_equal(answer, X * 2 + 1) for answer in answers)
    assert h == list(range(20))
    assert programs(compiled) <= 11


def test_a_list_that_is_looked_at_later():
    def function(h, x, looks):
        h.append(x.sum())
        return h[0] if looks else x

    compiled, h = qn.compile(function, fullgraph=True), [1.5]
    for k in range(4):
        compiled(h, X, False)
        assert compiled(h, X, True) == 1.5
        assert len(h) == 3 + 2 * k


def test_a_dict_is_guarded_by_the_keys_that_are_looked_at():
    m, compiled = Model(), qn.compile(remembers, fullgraph=True)
    first = compiled(m, X)
    for k in range(300):
        m.made[k] = object()
        assert compiled(m, X) is first
    del m.made["exp"]
    assert compiled(m, X) is not first
    assert programs(compiled) == 2


@pytest.mark.parametrize("first", [True, False])
def test_one_list_after_two(first):
    calls = [one_list(), ([], [], X)]
    for function in (two_lists, lambda a, b, x: (a is b, x)):
        compiled = qn.compile(function, fullgraph=True)
        for args in (calls if first else calls[::-1]) * 2:
            own, plain = copy.deepcopy(args), copy.deepcopy(args)
            assert outcome(compiled, own) == outcome(function, plain)


def test_no_copy_is_changed_or_given_back():
    swapped = X.astype(">f8")

    def function(h, x):
        h.append(x.sum())
        return h

    compiled, h = qn.compile(function), []
    assert compiled(h, X) is h
    with pytest.warns(FallbackWarning, match="unaligned or byte-swapped"):
        assert compiled(h, swapped) is h
    assert len(h) == 2


def test_arguments_that_overlap_are_kept_themselves():
    def function(h, x, y):
        x += 1
        y *= 2
        h.append(x)
        return x.sum()

    base, h = np.arange(8.0), []
    x, y = base[:6], base[2:]
    with pytest.warns(FallbackWarning, match="share memory"):
        qn.compile(function)(h, x, y)
    assert h[0] is x


def test_in_parts():
    def function(h, d, x):
        h += [x.sum()]
        print(end="")
        d["h"] = h
        h[0] = 7
        d["x"] = x
        return d

    expected = outcome(function, ([], {}, X.copy()))
    with pytest.warns(FallbackWarning):
        assert qn.compile(function)([], {}, X.copy())["h"] == [7]
    assert outcome(qn.compile(function), ([], {}, X.copy())) == expected


def test_what_is_told_of_it():
    compiled = qn.compile(asks_for_keys, fullgraph=True)
    text = str(compiled.explain(weights(), X))
    assert "d: a dict" in text
    assert "d: no key 'no'" in text
    assert "h: any list" in str(qn.compile(appends, fullgraph=True).explain([], X))
    compiled = qn.compile(two_lists, fullgraph=True)
    assert "b: container 0 again" in str(compiled.explain(*one_list()))


def sets_infinity(d, x):
    d[float("inf")] = x


@pytest.mark.parametrize(
    ("function", "args", "text"),
    [
        *(
            (function, args, "changing a list, a dict or an object where a condition on data holds")
            for function, args in (
                (in_another_order, ({}, X)),
                (again_behind_it, ({}, -X)),
                (length_on_a_path, ([], X)),
            )
        ),
        (sets_infinity, ({}, X), "setting a key of type float of the dict `d`"),
    ],
)
def test_refused(function, args, text):
    with pytest.raises(UnsupportedError, match=text):
        qn.compile(function, fullgraph=True)(*args)
    own, plain = copy.deepcopy(args), copy.deepcopy(args)
    assert outcome(function, plain) == outcome(qn.compile(function), own)


MODULE = """
import json
import numpy as np
import quernel as qn

PAST = []

class Model:
    def __init__(self):
        self.past, self.made = [], {{}}

    def step(self, x, key):
        self.past.append(x.sum())
        PAST.append(self.past)
        if key not in self.made:
            self.made[key, 1] = x * 2
            self.made[key] = self.made[key, 1]
        return self.made[key]

step = qn.compile(Model.step, fullgraph=True)
model, x = Model(), np.arange(4.0)
model.past += range({length})
for key in "aba":
    answer = step(model, x, key)
stats = step.stats()
is_kept = answer is model.made["a"] is model.made["a", 1] and all(p is model.past for p in PAST)
print(json.dumps([stats["compiles"], len(model.past), list(map(str, model.made)), is_kept]))
"""


def test_another_process_finds_the_programs(tmp_path):
    def run(length):
        path = tmp_path / "model.py"
        path.write_text(MODULE.format(length=length))
        done = subprocess.run(
            [sys.executable, str(path)],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "QUERNEL_CACHE_DIR": str(tmp_path / "cache")},
        )
        return json.loads(done.stdout)

    keys = ["('a', 1)", "a", "('b', 1)", "b"]
    compiles, *rest = run(0)
    assert compiles == 3
    assert rest == [3, keys, True]
    assert run(0) == [0, 3, keys, True]
    assert run(7) == [0, 10, keys, True]


def test_a_fault_is_remembered_for_the_arguments_as_they_were(monkeypatch):
    tried = []

    def fails(*args):
        tried.append(args)
        raise RuntimeError("a fault")

    monkeypatch.setattr("quernel.call.build.capture", fails)
    compiled = qn.compile(appends)
    for _ in range(4):
        own, plain = ([0.5], X.copy()), ([0.5], X.copy())
        assert outcome(compiled, own) == outcome(appends, plain)
    assert len(tried) == 1
