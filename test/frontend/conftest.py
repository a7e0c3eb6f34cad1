import sys
from pathlib import Path

import pytest

from own_functions import loaded_axpy, loaded_more

# The comparison with NumPy is shared with test/numpy.
sys.path.insert(0, str(Path(__file__).parent.parent / "numpy"))


@pytest.fixture(autouse=True)
def own_cache(cache_of_test):
    """A cache of its own for each test."""
    return cache_of_test


@pytest.fixture
def axpy():
    return loaded_axpy()


@pytest.fixture
def more():
    return loaded_more()
