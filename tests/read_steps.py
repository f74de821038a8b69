#!/usr/bin/env python3
"""Opens VTKHDF files of several steps with VTK: two on 4 x 4 squares, two on 3 x 3 squares that are cut into triangles."""

import sys

import numpy
import vtk
from vtk.util.numpy_support import vtk_to_numpy

for path in sys.argv[1:]:
    reader = vtk.vtkHDFReader()
    reader.SetFileName(path)
    reader.UpdateInformation()
    times = reader.GetOutputInformation(0).Get(vtk.vtkStreamingDemandDrivenPipeline.TIME_STEPS())
    assert list(times) == [0, 0.5, 1, 1.5], f"{path}: times {times}"
    for step, (cells, kind, points) in enumerate([(16, vtk.VTK_QUAD, 25)] * 2 + [(18, vtk.VTK_TRIANGLE, 16)] * 2):
        reader.SetStep(step)
        reader.Update()
        grid = reader.GetOutput()
        assert (grid.GetNumberOfCells(), grid.GetNumberOfPoints()) == (cells, points), f"{path}: step {step}"
        assert {grid.GetCellType(cell) for cell in range(cells)} == {kind}, f"{path}: step {step}"
        v = vtk_to_numpy(grid.GetCellData().GetArray("v"))
        assert (v == numpy.c_[numpy.full(cells, step), numpy.arange(cells), numpy.zeros(cells)]).all(), f"{path}: v of {step}"
        x = vtk_to_numpy(grid.GetPoints().GetData())[:, 0]
        assert (vtk_to_numpy(grid.GetPointData().GetArray("p")) == 10 * step + x).all(), f"{path}: p of step {step}"
        assert grid.GetFieldData().GetArray("iteration").GetValue(0) == 5 * step, f"{path}: iteration of step {step}"
        area = vtk.vtkCellSizeFilter()
        area.SetInputData(grid)
        area.Update()
        area = vtk_to_numpy(area.GetOutput().GetCellData().GetArray("Area")).sum()
        assert abs(area - 1) < 1e-12, f"{path}: the cells of step {step} cover {area}"
    print(f"VTK reads {path}: {len(times)} steps")
