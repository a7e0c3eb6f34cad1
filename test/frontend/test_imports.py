"""Modules that are loaded when they are needed are there, and have what they import."""

import importlib
import pkgutil

import pytest

import quernel

NAMES = [found.name for found in pkgutil.walk_packages(quernel.__path__, "quernel.")]


@pytest.mark.parametrize("name", [name for name in NAMES if not name.endswith("__main__")])
def test_every_module_can_be_imported(name: str) -> None:
    importlib.import_module(name)
