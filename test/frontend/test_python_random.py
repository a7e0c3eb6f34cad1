"""Python's own generators of random numbers: the same numbers, and the same states afterwards.

What is computed by logarithms and the like may differ in the last place, as it may elsewhere.
"""

from __future__ import annotations

import copy
import math
import os
import random
import subprocess
import sys
from collections.abc import Callable
from random import choice as chosen
from random import random as drawn
from typing import Any

import numpy as np
import pytest

import quernel as qn
from quernel.errors import UnsupportedError

CALLS = 4  # with one generator, whose state goes on
X = np.arange(8.0)


class Simulation:
    """An object that has a generator."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.steps = 0

    def step(self, x: float) -> float:
        self.steps += 1
        return x * self.rng.gauss(0, 1) + self.rng.random()


class Twice(random.Random):
    def twice(self) -> float:
        return self.random() + self.random()


class Squeezed(random.Random):
    def random(self) -> float:
        return 0.25 + super().random() / 2


class Shifted(random.Random):
    def seed(self, a: Any = None, version: int = 2) -> None:
        super().seed(0 if a is None else a + 1)


def plain(obj: Any) -> Any:
    """What of an object, or of a result, can be compared."""
    if isinstance(obj, random.Random):
        return obj.getstate()
    if isinstance(obj, Simulation):
        return (obj.rng.getstate(), obj.steps)
    if isinstance(obj, np.ndarray):
        return (obj.dtype, obj.shape, obj.tolist())
    if isinstance(obj, (list, tuple)):
        return [type(obj), *map(plain, obj)]
    if isinstance(obj, dict):
        return {key: plain(value) for key, value in obj.items()}
    return (type(obj), obj)


def outcomes(function: Callable, args: list) -> list[Any]:
    """What several calls give or raise, and what they leave in the arguments and the module."""
    random.seed(3)
    found = []
    for _ in range(CALLS):
        try:
            answer = plain(function(*args))
        except UnsupportedError:
            raise
        except Exception as error:
            answer = (type(error), str(error))
        found.append((answer, plain(args), random.getstate()))
    return found


def alike(a: Any, b: Any) -> bool:
    if type(a) is not type(b):
        return False
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(map(alike, a, b))
    if type(a) is float:
        return math.isclose(a, b, rel_tol=1e-13, abs_tol=1e-14)
    return a == b


def check(function: Callable, *makers: Callable) -> Any:
    compiled = qn.compile(function, fullgraph=True)
    expected = outcomes(function, [make() for make in makers])
    found = outcomes(compiled, [make() for make in makers])
    assert alike(found, expected), (found, expected)
    return compiled


def rng() -> random.Random:
    return random.Random(5)


def x() -> np.ndarray:
    return X.copy()


def in_a_loop() -> np.ndarray:
    out = np.zeros(700)
    for k in range(700):
        out[k] = random.random()
    return out


def gauss_in_a_loop(n: int) -> np.ndarray:
    out = np.zeros(n)
    for k in range(n):
        out[k] = random.gauss(0, 1)
    return out


def by_rejection() -> float:
    inside = 0
    for _ in range(500):
        a, b = random.random(), random.random()
        if a * a + b * b <= 1:
            inside += 1
    return 4 * inside / 500


def annealed() -> tuple[int, float]:
    now, best = 0, 1e9
    for k in range(200):
        new = now + random.choice([-1, 1])
        worse = (new - 3) ** 2 - (now - 3) ** 2
        if worse < 0 or random.random() < math.exp(-worse / (1 + k * 0.1)):
            now = new
        best = min(best, (now - 3) ** 2)
    return now, best


def while_drawn() -> int:
    count = 0
    while random.random() < 0.8:
        count += 1
    return count


def shuffled() -> list:
    places = list(range(12))
    random.shuffle(places)
    return places


@pytest.mark.parametrize(
    "function",
    [
        lambda: random.random() + 1,
        lambda: (drawn(), chosen([1, 5, 7])),
        lambda: random.uniform(1, 2.5),
        lambda: [random.gauss(1, 2), random.gauss(1, 2), random.gauss(1, 2)],
        lambda: random.normalvariate(0, 1),
        lambda: random.expovariate(2.0),
        lambda: random.triangular(0, 1, 0.3),
        lambda: random.betavariate(2.0, 3.0),
        lambda: random.gammavariate(0.5, 3.0),
        lambda: random.paretovariate(3),
        lambda: random.weibullvariate(1.0, 2.0),
        lambda: random.vonmisesvariate(1.0, 2.0),
        lambda: random.randint(0, 5),
        lambda: random.randrange(3, 30, 4),
        lambda: [random.getrandbits(k) for k in (0, 1, 5, 32, 33, 62)],
        lambda: random.choice((1.5, 2.5)),
        lambda: random.choice(range(3, 90, 7)),
        lambda: random.choices([1, 2, 3], weights=[1, 2, 3], k=4),
        lambda: random.choices([1.5, 2.5], k=3),
        lambda: random.sample(range(8), 3),
        lambda: random.sample(range(1000), 7),
        lambda: random.sample([1, 2, 3, 4, 5], 3),
        in_a_loop,
        by_rejection,
        annealed,
        while_drawn,
        shuffled,
    ],
)
def test_functions_of_the_module(function: Callable) -> None:
    check(function)


def test_normal_numbers_in_pairs() -> None:
    compiled = check(gauss_in_a_loop, lambda: 51)
    assert compiled.stats()["compiles"] <= 4


def places(x: np.ndarray) -> tuple:
    return x[random.randrange(len(x))], x[random.sample(range(len(x)), 3)], random.choice(x)


def shuffle_rows(x: np.ndarray) -> np.ndarray:
    rows = x.reshape(4, 2)
    random.shuffle(rows)
    return rows


@pytest.mark.parametrize("function", [places, shuffle_rows, lambda x: x * random.random()])
def test_with_arrays(function: Callable) -> None:
    check(function, x)


def nested(rng: random.Random) -> list:
    out = []
    for _ in range(3):
        for k in range(20):  # noqa: B007
            if rng.random() < 0.3:
                break
        out.append(k)
    return out


def looked_up_first(rng: random.Random) -> list:
    draw = rng.random
    return [draw() for _ in range(3)]


def begun_again(rng: random.Random) -> np.ndarray:
    state = rng.getstate()
    out = np.zeros(4)
    for k in range(4):
        rng.setstate(state)
        rng.gauss(0, 1)
        out[k] = rng.gauss(0, 1)
    return out


def with_handlers(rng: random.Random) -> float:
    n = 0.0
    for k in range(10):
        try:
            if rng.random() < 0.5:
                raise KeyError(k)
            n += 1
        except KeyError:
            n -= rng.random()
        finally:
            n += rng.random()
    return n


def raises(rng: random.Random) -> float:
    number = rng.random()
    if number < 0.9:
        raise ValueError(f"got {number}")
    return number


def while_more(rng: random.Random) -> float:
    total = 0.0
    while rng.random() < 0.9 and total < 50:
        total += rng.random()
    return total


def of_a_pair(rng: random.Random) -> tuple:
    first = rng.gauss_next is None
    rng.gauss(0, 1)
    return first, rng.gauss_next


@pytest.mark.parametrize(
    "function",
    [
        lambda rng: (rng.random(), rng.gauss(0, 1)),
        lambda rng: 1 / rng.randint(0, 1),
        lambda rng: rng.choice([]),
        lambda rng: rng.randint(5, 2),
        lambda rng: rng.sample(range(3), 5),
        lambda rng: rng.sample({1, 2}, 1),
        lambda rng: [1, 2][rng.randrange(1, 4)],
        nested,
        looked_up_first,
        begun_again,
        with_handlers,
        raises,
        while_more,
        of_a_pair,
    ],
)
def test_a_generator_that_is_given(function: Callable) -> None:
    check(function, rng)


@pytest.mark.parametrize(
    ("function", "makers"),
    [
        (lambda s: (s.step(1.5), s.step(2.0)), [lambda: Simulation(3)]),
        (lambda a, b: a.random() - b.random(), [rng, lambda: random.Random(6)]),
        (lambda both: both[0].random() + both[1].random(), [lambda: [rng(), rng()]]),
        (lambda named: named["r"].random(), [lambda: {"r": rng()}]),
        (lambda r: (r.twice(), r.randint(1, 9)), [lambda: Twice(3)]),
        (lambda r: (r.random(), r.randint(1, 9), r.gauss(0, 1)), [lambda: Squeezed(3)]),
        (lambda r: (r.random(), r.seed(9), r.random()), [lambda: Shifted(3)]),
        (lambda r, items: r.shuffle(items), [rng, lambda: [3, 4, 5, 6, 7]]),
        (lambda r, items: r.shuffle(items), [rng, lambda: [(1, 2.5), (3, 4.5), (5, 6.5)]]),
        (lambda r, n: [r.randrange(n) for _ in range(3)], [rng, lambda: 12]),
    ],
)
def test_where_generators_are(function: Callable, makers: list) -> None:
    check(function, *makers)


def seeded(seed: Any) -> tuple:
    random.seed(seed)
    return random.random(), random.gauss(0, 1)


@pytest.mark.parametrize("seed", [0, 7, -3, 2**31, 2**32, 2**40 + 7, 2**70, 1.5, "abc", b"abc"])
def test_seeds(seed: Any) -> None:
    if type(seed) is float:
        check(lambda: seeded(1.5))
    else:
        check(seeded, lambda: seed)
        check(lambda s: random.Random(s).random(), lambda: seed)


def test_generators_that_the_function_makes() -> None:
    def each(n: int) -> float:
        total = 0.0
        for k in range(n):
            total += random.Random(k).random()
        return total

    def copied() -> tuple:
        first = random.Random(3)
        other = copy.copy(first)
        return first.random(), other.random(), first is other

    check(each, lambda: 5)
    check(copied)


def test_generators_without_a_seed() -> None:
    def unseeded() -> list:
        rng = random.Random()
        random.seed()
        return [rng.random(), random.random(), rng.gauss(0, 1)]

    compiled = qn.compile(unseeded, fullgraph=True)
    numbers = [number for _ in range(20) for number in compiled()]
    assert len(set(numbers)) == 60
    assert all(0 <= number < 1 for k, number in enumerate(numbers) if k % 3 < 2)
    assert random.getstate()[1][-1] == 2


def test_another_process_uses_the_program(tmp_path: Any) -> None:
    text = (
        "import random, quernel as qn\n"
        "from test_python_random import in_a_loop\n"
        "random.seed(2)\n"
        "compiled = qn.compile(in_a_loop, fullgraph=True)\n"
        "print(compiled()[-1], random.random(), compiled.stats()['disk_hits'])\n"
    )
    env = {**os.environ, "QUERNEL_CACHE_DIR": str(tmp_path)}
    folder = os.path.dirname(__file__)
    command = [sys.executable, "-c", text]
    options: dict[str, Any] = {"env": env, "cwd": folder, "text": True}
    answers = [subprocess.check_output(command, **options).split() for _ in range(2)]
    random.seed(2)
    expected = [str(in_a_loop()[-1]), str(random.random())]
    assert answers == [[*expected, "0"], [*expected, "1"]]


def test_answers_that_are_verified() -> None:
    def draws(rng: random.Random) -> tuple:
        return rng.random(), random.random(), rng.gauss(0, 1)

    found = outcomes(qn.compile(draws, verify=True), [rng()])
    assert alike(found, outcomes(draws, [rng()]))


def test_generators_that_are_others_at_each_call() -> None:
    compiled = qn.compile(lambda rng: rng.random())
    with pytest.warns(qn.FallbackWarning, match="there were more than 4 programs"):
        found = [compiled(random.Random(seed)) for seed in range(6)]
    assert found == [random.Random(seed).random() for seed in range(6)]


def test_statements_that_run_in_python() -> None:
    def prints(rng: random.Random) -> float:
        first = rng.random() + np.sin(X).sum()
        print(first)
        return first + rng.gauss(0, 1) + np.cos(X).sum()

    with pytest.warns(qn.FallbackWarning):
        found = outcomes(qn.compile(prints), [rng()])
    assert found == outcomes(prints, [rng()])


ONCE = random.Random(4)
DRAW = ONCE.random


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (lambda rng: rng.getrandbits(64), "more than 62 random bits at once"),
        (lambda rng: random.Random(3), "returning a generator of Python's random numbers that"),
        (lambda rng: rng.sample([1, 2], 2, counts=[1, 2]), "random.sample() with counts"),
        (lambda rng: rng.seed(X[1]), "random.seed() of a number that isn't an integer"),
        (lambda rng: DRAW(), "of a generator, which has been looked up outside"),
        (lambda rng: random.SystemRandom(), "a call of the class `SystemRandom`"),
        (
            lambda rng: rng.setstate((3, tuple(X), None)),
            "setstate() of numbers that only the program knows",
        ),
        (lambda rng: rng.choice(list("abcdefghi")), "an index, an axis or a count"),
    ],
)
def test_refused(function: Callable, reason: str) -> None:
    with pytest.raises(UnsupportedError) as raised:
        qn.compile(function, fullgraph=True)(rng())
    assert reason in str(raised.value)


class Unseeded(random.Random):
    def __init__(self) -> None:
        pass


def test_a_generator_without_numbers_is_refused() -> None:
    with pytest.raises(UnsupportedError, match="a draw of an object of the class Unseeded"):
        qn.compile(lambda: Unseeded().random(), fullgraph=True)()


def test_memory_that_nobody_knows_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    from quernel.capture import python_random

    monkeypatch.setattr(python_random, "memory_of", lambda obj: None)
    with pytest.raises(UnsupportedError, match="a generator whose memory isn't where CPython has"):
        qn.compile(lambda rng: rng.random(), fullgraph=True)(rng())


def test_bits_of_a_number_of_the_program() -> None:
    def some(rng: random.Random, k: int) -> list:
        return [rng.getrandbits(k) for _ in range(3)]

    check(some, rng, lambda: 7)
    check(lambda rng, x: rng.getrandbits(int(x[3])), rng, x)
    compiled = qn.compile(lambda rng, x: rng.getrandbits(int(x[0]) + 33))
    with pytest.warns(qn.FallbackWarning, match="more than 32 random bits, or none"):
        assert compiled(rng(), X) == rng().getrandbits(33)
