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


def test_an_interrupted_import_is_an_interrupt() -> None:
    """Modules in C make an ImportError of what is raised while they begin."""
    text = """
import sys
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == "numpy":
            raise KeyboardInterrupt
sys.meta_path.insert(0, Finder())
try:
    import quernel
except KeyboardInterrupt:
    print("interrupted")
"""
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    assert done.stdout == "interrupted\n"
