import sys
from pathlib import Path

import pytest

# The comparison with NumPy is shared with test/numpy, and the emulated device with test/cuda.
for folder in ("numpy", "cuda"):
    sys.path.insert(0, str(Path(__file__).parent.parent / folder))


@pytest.fixture(autouse=True)
def own_cache(cache_of_test):
    """A cache of its own for each test."""
    return cache_of_test
