#!/usr/bin/env python3
"""Opens VTU and PVTU files of mixed elements with VTK, given by their directories, in which the tests of cfd-io have left them.

VTK finds the lengths, areas and volumes of each group that stand beside the file, and the faces of all elements pointing
outwards.
"""

import sys
from pathlib import Path

import numpy
import vtk
from vtk.util.numpy_support import vtk_to_numpy


def read(directory):
    parallel = sorted(directory.glob("*.pvtu"))
    if parallel:
        reader, path = vtk.vtkXMLPUnstructuredGridReader(), parallel[0]
    else:
        reader, path = vtk.vtkXMLUnstructuredGridReader(), next(directory.glob("*.vtu"))
    reader.SetFileName(str(path))
    reader.Update()
    assert reader.GetErrorCode() == 0, f"{path}: VTK cannot read it"
    return path, reader.GetOutput()


def points(cell):
    return numpy.array([cell.GetPoints().GetPoint(k) for k in range(cell.GetNumberOfPoints())])


def check_faces(path, cell):
    middle = points(cell).mean(0)
    for number in range(cell.GetNumberOfFaces()):
        x = points(cell.GetFace(number))
        normal = numpy.cross(x[1] - x[0], x[2] - x[0])
        assert normal @ (x.mean(0) - middle) > 0, f"{path}: face {number} of a {cell.GetClassName()} points inwards"


def check(directory):
    path, grid = read(directory)
    filter = vtk.vtkCellSizeFilter()
    filter.SetInputData(grid)
    filter.Update()
    data = filter.GetOutput().GetCellData()
    array = lambda name: vtk_to_numpy(data.GetArray(name))
    cells = grid.GetNumberOfCells()
    assert sorted(array("global_id")) == list(range(cells)), f"{path}: not every element once"
    measures = {1: array("Length"), 2: array("Area"), 3: array("Volume")}
    dimension, group = array("dimension"), array("group")
    for line in (directory / "sizes.txt").read_text().splitlines():
        of, id, size = line.split()
        of, id, size = int(of), int(id), float(size)
        chosen = (dimension == of) & ((group == id) | (id < 0))
        found = measures[of][chosen]
        assert (found > 0).all(), f"{path}: group {id} has an element without a size"
        assert abs(found.sum() - size) < 1e-9 * size, f"{path}: group {id} of {of}: {found.sum()}, expected {size}"
    for cell in range(cells):
        if dimension[cell] == 3:
            check_faces(path, grid.GetCell(cell))
    kinds = {grid.GetCell(cell).GetClassName() for cell in range(cells)}
    print(f"VTK reads {path}: {cells} elements, {', '.join(sorted(kinds))}")


for directory in sys.argv[1:]:
    check(Path(directory))
