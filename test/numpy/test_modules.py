"""The table that says which module stands for which of NumPy's functions."""

import subprocess
import sys

CHECK = """
import importlib, os
from quernel.numpy import hooks, loader, registry
from quernel.numpy.modules import MODULES

listed = loader._modules()
first = set(registry.IMPLEMENTATIONS)

def registered(obj):
    tables = (registry.IMPLEMENTATIONS, registry.CONSTRUCTORS)
    return any(obj in table for table in tables) or id(obj) in registry.OBJECTS

def load(name):
    importlib.import_module(f"quernel.numpy.{name}")

for module in MODULES:
    # Each one in a process of its own, where no other one has been loaded before it.
    child = os.fork()
    if not child:
        load(module)
        wrong = [obj for obj, name in listed.values() if name == module and not registered(obj)]
        print(*(f"{module} lacks {obj!r}" for obj in wrong), sep="\\n", end="", flush=True)
        os._exit(0)
    os.waitpid(child, 0)

for module in MODULES:
    load(module)
for obj in registry.IMPLEMENTATIONS:
    is_numpys = obj.__module__.partition(".")[0] != "quernel"  # no part of a source of ours
    if is_numpys and obj not in first and id(obj) not in listed:
        print("not listed:", obj)
for obj in registry.OBJECTS:
    if obj not in listed:
        print("not listed:", registry.OBJECTS[obj])
"""


def test_modules_have_what_the_table_says():
    run = subprocess.run([sys.executable, "-c", CHECK], capture_output=True, text=True, check=True)
    assert run.stdout == ""


def test_every_module_that_registers_something_is_loaded():
    from pathlib import Path

    from quernel.numpy import registry
    from quernel.numpy.loader import FIRST
    from quernel.numpy.modules import MODULES

    marks = ("implements(", "stands_for(", "constructs(")
    folder = Path(registry.__file__).resolve().parent
    found = {path.stem for path in folder.glob("*.py") if any(m in path.read_text() for m in marks)}
    # SciPy's functions are known by their names, what is in `np.random` and `np.testing` by its
    # module.
    others = {"assertions", "registry", "seeding", "sources", "triangles"}
    assert found - others == {*MODULES, *FIRST}
