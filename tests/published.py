#!/usr/bin/env python3
"""Checks runs of configs/airfoil-published.toml, given by their output directories.

The residual is that of the published Airfoil program after 1,000 iterations, to a relative 1e-7 (its own
acceptance); h5py reads the solutions, and they agree to rounding.
"""

import json
import sys

import h5py
import numpy

PUBLISHED = 0.0001060114637578
CELLS = 720_000


def solution(directory):
    with open(f"{directory}/summary.json") as file:
        summary = json.load(file)
    residual = summary["residual"]["final"]
    error = abs(residual / PUBLISHED - 1)
    print(f"{directory}: {summary['ranks']} ranks, residual {residual:.13e}, off by {error:.1e}")
    assert summary["iterations"] == 1000 and error < 1e-7, "not the published residual"
    with h5py.File(f"{directory}/solution.h5") as file:
        q = file["q"][:]
    assert q.shape == (CELLS, 4) and q.dtype == numpy.float64, f"q is {q.dtype} of shape {q.shape}"
    assert (q[:, 0] > 0).all(), "density is not positive"
    return q


first, *others = map(solution, sys.argv[1:])
for other in others:
    assert numpy.allclose(other, first, rtol=1e-9, atol=1e-12), "the solutions differ by more than rounding"
