#!/usr/bin/env python3
"""Recomputes the hash of adapted meshes from solution.vtu, given by the output directories of runs on one rank.

The mesh is one of the unit square, whose boundaries are bottom, right, top and left (tags 1 to 4).
"""

import json
import sys
from pathlib import Path

import numpy
import vtk
from blake3 import blake3
from vtk.util.numpy_support import vtk_to_numpy


def mesh_hash(x, triangles):
    sides = numpy.sort(numpy.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]]), axis=1)
    sides, count = numpy.unique(sides, axis=0, return_counts=True)
    facets = sides[count == 1]
    (x0, y0), (x1, y1) = (x[facets].min(axis=1).T, x[facets].max(axis=1).T)
    tags = numpy.select([y1 < 1e-9, x0 > 1 - 1e-9, y0 > 1 - 1e-9, x1 < 1e-9], [1, 2, 3, 4])
    words = b"".join(name + b"\0" + len(rows).to_bytes(8, "little")
                     for name, rows in [(b"vertices", x), (b"elements", triangles), (b"facets", facets)])
    for name, rows in [(b"element_vertices", triangles), (b"facet_vertices", facets), (b"x", x),
                       (b"boundary", tags.reshape(-1, 1))]:
        sizes = numpy.array(rows.shape, "<u8").tobytes()
        words += name + b"\0" + sizes + rows.astype("<f8" if name == b"x" else "<i8").tobytes()
    return "blake3:" + blake3(words).hexdigest()


for directory in sys.argv[1:]:
    reader = vtk.vtkXMLUnstructuredGridReader()
    reader.SetFileName(str(Path(directory, "solution.vtu")))
    reader.Update()
    grid = reader.GetOutput()
    points = vtk_to_numpy(grid.GetPoints().GetData())[:, :2]
    corners = vtk_to_numpy(grid.GetCells().GetConnectivityArray()).reshape(-1, 3)
    found = mesh_hash(points, corners)
    expected = json.loads(Path(directory, "summary.json").read_text())["mesh_hash"]
    assert found == expected, f"{directory}: the hash from the VTU file is {found}, that of summary.json {expected}"
    print(f"{directory}: {len(corners)} triangles, {found}")
