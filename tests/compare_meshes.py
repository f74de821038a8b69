"""Compares what cfd says of mesh files with what meshio and Gmsh read in them.

compare_meshes.py PROGRAM FOLDER [FILE...]: writes boxes of every kind of element in every format into FOLDER and compares
them; also the given files, and those in the folder that CFD_REAL_MESHES names, as far as one of both programs reads them.
Numbers of nodes and of elements of each kind, the numbers of the boundaries' elements, and areas or volumes must agree.
"""

import contextlib
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import gmsh
import meshio
import numpy as np

# Kind: our name, dimension, faces around their outward normals; in the plane, the nodes around the element.
KINDS = {
    "line": ("lines", 1, []),
    "triangle": ("triangles", 2, [[0, 1, 2]]),
    "quad": ("quadrilaterals", 2, [[0, 1, 2, 3]]),
    "tetra": ("tetrahedra", 3, [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]),
    "pyramid": ("pyramids", 3, [[0, 3, 2, 1], [0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4]]),
    "wedge": ("prisms", 3, [[0, 2, 1], [3, 4, 5], [0, 1, 4, 3], [1, 2, 5, 4], [2, 0, 3, 5]]),
    "hexahedron": (
        "hexahedra",
        3,
        [[0, 3, 2, 1], [4, 5, 6, 7], [0, 1, 5, 4], [1, 2, 6, 5], [2, 3, 7, 6], [3, 0, 4, 7]],
    ),
}
# Gmsh's numbers of kinds.
OF_GMSH = {1: "line", 2: "triangle", 3: "quad", 4: "tetra", 5: "hexahedron", 6: "wedge", 7: "pyramid"}
# What each program reads, by the endings of names.
MESHIO = (".su2", ".mesh", ".meshb", ".ugrid")
GMSH = (".msh", ".mesh", ".cgns")
# meshio refuses Gmsh's files in which some elements have a physical group and others none. It takes nodes of SU2 in the
# order of their lines, which have other numbers in this file, and UGRID's text in single precision.
OTHER_ORDER = ["su2_ramp_unst.su2"]
SINGLE = ".ugrid"
BOXES = [
    "triangles", "quadrilaterals", "mixed-plane", "tetrahedra", "pyramids", "prisms", "hexahedra", "mixed-space",
]
ENDINGS = [".su2", ".msh", ".mesh", ".meshb", ".ugrid", ".b8.ugrid", ".lb8.ugrid"]


def size_of(kind, x, nodes):
    """The sum of areas or volumes of elements of a kind."""
    name, dimension, faces = KINDS[kind]
    total = 0.0
    for face in faces:
        corners = x[nodes[:, face]]
        # Half the cross product of the diagonals, in which a triangle's last corner counts twice.
        area = 0.5 * np.cross(corners[:, 2] - corners[:, 0], corners[:, -1] - corners[:, 1])
        if len(face) == 3:
            area = 0.5 * np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        if dimension == 2:
            return np.abs(area[:, 2]).sum()
        total = total + np.einsum("ij,ij->i", corners.mean(axis=1), area) / 3.0
    return np.abs(total).sum()


def described(x, cells):
    """Counts and sizes of what a program has read: nodes in use, elements by kind, area or volume."""
    dimension = max(KINDS[kind][1] for kind, _ in cells)
    x = np.pad(np.asarray(x, dtype=float), ((0, 0), (0, 3 - np.shape(x)[1])))
    elements, boundary, total, used = {}, {}, 0.0, set()
    for kind, nodes in cells:
        name, of, _ = KINDS[kind]
        if of == dimension:
            elements[name] = elements.get(name, 0) + len(nodes)
            total += size_of(kind, x, nodes)
            used.update(np.unique(nodes).tolist())
        elif of == dimension - 1:
            boundary[name] = boundary.get(name, 0) + len(nodes)
    return {"nodes": len(used), "elements": elements, "boundary_elements": boundary, "total": total}


