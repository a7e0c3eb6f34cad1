"""Python code that is given up after some time leaves nothing behind."""

import subprocess
import sys
import textwrap
import time

import pytest

from quernel.call.time_limit import OutOfTime, limited


def swallowing():
    try:
        while True:
            pass
    except BaseException:
        return "over"


def endless():
    while True:
        pass


def test_what_ends_in_time_gives_its_answer():
    assert limited(5.0, max, (2, 3), {}) == 3
    with pytest.raises(KeyError):
        limited(5.0, {}.__getitem__, (1,), {})


def test_what_takes_too_long_is_given_up():
    start = time.monotonic()
    with pytest.raises(OutOfTime):
        limited(0.05, endless, (), {})
    assert limited(0.05, swallowing, (), {}) == "over"
    assert time.monotonic() - start < 5


def test_nothing_is_left_behind():
    """A thread that still looked for an exception would never get into a function of a profile."""
    program = """
        import cProfile
        from quernel.call.time_limit import OutOfTime, limited

        def endless():
            while True:
                pass

        for seconds in (0.0001, 0.001, 0.05):
            try:
                limited(seconds, endless, (), {})
            except OutOfTime:
                pass
            for _ in range(50):
                try:
                    limited(seconds / 10, sum, (range(5000),), {})
                except OutOfTime:
                    pass
        with cProfile.Profile():
            max(map(lambda x: x, range(3)))
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(program)], check=True, timeout=60)
