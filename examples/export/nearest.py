"""A function for C, C++, Fortran, and Python without Quernel.

quernel export nearest.py:nearest -o libnearest.so
"""

import numpy as np

import quernel as qn


@qn.compile(signatures="float64[n, d], float64[k, d]")
def nearest(points, means):
    """The number of each point's nearest mean, and how far it is away."""
    distances = np.sqrt(((points[:, None] - means) ** 2).sum(axis=2))
    return distances.argmin(axis=1), distances.min(axis=1)