def by_meshio(path):
    with contextlib.redirect_stderr(io.StringIO()), contextlib.redirect_stdout(io.StringIO()):
        mesh = meshio.read(path)
    return described(mesh.points, [(block.type, block.data) for block in mesh.cells if block.type in KINDS])


def by_gmsh(path):
    gmsh.initialize()
    try:
        gmsh.option.setNumber("General.Terminal", 0)
        gmsh.open(str(path))
        tags, x, _ = gmsh.model.mesh.getNodes()
        row = np.zeros(int(tags.max()) + 1, dtype=np.int64)
        row[tags] = np.arange(len(tags))
        cells = []
        kinds, _, nodes = gmsh.model.mesh.getElements()
        for kind, of_kind in zip(kinds, nodes):
            if kind in OF_GMSH:
                width = gmsh.model.mesh.getElementProperties(kind)[3]
                cells.append((OF_GMSH[kind], row[of_kind].reshape(-1, width)))
        return described(x.reshape(-1, 3), cells)
    finally:
        gmsh.finalize()


def by_cfd(program, path):
    found = json.loads(subprocess.run([program, "mesh", "info", path, "--json"], check=True, capture_output=True).stdout)
    total = found["area" if found["dimension"] == 2 else "volume"]["total"]
    assert sum(of["elements"] for of in found["boundaries"]) == sum(found["boundary_elements"].values()), path
    return found, {key: found[key] for key in ("nodes", "elements", "boundary_elements")} | {"total": total}


def compare(program, path):
    """Compares all programs that read a file; returns how many do."""
    name = str(path).lower()
    others = [by_meshio] if name.endswith(MESHIO) and path.name not in OTHER_ORDER else []
    others += [by_gmsh] if name.endswith(GMSH) else []
    compared = 0
    for other in others:
        try:
            theirs = other(path)
        except BaseException as error:
            print(f"  {path.name}: {other.__name__} does not read it ({type(error).__name__}: {str(error)[:60]})")
            continue
        ours = by_cfd(program, path)[1]
        if other is by_gmsh and name.endswith(".mesh") and {"pyramids", "prisms"} & set(ours["elements"]):
            # Gmsh leaves them out.
            continue
        is_single = name.endswith(SINGLE) and other is by_meshio
        same = abs(ours["total"] / theirs["total"] - 1.0) < (1e-6 if is_single else 1e-12)
        for key in ("nodes", "elements", "boundary_elements"):
            same &= ours[key] == theirs[key]
        assert same, f"{path}: {ours}, but {other.__name__}: {theirs}"
        compared += 1
    return compared


def main():
    program, folder, *files = sys.argv[1:]
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    run = lambda *words: subprocess.run([program, "mesh", *words], check=True, capture_output=True)
    files = [Path(file) for file in files]
    for kind in BOXES:
        box = folder / f"{kind}.h5"
        run("generate", "box", "--size", "5,4,3", "--elements", kind, "--distortion", "0.2", "-o", box)
        hash_of = by_cfd(program, box)[0]["hash"]
        for ending in ENDINGS:
            if "ugrid" in ending and kind in BOXES[:3]:
                continue
            path = folder / f"{kind}{ending}"
            run("convert", box, path)
            assert by_cfd(program, path)[0]["hash"] == hash_of, path
            files.append(path)
    real = os.environ.get("CFD_REAL_MESHES")
    if real:
        # ADF is refused with the command that converts it.
        of_both = (file for file in Path(real).iterdir() if file.name.lower().endswith(MESHIO + GMSH))
        files += sorted(file for file in of_both if b"ADF Database" not in file.read_bytes()[:40])
    compared = [compare(program, path) for path in files]
    assert sum(of > 0 for of in compared) >= 30, f"only {compared} of {len(files)} files have been compared"
    print(f"{len(files)} files, {sum(compared)} comparisons: counts, areas and volumes agree")


if __name__ == "__main__":
    main()
