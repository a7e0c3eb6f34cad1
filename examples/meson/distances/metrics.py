"""The functions of the package."""

import numpy as np

import quernel as qn


@qn.compile
def nearest(points, centres):
    """The index of each point's nearest centre."""
    return np.argmin(np.linalg.norm(points - centres[:, None], axis=2), axis=0)
