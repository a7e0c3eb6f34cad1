"""Modules that are loaded when they are needed are there, and have what they import."""

import importlib
import pkgutil
import subprocess
import sys

import pytest

import quernel

NAMES = [found.name for found in pkgutil.walk_packages(quernel.__path__, "quernel.")]


@pytest.mark.parametrize("name", [name for name in NAMES if not name.endswith("__main__")])
def test_every_module_can_be_imported(name: str) -> None:
    importlib.import_module(name)


@pytest.mark.parametrize(
    ("module", "raised"),
    [
        ("numpy", "raise KeyboardInterrupt"),
        ("quernel._runtime", "raise ImportError('initialization failed') from KeyboardInterrupt()"),
    ],
)
def test_an_interrupted_import_is_an_interrupt(module: str, raised: str) -> None:
    """Modules in C make an ImportError of what is raised while they begin."""
    text = f"""
import sys
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == "{module}":
            {raised}
sys.meta_path.insert(0, Finder())
try:
    import quernel
except KeyboardInterrupt:
    print("interrupted")
"""
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    assert done.stdout == "interrupted\n"


def test_a_missing_module_in_c_is_told() -> None:
    text = "import sys; sys.modules['quernel._runtime'] = None; import quernel"
    done = subprocess.run([sys.executable, "-c", text], check=False, capture_output=True, text=True)
    assert done.returncode == 1
    assert "import of quernel._runtime halted" in done.stderr
