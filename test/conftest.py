"""What a test compiles has its IR verified after each pass, and tests can be interrupted.

With `--device cuda` functions that have no device of their own run there. Tests marked `cpu` ask
for what only a CPU's programs have, and are skipped then.
"""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from memory_folder import memory_folder

os.environ["QUERNEL_VERIFY_PASSES"] = "1"

# A shell has its background jobs ignore SIGINT, and Python inherits that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--device", help="where compiled functions run, like cuda")


def pytest_configure(config: pytest.Config) -> None:
    """Tell the modules of tests, which ask programs/places.py, where functions run."""
    if place := config.getoption("--device"):
        os.environ["QUERNEL_TEST_DEVICE"] = place


@pytest.fixture(autouse=True)
def chosen_device(request: pytest.FixtureRequest) -> Iterator[None]:
    """The device of the command line is that of functions without one."""
    place = request.config.getoption("--device")
    if place is None:
        yield
        return
    import quernel as qn

    if mark := request.node.get_closest_marker("cpu"):
        pytest.skip(f"for CPUs: {mark.args[0]}")
    with qn.device(place):
        yield


@pytest.fixture(scope="session")
def make_cache() -> Iterator[Callable[[], Path]]:
    """A function that makes folders for caches, which last as long as the session."""
    with tempfile.TemporaryDirectory(prefix="quernel-tests-", dir=memory_folder()) as folder:
        yield lambda: Path(tempfile.mkdtemp(dir=folder)) / "cache"


@pytest.fixture
def cache_of_test(make_cache: Callable, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A cache that this test has for itself."""
    path = make_cache()
    monkeypatch.setenv("QUERNEL_CACHE_DIR", str(path))
    yield path
    shutil.rmtree(path.parent)
