import ctypes
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest
from abi_context import Context


@pytest.fixture(scope="session")
def test_libraries() -> Path:
    """The build's folder of test libraries, beside the package tree that is imported."""
    package = Path(find_spec("quernel").submodule_search_locations[0])
    return package.parents[1] / "test" / "runtime"


@pytest.fixture(scope="session")
def context_of(test_libraries: Path) -> Callable[[int], Context]:
    """The runtime's context of so many threads."""
    library = ctypes.CDLL(str(test_libraries / "libquernel_test_context.so"))
    library.quernel_test_context.restype = ctypes.POINTER(Context)
    return lambda threads: library.quernel_test_context(threads).contents


@pytest.fixture(scope="session")
def context(context_of: Callable[[int], Context]) -> Context:
    """The runtime's context of one thread."""
    return context_of(1)
