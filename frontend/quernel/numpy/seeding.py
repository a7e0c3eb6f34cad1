"""New random streams: `np.random.default_rng`, bit generators and RandomStates of known seeds."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _runtime
from ..arguments.hints import RANDOM
from ..primitives.operands import lift
from ..traced.array import fresh, is_traced
from ..traced.tracer import current
from ..traced.views import graph_dims
from . import entropy
from .calling import captured
from .distributions import require
from .legacy_streams import LegacyStream
from .registry import constructs, stands_for
from .streams import Stream, is_integer

_BITS = (
    *(np.random.PCG64, np.random.PCG64DXSM, np.random.Philox, np.random.SFC64),
    np.random.MT19937,
)


class Bits:
    """What captured code has in place of a bit generator that it has made."""

    def __init__(self, stream: Stream) -> None:
        self.stream = stream


def _known(seed: Any, what: str) -> Any:
    """A seed that the program spells out."""
    if is_traced(seed):
        current().fail(f"{what} of a seed that only the program knows", "pass an integer")
    return seed


def _of(generator: Any, kind: type[Stream] = Stream) -> Stream:
    """A stream that begins as one of NumPy's does."""
    tracer = current()
    return kind(fresh(tracer, tracer.constant(_runtime.read_stream(generator))), generator)


def _seeded(row: str, seed: Any, words: int) -> Any:
    """The state that an integer of the program gives."""
    tracer = current()
    number = tracer.cast(lift(seed).value, "int64")
    return fresh(tracer, tracer.routine(row, [number], 0, graph_dims((words,)))[0])


def unseeded(name: str) -> Stream:
    """A stream in place of one that each call would seed anew; see `entropy`."""
    way = (("module", entropy.__name__),)
    stream = current().rebuilder.read(way, "attr", name, vars(entropy), vars(entropy)[name])
    return type(stream)(stream._state, stream._obj)


def default_rng(seed: Any = None) -> Any:
    """`np.random.default_rng`."""
    if seed is None:
        return unseeded("PCG64")
    if isinstance(seed, Bits):
        return seed.stream
    if isinstance(seed, Stream):
        if isinstance(seed, LegacyStream):
            current().fail("a Generator over the bits of a RandomState", RANDOM)
        return seed
    if is_integer(seed) and is_traced(seed):
        require(lift(seed) >= 0, "expected non-negative integer")
        return Stream(_seeded("seed", seed, 6), np.random.default_rng(0))
    return _of(np.random.default_rng(_known(seed, "np.random.default_rng()")))


@constructs(*_BITS)
def bits(kind: type, seed: Any = None) -> Bits:
    """A bit generator."""
    if seed is None:
        return Bits(unseeded(kind.__name__))
    if is_integer(seed) and is_traced(seed) and kind is np.random.PCG64:
        return Bits(default_rng(seed))
    return Bits(_of(np.random.Generator(kind(_known(seed, f"np.random.{kind.__name__}()")))))


@constructs(np.random.Generator)
def generator(kind: type, bit_generator: Any) -> Stream:
    """`np.random.Generator` of bits that the program has made."""
    if not isinstance(bit_generator, Bits):
        current().fail("np.random.Generator of what isn't a bit generator of the program", RANDOM)
    return bit_generator.stream


@constructs(np.random.RandomState)
def random_state(kind: type, seed: Any = None) -> LegacyStream:
    """`np.random.RandomState`."""
    if seed is None:
        return unseeded("RandomState")
    if is_integer(seed) and is_traced(seed):
        return LegacyStream(_legacy_state(seed), np.random.RandomState(0))
    return _of(np.random.RandomState(_known(seed, "np.random.RandomState()")), LegacyStream)


def _legacy_state(seed: Any) -> Any:
    number = lift(seed)
    inside = (number >= 0) & (number <= 2**32 - 1)
    require(inside, "Seed must be between 0 and 2**32 - 1")
    return _seeded("legacy_seed", seed, 316)


@constructs(np.random.SeedSequence)
def seed_sequence(kind: type, *args: Any, **kwargs: Any) -> Any:
    """A sequence of seeds, of numbers that the program spells out."""
    if is_traced((args, kwargs)) or (not args and "entropy" not in kwargs):
        current().fail("np.random.SeedSequence() of what the program doesn't spell out", RANDOM)
    return np.random.SeedSequence(*args, **kwargs)


def _seed(stream: LegacyStream, seed: Any = None) -> None:
    """`RandomState.seed`."""
    if seed is None:
        state = captured(_unlike_others, unseeded("PCG64"))
    elif is_integer(seed) and is_traced(seed):
        state = _legacy_state(seed)
    else:
        known = np.random.RandomState(_known(seed, "seed()"))
        state = fresh(current(), current().constant(_runtime.read_stream(known)))
    stream._state[...] = state


def _unlike_others(stream: Any) -> Any:
    """The state of a RandomState with any numbers, of which one at least isn't 0."""
    numbers = stream.integers(-(2**63), 2**63 - 1, 312, np.int64, True).astype(np.uint64)
    numbers[0] |= np.uint64(2**31)
    begin, end = np.array([5], np.uint64), np.array([624, 0, 0], np.uint64)
    return np.concatenate((begin, numbers, end))


LegacyStream.seed = _seed


def _global(name: str) -> Any:
    def function(*args: Any, **kwargs: Any) -> Any:
        return getattr(current().rebuilder.random_state(), name)(*args, **kwargs)

    return function


stands_for(np.random.default_rng, default_rng)
stands_for(np.random.seed, _global("seed"))
stands_for(np.random.sample, _global("random_sample"))
stands_for(np.random.ranf, _global("random_sample"))
