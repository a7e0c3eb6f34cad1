import pytest


@pytest.fixture(autouse=True, scope="session")
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("QUERNEL_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        yield
