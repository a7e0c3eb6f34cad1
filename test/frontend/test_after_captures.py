"""What a capture leaves behind until Python collects it can be looked at by anybody."""

import gc

import numpy as np

import quernel as qn


def _scanned(x, n):  # numbers of a turn are gone once their loop is over
    total = np.zeros(3)
    for i in range(n):
        last = x[i] * 2
        while last > 1:
            last = last / 2
        total[i % 3] += last
        x[i] = total[0]
    return total


def test_objects_of_a_capture_have_classes() -> None:
    compiled = qn.compile(_scanned, fullgraph=True)
    gc.collect()
    gc.disable()
    try:
        x = np.random.default_rng(0).random(40) * 4
        assert (compiled(x.copy(), 40) == _scanned(x.copy(), 40)).all()
        found = gc.get_objects()
        assert not any(isinstance(obj, _Nobody) for obj in found)
        assert all(isinstance(obj.__class__, type) for obj in found)
    finally:
        gc.enable()


class _Nobody:
    pass
