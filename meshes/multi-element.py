"""Makes multi-element.su2: an airfoil with slat and flap extended, each a NACA section, triangles out to 20 chords.

    pip install gmsh numpy && python meshes/multi-element.py
    python meshes/multi-element.py layers

The second makes multi-element-layers.su2, with layers of quadrilaterals at the walls, for viscous flow. The markers are
slat, main, flap and far_field. Slat and flap are turned with their outer ends down.
"""

import math
import pathlib
import sys

import gmsh
import numpy as np

# Name, NACA digits (camber, place of it, thickness), chord, angle in degrees (trailing edge up), leading edge.
ELEMENTS = [
    ("slat", (6, 4, 12), 0.20, 28.0, (-0.185, -0.059)),
    ("main", (2, 4, 12), 0.80, 0.0, (0.0, 0.0)),
    ("flap", (4, 4, 12), 0.28, -25.0, (0.775, -0.029)),
]
HALF = 60  # points from leading to trailing edge
NEAR, FAR, RADIUS = 0.007, 3.0, 20.0
# First layer, growth and thickness of all; quadrilaterals fan out around each trailing edge.
WALL, GROWTH, LAYERS, FANS = 2e-5, 1.25, 0.005, 9
with_layers = sys.argv[1:] == ["layers"]


def section(digits, chord, angle, place):
    """Points from the trailing edge over the upper side to the leading edge and back; the trailing edge once."""
    m, p, t = digits[0] / 100, digits[1] / 10, digits[2] / 100
    x = 0.5 * (1 - np.cos(np.linspace(0, math.pi, HALF + 1)))
    thickness = 5 * t * (0.2969 * np.sqrt(x) - 0.1260 * x - 0.3516 * x**2 + 0.2843 * x**3 - 0.1036 * x**4)
    thickness[-1] = 0
    camber = np.where(x < p, m / p**2 * (2 * p * x - x**2), m / (1 - p) ** 2 * (1 - 2 * p + 2 * p * x - x**2))
    upper = np.stack([x, camber + thickness], axis=1)
    lower = np.stack([x, camber - thickness], axis=1)
    outline = np.concatenate([upper[::-1], lower[1:-1]])
    a = math.radians(angle)
    turn = np.array([[math.cos(a), math.sin(a)], [-math.sin(a), math.cos(a)]])
    return chord * outline @ turn + np.array(place)


gmsh.initialize()
gmsh.model.add("multi-element")
geo = gmsh.model.geo
outlines = [section(*element[1:]) for element in ELEMENTS]
for a, b in zip(outlines, outlines[1:]):
    gap = np.min(np.linalg.norm(a[:, None] - b[None, :], axis=2))
    assert 0.015 < gap < 0.03, gap
curves = []
for outline in outlines:
    points = [geo.addPoint(x, y, 0) for x, y in outline]
    curves.append([geo.addSpline(points[: HALF + 1]), geo.addSpline(points[HALF:] + points[:1])])
centre = geo.addPoint(0.5, 0, 0)
ring = [geo.addPoint(0.5 + RADIUS * math.cos(a), RADIUS * math.sin(a), 0) for a in np.arange(4) * math.pi / 2]
outer = [geo.addCircleArc(ring[k], centre, ring[(k + 1) % 4]) for k in range(4)]
loops = [geo.addCurveLoop(outer)] + [geo.addCurveLoop(pair) for pair in curves]
geo.addPlaneSurface(loops)
geo.synchronize()

field = gmsh.model.mesh.field
distance = field.add("Distance")
field.setNumbers(distance, "CurvesList", [curve for pair in curves for curve in pair])
field.setNumber(distance, "Sampling", 400)
size = field.add("MathEval")
field.setString(size, "F", f"{NEAR} + 0.14 * F{distance}")
tips = field.add("Distance")
ends = {tag for pair in curves for _, tag in gmsh.model.getBoundary([(1, curve) for curve in pair], combined=False)}
field.setNumbers(tips, "PointsList", sorted(ends))
fine = field.add("MathEval")
field.setString(fine, "F", f"{NEAR} / 3 + 0.14 * F{tips}")
smallest = field.add("Min")
field.setNumbers(smallest, "FieldsList", [size, fine])
field.setAsBackgroundMesh(smallest)
if with_layers:
    layers = field.add("BoundaryLayer")
    field.setNumbers(layers, "CurvesList", [curve for pair in curves for curve in pair])
    trailing = [gmsh.model.getBoundary([(1, pair[0])], combined=False, oriented=False)[0][1] for pair in curves]
    field.setNumbers(layers, "FanPointsList", trailing)
    field.setNumbers(layers, "FanPointsSizesList", [FANS] * len(trailing))
    for key, value in (("Size", WALL), ("Ratio", GROWTH), ("Thickness", LAYERS), ("Quads", 1)):
        field.setNumber(layers, key, value)
    field.setAsBoundaryLayer(layers)
for name in ("MeshSizeExtendFromBoundary", "MeshSizeFromPoints", "MeshSizeFromCurvature"):
    gmsh.option.setNumber(f"Mesh.{name}", 0)
gmsh.option.setNumber("Mesh.MeshSizeMax", FAR)

for (name, *_), pair in zip(ELEMENTS, curves):
    gmsh.model.addPhysicalGroup(1, pair, name=name)
gmsh.model.addPhysicalGroup(1, outer, name="far_field")
gmsh.model.addPhysicalGroup(2, [tag for _, tag in gmsh.model.getEntities(2)], name="gas")
gmsh.model.mesh.generate(2)
if not with_layers:
    gmsh.model.mesh.optimize("Relocate2D")
name = "multi-element-layers.su2" if with_layers else "multi-element.su2"
gmsh.write(str(pathlib.Path(__file__).with_name(name)))
gmsh.finalize()
