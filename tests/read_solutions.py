#!/usr/bin/env python3
"""Reads the solutions of runs on the standard mesh with h5py, given by their output directories.

Every row is there, in an order that does not depend on the ranks: the solutions agree to rounding.
"""

import sys

import h5py
import numpy

CELLS = 720_000


def solution(directory):
    with h5py.File(f"{directory}/solution.h5") as file:
        q = file["q"][:]
    assert q.shape == (CELLS, 4) and q.dtype == numpy.float64, f"{directory}: q is {q.dtype} of shape {q.shape}"
    assert (q[:, 0] > 0).all(), f"{directory}: density is not positive"
    return q


first, *others = map(solution, sys.argv[1:])
for other in others:
    assert numpy.allclose(other, first, rtol=1e-9, atol=1e-12), "the solutions differ by more than rounding"
print(f"h5py reads the solutions of {' and '.join(sys.argv[1:])}; they agree")
