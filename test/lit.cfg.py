"""Configuration of lit: FileCheck tests stand in the folders that mirror compiler/."""

import os
import subprocess

import lit.formats
import lit.util

config.name = "quernel"
config.test_format = lit.formats.ShTest(execute_external=False)
config.test_source_root = os.path.dirname(__file__)
config.suffixes = [".mlir", ".test"]
config.excludes = ["frontend", "numpy", "programs", "runtime", "packaging", "CMakeLists.txt"]

path = [config.quernel_tools_dir, config.llvm_tools_dir, config.environment.get("PATH", "")]
config.environment["PATH"] = os.pathsep.join(path)
config.environment["PYTHONPATH"] = config.quernel_python_tree
config.substitutions.append(("%python", config.python))

# Printed text is compiled by whoever may compile it. No flag names a processor, so that the
# results run anywhere.
flags = "-std=c++17 -O2 -fopenmp -ffp-contract=off -Wall -Werror -Wno-unused-function"
config.substitutions.append(("%clang", f"clang++-22 {flags}"))
config.substitutions.append(("%gcc", f"g++ {flags}"))
config.substitutions.append(("%libomp", config.libomp))
config.substitutions.append(("%libsleef", config.libsleef))
config.excludes.append("Inputs")
for compiler, feature in (("clang++-22", "clang"), ("g++", "gcc")):
    if lit.util.which(compiler):
        config.available_features.add(feature)

with open("/proc/cpuinfo") as cpuinfo:
    processor = cpuinfo.read()
config.available_features.update(
    name for name in ("sse4_1", "avx2", "avx512vl") if f" {name}" in processor
)

compile_tool = os.path.join(config.quernel_tools_dir, "quernel-compile")
if (
    os.path.exists(compile_tool)
    and subprocess.run([compile_tool, "--probe-nvrtc"], check=False, capture_output=True).returncode
    == 0
):
    config.available_features.add("nvrtc")
