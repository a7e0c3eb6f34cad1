"""Python's own generators of random numbers, `random.Random`, in captured code.

What is written in Python of them is captured as a user's class is. The class of C below it has the
methods of this module: they draw from words that are memory of the program (`runtime/Random.h`). Of
a generator from outside these are made of its memory before the function runs, and put back when it
has ended: an exception behind a draw is the plain function's, as it is behind an assignment.
"""

from __future__ import annotations

import functools
import random
import types
from collections.abc import Sequence
from math import ceil, log
from typing import Any

import numpy as np

from ..arguments.hints import RANDOM
from ..arguments.leaves import Leaf
from ..arguments.looking import leaf_of
from ..arguments.python_random import memory_of, words_of
from ..primitives.operands import lift
from ..raised import IN_NUMPY
from ..traced.array import TracedArray, is_traced
from ..traced.dispatch import dispatch
from ..traced.numbers import DATA, SymbolicNumber, isinstance_symbolic
from ..traced.tracer import current
from .class_stand_ins import SPARE, WORDS, known_of

_WAY = (("module", "random"), ("attr", "_inst"))  # to the generator behind the module's functions
_MOST_BITS = 62  # of one number, which stays one of 64 bits whatever is added to it


class State:
    """What `getstate` gives: the words as they were."""

    def __init__(self, words: TracedArray) -> None:
        self.words = words


# Generators from outside


def take(rebuilder: Any, obj: Any, leaf: Leaf) -> None:
    """Give what stands for a generator from outside the words that this one has."""
    tracer, path = rebuilder.tracer, leaf.path
    memory = memory_of(leaf.obj)
    if memory is None:
        tracer.fail(f"`{path}`, a generator whose memory isn't where CPython has it", RANDOM)
    way = _WAY if leaf.obj is random._inst else None
    for how, seen, symbolic in (("itself", leaf.obj, True), ("memory", memory, False)):
        read = rebuilder.note_read(way, "sight", [how, None], {None: seen}, seen)
        read.leaf = leaf_of(seen, f"{path}.getstate()" if how == "memory" else path, symbolic)
    known_of(obj).memory = taken = rebuilder.wrap(read.leaf)
    left = rebuilder.classes.taken(obj, "gauss_next")
    with tracer.ahead():
        hidden = {WORDS: rebuilder.function(_to_words, None)(taken), SPARE: _spare(left)}
    rebuilder.classes.load(obj, hidden)
    known_of(obj).begun = hidden[WORDS].value, hidden[SPARE].value


def put_back(rebuilder: Any) -> None:
    """Give the generators that the program has drawn from the words that it has left."""
    for obj in rebuilder.classes.arguments:
        words, spare = (vars(obj).get(name) for name in (WORDS, SPARE))
        if words is None:
            continue
        begun = known_of(obj).begun
        if words.value is not begun[0]:
            rebuilder.function(_from_words, None)(known_of(obj).memory, words)
        if spare.value is not begun[1]:
            vars(obj)["gauss_next"] = rebuilder.function(_kept, None)(spare)


def method_outside(rebuilder: Any, function: Any) -> Any:
    """What stands for a method of C of a generator from outside, such as `random.random`."""
    owner = function.__self__
    if owner is not random._inst:
        what = f"`{function.__name__}` of a generator, which has been looked up outside"
        rebuilder.tracer.fail(what, f"call it where it is needed: rng.{function.__name__}()")
    stand_in = rebuilder.read(_WAY[:1], "attr", "_inst", vars(random), owner)
    return getattr(stand_in, function.__name__)


def _to_words(memory: Any) -> Any:
    pairs = memory[1::2] | memory[2::2].astype(np.uint64) << np.uint64(32)
    return np.concatenate((np.array([4], np.uint64), pairs, memory[:1].astype(np.uint64)))


def _from_words(memory: Any, words: Any) -> None:
    memory[0] = words[313]
    memory[1::2] = words[1:313] & np.uint64(2**32 - 1)
    memory[2::2] = words[1:313] >> np.uint64(32)


