"""Configuration of lit: FileCheck tests stand in the folders that mirror compiler/."""

import os

import lit.formats

config.name = "quernel"
config.test_format = lit.formats.ShTest(execute_external=False)
config.test_source_root = os.path.dirname(__file__)
config.suffixes = [".mlir", ".test"]
config.excludes = ["frontend", "numpy", "programs", "runtime", "packaging", "CMakeLists.txt"]

path = [config.quernel_tools_dir, config.llvm_tools_dir, config.environment.get("PATH", "")]
config.environment["PATH"] = os.pathsep.join(path)
config.environment["PYTHONPATH"] = config.quernel_python_tree
config.substitutions.append(("%python", config.python))
