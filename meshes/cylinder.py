"""Makes cylinder.msh: a cylinder of diameter 1 in a circle of radius 20, quadrilaterals around it and triangles outside.

    pip install gmsh && python meshes/cylinder.py

The mesh is symmetric about both axes but for the diagonals of the triangles.
"""

import math
import pathlib

import gmsh

AROUND = 40  # cells around a quarter of the circle
RADII = [0.5, 1.5, 20.0]
# Cells outward: near the cylinder as long as wide, farther out three times as long.
STRETCH = [1, 3]
OUTWARD = [round(math.log(b / a) / (s * math.pi / 2 / AROUND)) for a, b, s in zip(RADII, RADII[1:], STRETCH)]
GROWTH = [(b / a) ** (1 / n) for a, b, n in zip(RADII, RADII[1:], OUTWARD)]
QUARTERS = range(4)

gmsh.initialize()
gmsh.model.add("cylinder")
geo = gmsh.model.geo
centre = geo.addPoint(0, 0, 0)


def circle_points(radius):
    angles = [math.pi / 4 + math.pi / 2 * k for k in QUARTERS]
    return [geo.addPoint(radius * math.cos(a), radius * math.sin(a), 0) for a in angles]


points = [circle_points(radius) for radius in RADII]
arcs = [[geo.addCircleArc(ring[k], centre, ring[(k + 1) % 4]) for k in QUARTERS] for ring in points]
rays = [[geo.addLine(points[r][k], points[r + 1][k]) for k in QUARTERS] for r in range(2)]
for r in range(2):
    for k in QUARTERS:
        loop = geo.addCurveLoop([arcs[r][k], rays[r][(k + 1) % 4], -arcs[r + 1][k], -rays[r][k]])
        surface = geo.addPlaneSurface([loop])
        corners = [points[r][k], points[r][(k + 1) % 4], points[r + 1][(k + 1) % 4], points[r + 1][k]]
        geo.mesh.setTransfiniteSurface(surface, "AlternateLeft" if k % 2 else "AlternateRight", corners)
        if r == 0:
            geo.mesh.setRecombine(2, surface)
        geo.mesh.setTransfiniteCurve(rays[r][k], OUTWARD[r] + 1, "Progression", GROWTH[r])
for ring in arcs:
    for arc in ring:
        geo.mesh.setTransfiniteCurve(arc, AROUND + 1)
geo.synchronize()
gmsh.model.addPhysicalGroup(1, arcs[0], name="cylinder")
gmsh.model.addPhysicalGroup(1, arcs[2], name="far_field")
gmsh.model.addPhysicalGroup(2, [tag for _, tag in gmsh.model.getEntities(2)], name="gas")
gmsh.model.mesh.generate(2)
gmsh.option.setNumber("Mesh.MshFileVersion", 4.1)
gmsh.write(str(pathlib.Path(__file__).with_name("cylinder.msh")))
gmsh.finalize()