# The normal number that is left of a pair: whether there is one, and which


def _spare(value: Any) -> TracedArray:
    return current().rebuilder.function(_pair, None)(value)


def _pair(value: Any) -> Any:
    return np.array([0.0, 0.0] if value is None else [1.0, value])


def _kept(spare: Any) -> Any:
    return float(spare[1]) if spare[0] > 0 else None


def _keep(spare: Any, value: Any) -> None:
    if value is None:
        spare[0] = 0
    else:
        spare[0], spare[1] = 1, value


def _get_spare(self: Any) -> Any:
    if SPARE not in vars(self):
        text = f"'{type(self).__name__}' object has no attribute 'gauss_next'"
        raise AttributeError(text)
    return current().rebuilder.function(_kept, None)(vars(self)[SPARE])


def _set_spare(self: Any, value: Any) -> None:
    if SPARE not in vars(self):
        vars(self)[SPARE] = _spare(value)
        return
    note_change(self)
    current().rebuilder.function(_keep, None)(vars(self)[SPARE], value)


# The methods of C


def _words(obj: Any) -> TracedArray:
    """The words of a generator that is about to draw."""
    words = vars(obj).get(WORDS)
    if words is None:
        what = f"a draw of an object of the class {type(obj).__name__} that has no seed yet"
        current().fail(what, "call the `__init__` of random.Random")
    note_change(obj)
    return words


def note_change(obj: Any) -> None:
    """Note that a generator is about to have other words."""
    if known_of(obj).leaf is not None:
        current().is_assigned = True


def _random(self: Any) -> Any:
    ahead = functools.partial(_ahead, lambda stream: stream.random())
    return current().rebuilder.function(_of_two, None)(_words(self), ahead)


def _ahead(draw: Any, words: TracedArray) -> tuple[Any, TracedArray]:
    """What a stream of NumPy's draws, and the words behind that."""
    behind = words.copy()
    return draw(dispatch.stream(behind, np.random.Generator(np.random.MT19937(0)))), behind


# As they are all in one memory, words are changed where they lie, also where the runtime draws.


def _of_two(words: Any, ahead: Any) -> float:
    taken = np.int64(words[313])
    if taken > 622:
        number, behind = ahead(words)
        words[1:] = behind[1:]
        return number
    words[313] = taken + 2
    high, low = _tempered(words, taken) >> 5, _tempered(words, taken + 1) >> 6
    return float((high * 67108864.0 + low) / 9007199254740992.0)


def _of_one(words: Any, ahead: Any) -> int:
    taken = np.int64(words[313])
    if taken > 623:
        number, behind = ahead(words)
        words[1:] = behind[1:]
        return int(number)
    words[313] = taken + 1
    return int(_tempered(words, taken))


def _tempered(words: Any, place: Any) -> Any:
    """A word of 32 bits, as the Mersenne twister gives it."""
    both = words[1 + np.minimum(np.maximum(place >> 1, 0), 311)]
    y = np.int64((both >> np.uint64((place & 1) << 5)) & np.uint64(2**32 - 1))
    y ^= y >> 11
    y ^= (y << 7) & 0x9D2C5680
    y ^= (y << 15) & 0xEFC60000
    return y ^ (y >> 18)


def _getrandbits(self: Any, k: Any, /) -> Any:
    if not isinstance_symbolic(k) and not is_traced(k):
        return _bits(self, k)
    tracer = current()
    inside = (lift(k) >= 1) & (lift(k) <= 32)
    tracer.check(inside.value, IN_NUMPY, "more than 32 random bits, or none", undoes=True)
    return _next(self) >> (32 - k)


