"""Makes wing-layers.msh: half a wing with a rounded tip, layers of prisms on it, tetrahedra out to 15 chords.

    pip install gmsh numpy && python meshes/wing-layers.py

Its sections are ellipses of chord 1 and thickness 0.16, so its trailing edge is round, too: prisms that leave a sharp edge
have angles near 180 degrees. The markers are wing, symmetry (z = 0) and far_field.
"""

import math
import pathlib
from collections import Counter

import gmsh
import numpy as np

THICKNESS, SPAN, RADIUS = 0.16, 0.6, 15.0
# Sizes of triangles on the wing, along its edges, and far away; how they grow with the distance.
NEAR, EDGE, FAR, GROWTH = 0.08, 0.012, 3.0, 0.25
# First layer, growth, number of layers.
WALL, RATIO, LAYERS = 3e-5, 1.4, 17

gmsh.initialize()
gmsh.model.add("wing")
occ, geo, mesh = gmsh.model.occ, gmsh.model.geo, gmsh.model.mesh

# A section, extruded to the tip; its upper half, revolved about the chord there.
centre, nose, tail = (occ.addPoint(x, 0, 0) for x in (0.5, 0, 1))
halves = []
for side in (1, -1):
    crest = occ.addPoint(0.5, side * THICKNESS / 2, 0)
    halves.append([occ.addEllipseArc(nose, centre, nose, crest), occ.addEllipseArc(crest, centre, tail, tail)])
(upper_front, upper_rear), (lower_front, lower_rear) = halves
outline = occ.addCurveLoop([upper_front, upper_rear, -lower_rear, -lower_front])
body = occ.extrude([(2, occ.addPlaneSurface([outline]))], 0, 0, SPAN)
upper = occ.copy([(1, upper_front), (1, upper_rear)])
occ.translate(upper, 0, 0, SPAN)
occ.synchronize()
ends = [tag for _, tag in gmsh.model.getBoundary(upper, oriented=False)]
half = occ.addPlaneSurface([occ.addCurveLoop([tag for _, tag in upper] + [occ.addLine(*ends)])])
cap = occ.revolve([(2, half)], 0, 0, SPAN, 1, 0, 0, math.pi)
volumes = [[entity for entity in part if entity[0] == 3] for part in (body, cap)]
solid, _ = occ.fuse(*volumes)
occ.synchronize()
sides = gmsh.model.getBoundary(solid, oriented=False)
root = [side for side in sides if abs(occ.getCenterOfMass(*side)[2]) < 1e-9]
wing = [side for side in sides if side not in root]
occ.remove(solid + root)
occ.synchronize()

# Layers of prisms, whose outer side and the far field enclose the tetrahedra.
heights = [WALL * (RATIO ** (k + 1) - 1) / (RATIO - 1) for k in range(LAYERS)]
gmsh.option.setNumber("Geometry.ExtrudeReturnLateralEntities", 0)
extruded = geo.extrudeBoundaryLayer(wing, [1] * LAYERS, heights, True)
geo.synchronize()
tops = [top for top, volume in zip(extruded, extruded[1:]) if volume[0] == 3]
layers = [entity for entity in extruded if entity[0] == 3]
hole = geo.addCurveLoops([tag for _, tag in gmsh.model.getBoundary(tops)])
origin, pole = geo.addPoint(0.5, 0, 0), geo.addPoint(0.5, 0, RADIUS)
around = [geo.addPoint(0.5 + RADIUS * math.cos(a), RADIUS * math.sin(a), 0) for a in np.arange(4) * math.pi / 2]
ring = [geo.addCircleArc(around[k], origin, around[(k + 1) % 4]) for k in range(4)]
meridians = [geo.addCircleArc(point, origin, pole) for point in around]
quarters = [[ring[k], meridians[(k + 1) % 4], -meridians[k]] for k in range(4)]
far = [geo.addSurfaceFilling([geo.addCurveLoop(quarter)]) for quarter in quarters]
plane = geo.addPlaneSurface([geo.addCurveLoop(ring), *hole])
gas = geo.addVolume([geo.addSurfaceLoop([tag for _, tag in tops] + far + [plane])])
geo.synchronize()
# The sides of the layers that belong to one of them only are in the plane of symmetry.
counts = Counter(side for layer in layers for side in gmsh.model.getBoundary([layer], oriented=False))
in_plane = [side for side, count in counts.items() if count == 1 and side not in wing and side not in tops]


def sizes_around(entities, smallest):
    """A field of sizes that grow away from entities of one dimension."""
    kind = {1: "CurvesList", 2: "SurfacesList"}[entities[0][0]]
    distance, size = mesh.field.add("Distance"), mesh.field.add("MathEval")
    mesh.field.setNumbers(distance, kind, [tag for _, tag in entities])
    mesh.field.setNumber(distance, "Sampling", 200 if kind == "CurvesList" else 60)
    mesh.field.setString(size, "F", f"{smallest} + {GROWTH} * F{distance}")
    return size


curves = set(gmsh.model.getBoundary(wing, combined=False, oriented=False))
edges = [curve for curve in curves if abs(occ.getCenterOfMass(*curve)[1]) < 1e-6]
finest = mesh.field.add("Min")
mesh.field.setNumbers(finest, "FieldsList", [sizes_around(wing, NEAR), sizes_around(edges, EDGE)])
mesh.field.setAsBackgroundMesh(finest)
for name in ("MeshSizeExtendFromBoundary", "MeshSizeFromPoints", "MeshSizeFromCurvature"):
    gmsh.option.setNumber(f"Mesh.{name}", 0)
gmsh.option.setNumber("Mesh.MeshSizeMax", FAR)
gmsh.model.addPhysicalGroup(2, [tag for _, tag in wing], name="wing")
gmsh.model.addPhysicalGroup(2, far, name="far_field")
symmetry = gmsh.model.addPhysicalGroup(2, [plane] + [tag for _, tag in in_plane], name="symmetry")
gmsh.model.addPhysicalGroup(3, [gas] + [tag for _, tag in layers], name="gas")
mesh.generate(3)
# Normals of the triangles at the root, and with them the layers there, lean out of the plane by up to 0.001.
for tag in mesh.getNodesForPhysicalGroup(2, symmetry)[0]:
    x, y, _ = mesh.getNode(int(tag))[0]
    mesh.setNode(int(tag), [x, y, 0.0], [])
gmsh.write(str(pathlib.Path(__file__).with_name("wing-layers.msh")))
gmsh.finalize()
