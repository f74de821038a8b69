"""Adapts a mesh with cfd, then with Mmg, then with cfd again: regions and what is marked as staying are the same throughout.

usage: adapt_with_mmg.py CFD MMG2D DIRECTORY [LAUNCHER...]
"""

import json
import math
import pathlib
import subprocess
import sys

N = 16
# Mmg writes 15 digits.
NEAR = 1e-12


def node(i, j):
    return i + (N + 1) * j + 1


def write_square(path):
    """The unit square, regions 1 and 2 with a wave between them, and marks."""
    lines = ["MeshVersionFormatted 2", "Dimension 2", "Vertices", str((N + 1) ** 2)]
    for j in range(N + 1):
        for i in range(N + 1):
            x, y = i / N, j / N
            lines.append(f"{x + 0.3 * x * (1 - x) * math.sin(6 * y)!r} {y!r} 0")
    edges = []
    for k in range(N):
        edges += [(node(k, 0), node(k + 1, 0), 3), (node(k, N), node(k + 1, N), 3)]
        edges += [(node(0, k), node(0, k + 1), 4), (node(N, k), node(N, k + 1), 4)]
    edges += [(node(N // 2, k), node(N // 2, k + 1), 5) for k in range(N)]
    edges.append((node(12, 9), node(13, 9), 6))
    lines += ["Edges", str(len(edges))] + [" ".join(map(str, edge)) for edge in edges]
    triangles = []
    for j in range(N):
        for i in range(N):
            a, b, c, d = node(i, j), node(i + 1, j), node(i + 1, j + 1), node(i, j + 1)
            region = 1 if 2 * i < N else 2
            triangles += [(a, b, c, region), (a, c, d, region)]
    lines += ["Triangles", str(len(triangles))] + [" ".join(map(str, row)) for row in triangles]
    # One side of the rim, one between the regions, the one inside; a vertex inside.
    required = [4 * 5 + 1, 4 * N + 4, len(edges)]
    lines += ["RequiredVertices", "1", str(node(4, 4)), "RequiredEdges", "3"] + [str(edge) for edge in required]
    path.write_text("\n".join(lines + ["End"]) + "\n")


def read(path):
    """Vertices, edges, triangles and marks of a mesh of Medit's in text."""
    words = iter(path.read_text().split())
    found = {}
    widths = {"Vertices": 3, "Edges": 3, "Triangles": 4}
    for word in words:
        if word in widths:
            rows = int(next(words))
            found[word] = [[float(next(words)) for _ in range(widths[word])] for _ in range(rows)]
        elif word in ("RequiredVertices", "RequiredEdges", "Corners", "Ridges"):
            found[word] = [int(next(words)) for _ in range(int(next(words)))]
        elif word in ("Dimension", "MeshVersionFormatted"):
            next(words)
    return found


def places(mesh):
    """Places of the vertices, and of the ends of the sides, that are marked."""
    at = [tuple(row[:2]) for row in mesh["Vertices"]]
    vertices = [at[number - 1] for number in mesh.get("RequiredVertices", [])]
    edges = [mesh["Edges"][number - 1] for number in mesh.get("RequiredEdges", [])]
    return vertices, [sorted(at[int(end) - 1] for end in edge[:2]) for edge in edges]


def areas(mesh):
    at = [row[:2] for row in mesh["Vertices"]]
    sums = {}
    for a, b, c, region in mesh["Triangles"]:
        (ax, ay), (bx, by), (cx, cy) = (at[int(v) - 1] for v in (a, b, c))
        sums[region] = sums.get(region, 0.0) + 0.5 * ((bx - ax) * (cy - ay) - (by - ay) * (cx - ax))
    return sums


def near(one, other):
    return all(abs(a - b) < NEAR for a, b in zip(one, other))


def check(path, given, what):
    """All marks of the given mesh are there; so are the regions."""
    mesh = read(path)
    (vertices, sides), (old_vertices, old_sides) = places(mesh), places(given)
    for place in old_vertices:
        assert any(near(place, other) for other in vertices), f"{what}: the vertex at {place} is not required"
    for ends in old_sides:
        found = [other for other in sides if near(ends[0], other[0]) and near(ends[1], other[1])]
        # Mmg lists lines inside twice.
        assert found, f"{what}: the side {ends} is not required"
    before, after = areas(given), areas(mesh)
    assert before.keys() == after.keys(), f"{what}: regions {after.keys()}"
    for region, area in before.items():
        assert abs(after[region] - area) < 3e-3, f"{what}: region {region} has an area of {after[region]}, not {area}"
    count = len(mesh["Triangles"])
    print(f"{what:>10}: {count} triangles, {len(vertices)} vertices and {len(sides)} sides required, areas "
          + ", ".join(f"{area:.6f}" for _, area in sorted(after.items())))
    return count


def adapt(cfd, folder, mesh, size, out, launcher=()):
    config = folder / f"{out}.toml"
    config.write_text(
        f'case = "adaptation"\nmesh.file = "{mesh}"\n[adaptation]\nmetric = "uniform"\nsize = {size}\nmedit = true\n'
        f'iterations = 2\n[output]\ndirectory = "{out}"\n'
    )
    command = [*launcher, cfd, "--config", config.name]
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    return json.loads((folder / out / "summary.json").read_text())["mesh_hash"]


def main():
    cfd, mmg2d, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    launchers = [[], *([sys.argv[4:]] if len(sys.argv) > 4 else [])]
    folder.mkdir(parents=True, exist_ok=True)
    write_square(folder / "given.mesh")
    given = read(folder / "given.mesh")
    hashes = {adapt(cfd, folder, "given.mesh", 0.05, "first", launcher) for launcher in launchers}
    assert len(hashes) == 1, hashes
    fine = check(folder / "first/adapted.mesh", given, "cfd")
    # Without the metric beside it, which contradicts -hsiz.
    (folder / "middle.mesh").write_text((folder / "first/adapted.mesh").read_text())
    sizes = ["-hsiz", "0.1", "-hausd", "0.001"]
    command = [mmg2d, *sizes, "-v", "0", "-in", "middle.mesh", "-out", "mmg.mesh"]
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    middle = check(folder / "mmg.mesh", given, "Mmg")
    hashes = {adapt(cfd, folder, "mmg.mesh", 0.2, "last", launcher) for launcher in launchers}
    assert len(hashes) == 1, hashes
    coarse = check(folder / "last/adapted.mesh", given, "cfd again")
    assert fine > 2 * middle > 4 * coarse, (fine, middle, coarse)


if __name__ == "__main__":
    main()
