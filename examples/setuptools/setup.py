"""Builds the kernels into the package; all else is in pyproject.toml."""

import os
import subprocess
import sys

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py


class BuildWithKernels(build_py):
    """Copies the modules, and compiles the functions that quernel.toml names."""

    def run(self):
        """An editable installation has no kernels, and compiles at the first call."""
        super().run()
        if not self.editable_mode:
            self._build_kernels()

    def _build_kernels(self):
        folder = os.path.abspath(self.build_lib)
        bundle = os.path.join(folder, "smoothing", "kernels.qnb")
        if os.path.exists(bundle):  # of an earlier build, which the package would use
            os.remove(bundle)
        command = [sys.executable, "-m", "quernel", "build", "-o", bundle, "--lock", os.devnull]
        # The modules that the wheel will have are those that are compiled.
        subprocess.run(command, check=True, env={**os.environ, "PYTHONPATH": self._path(folder)})

    def _path(self, folder):
        return os.pathsep.join([folder, *filter(None, [os.environ.get("PYTHONPATH")])])


class PlatformDistribution(Distribution):
    """Has code of one kind of processor and of one Python, so its wheel's tag names them."""

    def has_ext_modules(self):
        """Kernels are no extension modules, but setuptools knows no other word for it."""
        return True


setup(cmdclass={"build_py": BuildWithKernels}, distclass=PlatformDistribution)
