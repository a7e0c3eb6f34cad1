"""The project's own tests, which its CI runs with the kernels of the bundle."""

import os

import numpy as np
from smoothing import outliers, smooth

X = np.random.default_rng(0).normal(size=1000)


def test_smooth():
    """It is NumPy's."""
    np.testing.assert_allclose(smooth(X, 0.25), smooth.__wrapped__(X, 0.25), rtol=1e-12)


def test_outliers():
    """It is NumPy's."""
    assert outliers(X, 2.0) == outliers.__wrapped__(X, 2.0)


def test_nothing_is_compiled_here():
    """The bundle has all programs."""
    if "QUERNEL_BUNDLE" in os.environ:
        assert smooth.stats()["compiles"] == outliers.stats()["compiles"] == 0