def _bits(self: Any, k: int) -> Any:
    """A number of a known number of bits: words of 32, the low ones first."""
    if k < 0:
        raise current().interpreter.raising(ValueError("number of bits must be non-negative"))
    if k > _MOST_BITS:
        current().fail(f"more than {_MOST_BITS} random bits at once", RANDOM)
    if k <= 32:
        return _next(self) >> (32 - k) if k else 0
    low = _next(self)
    return low | (_next(self) >> (64 - k)) << 32


def _next(self: Any) -> Any:
    """The next word, a number of Python's."""
    ahead = functools.partial(
        _ahead, lambda stream: stream.integers(0, 2**32 - 1, None, np.uint32, True)
    )
    word = current().rebuilder.function(_of_one, None)(_words(self), ahead)
    return SymbolicNumber(word.tracer, word.value, 1, frozenset([DATA]), (0, 2**32 - 1))


def _seed(self: Any, a: Any = None, version: Any = 2) -> None:
    if a is None:
        words = _unseeded()
    elif is_traced(a):
        words = _of_number(a)
    else:
        words = _known_words(a, version)
    _set_words(self, words)
    self.gauss_next = None  # as the method of the class in Python does


def _known_words(seed: Any, version: Any) -> TracedArray:
    made = random.Random()
    try:
        made.seed(seed, version)
    except TypeError as error:
        raise current().interpreter.raising(error) from None
    return lift(_to_words(words_of(made)))


def _unseeded() -> TracedArray:
    """Any words, which are others at each call."""
    stream = dispatch.stand_in(np.random.default_rng)()
    numbers = stream.integers(-(2**63), 2**63 - 1, 312, np.int64, True)
    return current().rebuilder.function(_with_numbers, None)(numbers)


def _with_numbers(numbers: Any) -> Any:
    words = np.empty(314, np.uint64)
    words[0] = 4
    words[1:313] = numbers.astype(np.uint64)
    words[1] |= np.uint64(2**31)  # so that not all of them are 0
    words[313] = 624
    return words


def _of_number(seed: Any) -> TracedArray:
    if not (isinstance_symbolic(seed) and issubclass(seed.__class__, int)):
        current().fail("random.seed() of a number that isn't an integer of the program", RANDOM)
    first = _to_words(words_of(_first_numbers()))
    return current().rebuilder.function(_by_array, None)(lift(first), abs(seed))


def _first_numbers() -> Any:
    """A generator with the numbers that seeding begins with."""
    state = np.random.RandomState(19650218).get_state()
    made = random.Random()
    made.setstate((3, (*map(int, state[1]), 624), None))
    return made


def _by_array(first: Any, seed: int) -> Any:
    """The words of a seed of up to 64 bits, as `init_by_array` of the Mersenne twister has them."""
    low, rest = first[1:313] & np.uint64(2**32 - 1), first[1:313] >> np.uint64(32)
    numbers = np.empty(624, np.int64)
    numbers[0::2], numbers[1::2] = low.astype(np.int64), rest.astype(np.int64)
    keys = np.empty(2, np.int64)
    keys[0], keys[1] = seed & (2**32 - 1), seed >> 32
    count = 1 if seed < 2**32 else 2
    at, key = 1, 0
    for _ in range(624):
        last = int(numbers[at - 1])
        last = (last ^ (last >> 30)) * 1664525 & (2**32 - 1)
        numbers[at] = ((int(numbers[at]) ^ last) + int(keys[key]) + key) & (2**32 - 1)
        at, key = at + 1, key + 1
        if at >= 624:
            numbers[0] = numbers[623]
            at = 1
        if key >= count:
            key = 0
    for _ in range(623):
        last = int(numbers[at - 1])
        last = (last ^ (last >> 30)) * 1566083941 & (2**32 - 1)
        numbers[at] = ((int(numbers[at]) ^ last) - at) & (2**32 - 1)
        at += 1
        if at >= 624:
            numbers[0] = numbers[623]
            at = 1
    numbers[0] = 2**31
    words = np.empty(314, np.uint64)
    words[0] = 4
    words[1:313] = (numbers[0::2] | numbers[1::2] << 32).astype(np.uint64)
    words[313] = 624
    return words


