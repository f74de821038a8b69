#!/usr/bin/env python3
"""Opens VTU and PVTU files with VTK, given by the output directories of runs of one case on several numbers of ranks.

Every cell is there once, with the solution of solution.h5 in the row that its global id says, the same bits; and VTK can draw
the Mach number or the pressure, which is left as mach-vtk.png or pressure-vtk.png beside the file.
"""

import sys
from pathlib import Path

import h5py
import numpy
import vtk
from vtk.util.numpy_support import vtk_to_numpy


def read(directory):
    parallel = Path(directory, "solution.pvtu")
    if parallel.exists():
        reader, path = vtk.vtkXMLPUnstructuredGridReader(), parallel
    else:
        reader, path = vtk.vtkXMLUnstructuredGridReader(), Path(directory, "solution.vtu")
    reader.SetFileName(str(path))
    reader.Update()
    assert reader.GetErrorCode() == 0, f"{path}: VTK cannot read it"
    return path, reader.GetOutput()


def check(directory):
    path, grid = read(directory)
    data = {"cells": grid.GetCellData(), "points": grid.GetPointData()}
    ids = vtk_to_numpy(data["cells"].GetArray("global_id"))
    cells = grid.GetNumberOfCells()
    assert sorted(ids) == list(range(cells)), f"{path}: not every cell once"
    with h5py.File(Path(directory, "solution.h5")) as file:
        fields = {name: file[name][:] for name in file if isinstance(file[name], h5py.Dataset)}
        fields |= {name: values[:] for name, values in file.get("derived", {}).items()}
    on_cells = [name for name, values in fields.items() if len(values) == cells]
    assert on_cells, f"{path}: no field on cells"
    for name in on_cells:
        array = data["cells"].GetArray(name)
        assert array is not None, f"{path}: `{name}` is missing"
        found = vtk_to_numpy(array).reshape(cells, -1)
        assert (found == fields[name][ids]).all(), f"{path}: `{name}` has other values than solution.h5"
    for name in set(fields) - set(on_cells):
        assert data["points"].GetArray(name) is not None, f"{path}: `{name}` is missing on points"
    kinds = {grid.GetCellType(cell) for cell in range(0, cells, max(1, cells // 997))}
    in_space = kinds == {vtk.VTK_HEXAHEDRON}
    assert in_space or kinds <= {vtk.VTK_TRIANGLE, vtk.VTK_QUAD}, f"{path}: cell types {kinds}"
    sizes = vtk.vtkCellSizeFilter()
    sizes.SetInputData(grid)
    sizes.Update()
    size = vtk_to_numpy(sizes.GetOutput().GetCellData().GetArray("Volume" if in_space else "Area"))
    assert (size > 0).all(), f"{path}: a cell has no size: its corners are not in order"
    name = "pressure" if in_space else "mach"
    draw(grid, name, path.parent / f"{name}-vtk.png")
    print(f"VTK reads {path}: {cells} cells, {', '.join(sorted(fields))}")


def draw(grid, name, path):
    mapper = vtk.vtkDataSetMapper()
    mapper.SetInputData(grid)
    mapper.SetScalarModeToUseCellFieldData()
    mapper.SelectColorArray(name)
    mapper.SetScalarRange(grid.GetCellData().GetArray(name).GetRange())
    actor = vtk.vtkActor()
    actor.SetMapper(mapper)
    renderer = vtk.vtkRenderer()
    renderer.AddActor(actor)
    window = vtk.vtkRenderWindow()
    window.SetOffScreenRendering(1)
    window.SetSize(600, 400)
    window.AddRenderer(renderer)
    camera = renderer.GetActiveCamera()
    camera.ParallelProjectionOn()
    camera.SetFocalPoint(0.5, 0, 0)
    # From below: of hexahedra the lowest plane is looked at, which cuts the blast.
    camera.SetPosition(0.5, 0, -10 if name == "pressure" else 10)
    camera.SetParallelScale(1)
    renderer.ResetCameraClippingRange()
    window.Render()
    image = vtk.vtkWindowToImageFilter()
    image.SetInput(window)
    image.Update()
    pixels = vtk_to_numpy(image.GetOutput().GetPointData().GetScalars())
    assert len(numpy.unique(pixels, axis=0)) > 20, "the picture shows no field"
    writer = vtk.vtkPNGWriter()
    writer.SetFileName(str(path))
    writer.SetInputConnection(image.GetOutputPort())
    writer.Write()


for directory in sys.argv[1:]:
    check(directory)
