"""The functions of the package."""

import numpy as np

import quernel as qn


@qn.compile
def smooth(x, weight):
    """Each element with its neighbours, which have this weight."""
    return x[1:-1] + weight * (x[:-2] - 2 * x[1:-1] + x[2:])


@qn.compile
def outliers(x, most):
    """How many elements are further than so many standard deviations from the mean."""
    return np.count_nonzero(np.abs(x - x.mean()) > most * x.std())
