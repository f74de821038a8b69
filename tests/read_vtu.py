#!/usr/bin/env python3
"""Opens VTU, PVTU and VTKHDF files with VTK, given by the output directories of runs of one case on several numbers of ranks.

Every cell is there once, with the solution of solution.h5 in the row that its global id says, the same bits; vectors have three
components, and streamlines can be drawn of the velocity; what is known of the run is field data. solution.vtkhdf has the same, in
global order, with all steps. Of MG-CFD's meshes there are hexahedra and the body's surface. VTK can draw the Mach number or the
pressure, which is left as mach-vtk.png or pressure-vtk.png beside the file.
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


def named(name, values):
    """The arrays that a field becomes: conserved variables by name, vectors of three components."""
    name = name.removeprefix("level0/")
    if name in ("q", "variables"):
        axes = values.shape[1] - 2
        return named("density", values[:, 0]) | named("momentum", values[:, 1 : 1 + axes]) | named("energy", values[:, -1])
    if values.ndim == 2 and values.shape[1] == 2:
        values = numpy.c_[values, numpy.zeros(len(values))]
    return {name: values}


def fields(directory):
    """All fields of solution.h5 that are on the grid, by the names of their arrays."""
    found = {}

    def visit(name, item):
        name = name.removeprefix("derived/")
        if isinstance(item, h5py.Dataset) and not name.startswith(("mesh/", "level1", "level2", "level3")):
            found.update(named(name, item[:]))

    with h5py.File(Path(directory, "solution.h5")) as file:
        file.visititems(visit)
        mesh = {name: item[:] for name, item in file.get("mesh", {}).items()}
        return found, mesh, file.attrs["solution_hash"]


def array(data, name, path):
    found = data.GetArray(name)
    assert found is not None, f"{path}: `{name}` is missing"
    return vtk_to_numpy(found)


def check(directory):
    path, grid = read(directory)
    cells, points = grid.GetCellData(), grid.GetPointData()
    ids = array(cells, "global_id", path)
    assert sorted(ids) == list(range(grid.GetNumberOfCells())), f"{path}: not every cell once"
    expected, mesh, solution_hash = fields(directory)
    of_points = {}
    for name, values in expected.items():
        if cells.GetArray(name) is not None:
            found = array(cells, name, path)
            assert (found == values.reshape(found.shape)[ids]).all(), f"{path}: `{name}` has other values than solution.h5"
        else:
            of_points[name] = array(points, name, path)
    # Pieces share points.
    numbers = set(array(points, "global_id", path))
    assert numbers == set(range(len(numbers))), f"{path}: not every point"
    for number in range(points.GetNumberOfArrays()):
        assert points.GetArrayName(number) in {"global_id", *expected}, f"{path}: what is {points.GetArrayName(number)}?"
    data = grid.GetFieldData()
    assert data.GetAbstractArray("case") is not None, f"{path}: no field data"
    assert data.GetAbstractArray("solution_hash").GetValue(0) == solution_hash, f"{path}: another hash"
    assert data.GetArray("TimeValue").GetValue(0) == data.GetArray("iteration").GetValue(0) > 0

    kinds = {grid.GetCellType(cell) for cell in range(0, grid.GetNumberOfCells())}
    in_space = vtk.VTK_HEXAHEDRON in kinds
    assert in_space or kinds <= {vtk.VTK_TRIANGLE, vtk.VTK_QUAD}, f"{path}: cell types {kinds}"
    solid = grid
    if cells.GetArray("dimension") is not None:
        solid, surface = part(grid, "dimension", 3), part(grid, "dimension", 2)
        body = part(surface, "group", 1)
        assert 0 < body.GetNumberOfCells() < surface.GetNumberOfCells(), f"{path}: no body"
        assert solid.GetNumberOfCells() + surface.GetNumberOfCells() == grid.GetNumberOfCells()
        area = vtk_to_numpy(sizes(body).GetArray("Area")).sum()
        # Both sides of the M6's planform, a little more for its thickness.
        planform = 1.1963 * 0.8059 * (1 + 0.562)
        assert 0.97 < area / planform < 1.06, f"{path}: the body's area is {area}"
    size = vtk_to_numpy(sizes(solid).GetArray("Volume" if in_space else "Area"))
    assert (size > 0).all(), f"{path}: a cell has no size: its corners are not in order"
    if "velocity" in expected and "mach" in expected:
        streamlines(grid, path)
    name = "mach" if "mach" in expected else "pressure"
    if cells.GetArray(name) is not None:
        draw(grid, name, path.parent / f"{name}-vtk.png", -10 if in_space else 10)
    print(f"VTK reads {path}: {grid.GetNumberOfCells()} cells, {', '.join(sorted(expected))}")
    check_vtkhdf(directory, expected, mesh, solution_hash)


def check_vtkhdf(directory, expected, mesh, solution_hash):
    path = Path(directory, "solution.vtkhdf")
    if not path.exists():
        return
    reader = vtk.vtkHDFReader()
    assert reader.CanReadFile(str(path)), f"{path}: VTK cannot read it"
    reader.SetFileName(str(path))
    reader.UpdateInformation()
    steps = reader.GetNumberOfSteps()
    # Of a single step VTK makes no time.
    times = reader.GetOutputInformation(0).Get(vtk.vtkStreamingDemandDrivenPipeline.TIME_STEPS()) if steps > 1 else None
    assert steps >= 1 and (times is None or len(times) == steps), f"{path}: {steps} steps at {times}"
    before = None
    for step in range(steps):
        reader.SetStep(step)
        reader.Update()
        grid = reader.GetOutput()
        assert grid.GetNumberOfCells() > 0 and grid.GetFieldData().GetAbstractArray("case") is not None
        data = grid.GetFieldData()
        iteration = data.GetArray("iteration").GetValue(0)
        assert times is None or iteration == times[step], f"{path}: step {step}"
        values = {name: array(*place(grid, name), path).copy() for name in expected}
        assert before is None or any((values[name] != before[name]).any() for name in expected), "the same step again"
        before = values
    assert data.GetAbstractArray("solution_hash").GetValue(0) == solution_hash, f"{path}: another hash"
    # The last step is the solution, row by row as in solution.h5.
    for name, found in expected.items():
        assert (values[name] == found.reshape(values[name].shape)).all(), f"{path}: `{name}` is not that of solution.h5"
    if mesh:
        points = vtk_to_numpy(grid.GetPoints().GetData())
        dim = mesh["coordinates"].shape[1]
        assert (points[:, :dim] == mesh["coordinates"]).all(), f"{path}: other points than in solution.h5"
        first = [grid.GetCell(0).GetPointId(k) for k in range(grid.GetCell(0).GetNumberOfPoints())]
        assert first == list(mesh["connectivity"][0][: len(first)]), f"{path}: other cells than in solution.h5"
        rows = len(mesh["connectivity"]) + len(mesh.get("surface", []))
        assert rows == grid.GetNumberOfCells(), f"{path}: {rows} cells in solution.h5"
    if "velocity" in expected and "mach" in expected:
        streamlines(grid, path)
    print(f"VTK reads {path}: {steps} steps, the last of iteration {iteration}")


def place(grid, name):
    cells = grid.GetCellData()
    return (cells if cells.GetArray(name) is not None else grid.GetPointData()), name


def part(grid, name, value):
    """The cells whose array has a value."""
    threshold = vtk.vtkThreshold()
    threshold.SetInputData(grid)
    threshold.SetInputArrayToProcess(0, 0, 0, vtk.vtkDataObject.FIELD_ASSOCIATION_CELLS, name)
    threshold.SetLowerThreshold(value)
    threshold.SetUpperThreshold(value)
    threshold.SetThresholdFunction(vtk.vtkThreshold.THRESHOLD_BETWEEN)
    threshold.Update()
    return threshold.GetOutput()


def sizes(grid):
    filter = vtk.vtkCellSizeFilter()
    filter.SetInputData(grid)
    filter.Update()
    return filter.GetOutput().GetCellData()


def streamlines(grid, path):
    """Streamlines of the velocity come from upstream around the body."""
    cells = grid.GetCellData().GetArray("velocity") is not None
    seeds = vtk.vtkLineSource()
    span = 0.0 if grid.GetBounds()[5] == 0 else 0.3
    seeds.SetPoint1(-1.0, -0.5, span)
    seeds.SetPoint2(-1.0, 0.5, span)
    seeds.SetResolution(9)
    tracer = vtk.vtkStreamTracer()
    tracer.SetInputData(grid)
    tracer.SetSourceConnection(seeds.GetOutputPort())
    association = vtk.vtkDataObject.FIELD_ASSOCIATION_CELLS if cells else vtk.vtkDataObject.FIELD_ASSOCIATION_POINTS
    tracer.SetInputArrayToProcess(0, 0, 0, association, "velocity")
    tracer.SetMaximumPropagation(3.0)
    tracer.SetIntegrationDirectionToForward()
    tracer.Update()
    lines = tracer.GetOutput()
    assert lines.GetNumberOfCells() >= 9, f"{path}: {lines.GetNumberOfCells()} streamlines"
    assert lines.GetBounds()[1] > 0.5, f"{path}: streamlines end at x = {lines.GetBounds()[1]}"


def draw(grid, name, path, height):
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
    camera.SetPosition(0.5, 0, height)
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
if len(sys.argv) > 2:
    # One file of all ranks: its bytes do not say how many there were.
    files = [Path(directory, "solution.vtkhdf") for directory in sys.argv[1:]]
    assert len({file.read_bytes() for file in files if file.exists()}) <= 1, f"{files}: other bytes on other ranks"
