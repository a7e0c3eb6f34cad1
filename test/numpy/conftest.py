from collections.abc import Callable, Iterator
from pathlib import Path

import pytest


@pytest.fixture(autouse=True, scope="session")
def own_cache(make_cache: Callable[[], Path]) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("QUERNEL_CACHE_DIR", str(make_cache()))
        yield