def _set_words(obj: Any, words: TracedArray) -> None:
    if WORDS in vars(obj):
        note_change(obj)
        vars(obj)[WORDS][...] = words
    else:
        vars(obj)[WORDS] = words.copy()


def _getstate(self: Any) -> State:
    return State(vars(self)[WORDS].copy())


def _setstate(self: Any, state: Any) -> None:
    if type(state) is State:
        return _set_words(self, state.words)
    if is_traced(state):
        current().fail("setstate() of numbers that only the program knows", RANDOM)
    made = random.Random()
    try:
        made.setstate((3, state, None))
    except (TypeError, ValueError) as error:
        raise current().interpreter.raising(error) from None
    return _set_words(self, lift(_to_words(words_of(made))))


# Methods that put items of lists where only data know, by arrays of places


def _shuffle(self: Any, x: Any) -> None:
    if type(x) is not list:
        return current().rebuilder.function(_shuffle_any, None)(self, x)
    current().note_change(x)
    places = current().rebuilder.function(_order, None)(self, len(x))
    x[:] = current().rebuilder.function(_items_at, None)(list(x), places)
    return None


def _shuffle_any(rng: Any, x: Any) -> None:
    for i in reversed(range(1, len(x))):
        j = rng._randbelow(i + 1)
        x[i], x[j] = x[j], x[i]


def _order(rng: Any, count: int) -> Any:
    places = np.arange(count)
    for i in reversed(range(1, count)):
        j = rng._randbelow(i + 1)
        places[i], places[j] = places[j], places[i]
    return places


def _items_at(items: Any, places: Any) -> list:
    return [items[int(place)] for place in places]


def _sample(self: Any, population: Any, k: Any, *, counts: Any = None) -> Any:
    if counts is not None:
        current().fail("random.sample() with counts", RANDOM)
    return current().rebuilder.function(_sampled, None)(self, population, k)


def _sampled(rng: Any, population: Any, k: int) -> list:
    if not isinstance(population, Sequence):
        raise TypeError("Population must be a sequence.  For dicts or sets, use sorted(d).")
    n = len(population)
    if not 0 <= k <= n:
        raise ValueError("Sample larger than population or is negative")
    large = 21
    if k > 5:
        large += 4 ** ceil(log(k * 3, 4))
    places = _from_pool(rng, n, k) if n <= large else _unlike(rng, n, k)
    return [population[int(place)] for place in places]


def _from_pool(rng: Any, n: int, k: int) -> Any:
    """Places of `n` in the order in which they are taken, each of which leaves the last one."""
    places, pool = np.empty(k, np.int64), np.arange(n)
    for i in range(k):
        j = rng._randbelow(n - i)
        places[i] = pool[j]
        pool[j] = pool[n - i - 1]
    return places


def _unlike(rng: Any, n: int, k: int) -> Any:
    """Places that are drawn until they are others."""
    places = np.full(k, -1)
    for i in range(k):
        j = rng._randbelow(n)
        while (places == j).any():
            j = rng._randbelow(n)
        places[i] = j
    return places


# By class: what stands for methods of these names.
_OF_C = {
    "random": _random,
    "getrandbits": _getrandbits,
    "seed": _seed,
    "getstate": _getstate,
    "setstate": _setstate,
}
_OF_PYTHON = {
    "seed": _seed,
    "shuffle": _shuffle,
    "sample": _sample,
    "gauss_next": property(_get_spare, _set_spare),
}


def methods(kind: type) -> dict[str, Any]:
    """What stands for methods of `random.Random` or the class of C below it."""
    if kind is random.Random.__base__:
        return _OF_C
    return _OF_PYTHON


def method_of(function: types.FunctionType) -> Any:
    """What stands for a function of the module; None for one that is captured as it is."""
    name = function.__name__
    return _OF_PYTHON.get(name) if vars(random.Random).get(name) is function else None
