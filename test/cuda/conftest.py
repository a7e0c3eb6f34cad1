import os
import sys
import textwrap

import pytest
from emulated_device import Driver, Nvrtc, run_to_its_end


@pytest.fixture(scope="module", autouse=True)
def kept_objects(tmp_path_factory):
    """Each text is compiled once."""
    before = os.environ.get("EMULATOR_CACHE")
    os.environ["EMULATOR_CACHE"] = str(tmp_path_factory.mktemp("objects"))
    yield
    del os.environ["EMULATOR_CACHE"]
    if before is not None:
        os.environ["EMULATOR_CACHE"] = before


@pytest.fixture(autouse=True)
def usual_settings(monkeypatch):
    for name in ("SEED", "ERRORS", "STREAMS"):
        monkeypatch.delenv(f"EMULATOR_{name}", raising=False)


@pytest.fixture(scope="module")
def nvrtc():
    return Nvrtc()


@pytest.fixture
def driver():
    return Driver()


@pytest.fixture
def kernel(nvrtc, driver):
    """The function of a text's kernel, in the namespace of generated code."""
    modules = []

    def load(name, text):
        modules.append(driver.load(nvrtc.compile(f"namespace quernel {{\n{text}\n}}\n")))
        return driver.function(modules[-1], name)

    yield load
    for module in modules:
        driver("cuModuleUnload", module)


@pytest.fixture(scope="module")
def kept_programs(make_cache):
    return str(make_cache())


@pytest.fixture
def run(request, tmp_path, kept_programs):
    """Run a text behind the module's BEGIN, in a process with the emulated device.

    The environment is that of the module's SETTINGS, if it has some, and of the call.
    """
    settings = {"QUERNEL_CACHE_DIR": kept_programs} | getattr(request.module, "SETTINGS", {})

    def runs(body, **environment):
        script = tmp_path / "script.py"
        script.write_text(request.module.BEGIN + textwrap.dedent(body) + "\nprint('done')\n")
        run_to_its_end([sys.executable, str(script)], sys.path, settings | environment)

    return runs
