"""NumPy's functions compiled one at a time: `quernel.numpy`."""

from __future__ import annotations

import pkgutil

import numpy as np
from support import assert_same

import quernel as qn


def test_functions_run_compiled() -> None:
    x = np.array([3.0, 1.0, 2.0])
    assert_same(qn.numpy.sort(x), np.sort(x))
    assert_same(qn.numpy.einsum("i,i->", x, x), np.einsum("i,i->", x, x))
    assert_same(qn.numpy.cumsum(x), np.cumsum(x))
    assert qn.numpy.pi == np.pi
    assert qn.numpy.linalg is np.linalg


def test_no_module_of_ours_hides_a_name_of_numpys() -> None:
    ours = {module.name for module in pkgutil.iter_modules(qn.numpy.__path__)}
    assert not ours & set(dir(np))
