from importlib.util import find_spec
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def test_libraries() -> Path:
    """The build's folder of test libraries, beside the package tree that is imported."""
    package = Path(find_spec("quernel").submodule_search_locations[0])
    return package.parents[1] / "test" / "runtime"
