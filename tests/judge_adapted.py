"""Adapts the unit square to metrics with cfd and with Mmg, and judges both meshes by formulas of its own.

usage: judge_adapted.py CFD MMG2D DIRECTORY

Both programs get the same squares, cut into triangles, and the metric at their vertices. A mesh must consist of triangles
that do not overlap and fill the square: exact areas are positive and add up to 1, every side has one triangle on the rim and
two inside. Then, with the metric M as it is, not as a program has interpolated it:

length of a side        integral of sqrt(e^T M(x) e) along it, Gauss's rule of five points
shape of a triangle     4 sqrt(3) |T| sqrt(det M) / sum of e^T M e, M at its centroid: 1 if equilateral, 0 if flat
number of triangles     of C / 0.433, C the integral of sqrt(det M): 0.433 is the area of the unit equilateral triangle

Away from the rim, cfd's worst shape must be Mmg's at least, or 0.7; its mean shape must be at least 0.9, its number of
triangles 0.9 to 1.05 of C / 0.433, and its share of lengths in [0.71, 1.41] Mmg's, up to two hundredths. Seconds are those of
the processor, and only shown.
"""

import math
import pathlib
import resource
import subprocess
import sys
from collections import Counter
from fractions import Fraction

N = 20
# Points and weights of Gauss's rule on [0, 1].
GAUSS = [
    (0.5 + 0.5 * s * x, 0.5 * w)
    for x, w in (
        (0.0, 128 / 225),
        (math.sqrt(5 - 2 * math.sqrt(10 / 7)) / 3, (322 + 13 * math.sqrt(70)) / 900),
        (math.sqrt(5 + 2 * math.sqrt(10 / 7)) / 3, (322 - 13 * math.sqrt(70)) / 900),
    )
    for s in ((-1, 1) if x > 0 else (1,))
]


def stretched(along, across, degrees):
    """Sizes along a direction and across it."""
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    a, b = 1 / along**2, 1 / across**2
    return a * c * c + b * s * s, (a - b) * c * s, a * s * s + b * c * c


def ring(x, y):
    """Thin triangles along a quarter of a circle."""
    r, angle = math.hypot(x, y), math.degrees(math.atan2(y, x))
    return stretched(0.005 + 0.2 * abs(r - 0.6), 0.08, angle)


METRICS = {
    "h = 0.03": lambda x, y: stretched(0.03, 0.03, 0),
    "h from 0.01 to 0.1 along x": lambda x, y: stretched(*[0.01 * 10**x] * 2, 0),
    "0.1 along x, 1e-3 + 0.2 y along y": lambda x, y: stretched(0.1, 1e-3 + 0.2 * y, 0),
    "ring": ring,
    "aspect ratio 10 at 20 degrees": lambda x, y: stretched(0.1, 0.01, 20),
    "aspect ratio 100 at 0 degrees": lambda x, y: stretched(0.2, 0.002, 0),
    "aspect ratio 100 at 45 degrees": lambda x, y: stretched(0.2, 0.002, 45),
}


def write_square(path, metric):
    places = [(i / N, j / N) for j in range(N + 1) for i in range(N + 1)]
    node = lambda i, j: i + (N + 1) * j + 1
    triangles = []
    for j in range(N):
        for i in range(N):
            a, b, c, d = node(i, j), node(i + 1, j), node(i + 1, j + 1), node(i, j + 1)
            triangles += [(a, b, c), (a, c, d)] if (i + j) % 2 else [(a, b, d), (b, c, d)]
    rim = [(node(k, 0), node(k + 1, 0), 1) for k in range(N)] + [(node(N, k), node(N, k + 1), 2) for k in range(N)]
    rim += [(node(k + 1, N), node(k, N), 3) for k in range(N)] + [(node(0, k + 1), node(0, k), 4) for k in range(N)]
    lines = ["MeshVersionFormatted 2", "Dimension 2", "Vertices", str(len(places))]
    lines += [f"{x!r} {y!r} 0" for x, y in places] + ["Edges", str(len(rim))]
    lines += [f"{a} {b} {of}" for a, b, of in rim] + ["Triangles", str(len(triangles))]
    path.with_suffix(".mesh").write_text("\n".join(lines + [f"{a} {b} {c} 1" for a, b, c in triangles] + ["End\n"]))
    rows = [" ".join(map(repr, metric(x, y))) for x, y in places]
    heading = ["MeshVersionFormatted 2", "Dimension 2", "SolAtVertices", str(len(places)), "1 3"]
    path.with_suffix(".sol").write_text("\n".join(heading + rows + ["End\n"]))


def read(path):
    """Places and triangles of a mesh of Medit's in text."""
    words = iter(path.read_text().split())
    places, triangles = [], []
    for word in words:
        if word == "Vertices":
            for _ in range(int(next(words))):
                places.append((float(next(words)), float(next(words))))
                next(words)
        elif word == "Triangles":
            for _ in range(int(next(words))):
                triangles.append(tuple(int(next(words)) - 1 for _ in range(3)))
                next(words)
    return places, triangles


def check(places, triangles):
    """That the triangles fill the square without overlapping; their number at each side."""
    total, sides = Fraction(0), Counter()
    exact = [(Fraction(x), Fraction(y)) for x, y in places]
    for corners in triangles:
        (x0, y0), (x1, y1), (x2, y2) = (exact[c] for c in corners)
        twice = (x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0)
        assert twice != 0, f"a flat triangle, {corners}"
        total += abs(twice) / 2
        sides.update(frozenset((corners[k], corners[k - 1])) for k in range(3))
    assert abs(total - 1) < 1e-9, float(total)
    rim = 0.0
    for side, count in sides.items():
        (x0, y0), (x1, y1) = (places[c] for c in side)
        on_rim = any(abs(a - at) < 1e-9 and abs(b - at) < 1e-9 for a, b in ((x0, x1), (y0, y1)) for at in (0, 1))
        assert count == (1 if on_rim else 2), f"{count} triangles at a side"
        rim += math.hypot(x1 - x0, y1 - y0) if on_rim else 0.0
    assert abs(rim - 4) < 1e-9, rim
    return sides


def judge(path, metric):
    """Triangles, worst shape, worst away from the rim, mean, share of lengths in the band."""
    places, triangles = read(path)
    sides = check(places, triangles)
    on_rim = {c for side, count in sides.items() if count == 1 for c in side}
    shapes, inner = [], []
    for corners in triangles:
        p = [places[c] for c in corners]
        xx, xy, yy = metric(sum(x for x, _ in p) / 3, sum(y for _, y in p) / 3)
        ways = [(p[k][0] - p[k - 1][0], p[k][1] - p[k - 1][1]) for k in range(3)]
        twice = abs(ways[0][0] * ways[1][1] - ways[0][1] * ways[1][0])
        lengths = sum(xx * a * a + 2 * xy * a * b + yy * b * b for a, b in ways)
        shape = 2 * math.sqrt(3) * twice * math.sqrt(xx * yy - xy * xy) / lengths
        shapes.append(shape)
        if not on_rim & set(corners):
            inner.append(shape)
    in_band = 0
    for (x0, y0), (x1, y1) in ([places[c] for c in side] for side in sides):
        a, b = x1 - x0, y1 - y0
        along = lambda t: (lambda m: math.sqrt(m[0] * a * a + 2 * m[1] * a * b + m[2] * b * b))(metric(x0 + t * a, y0 + t * b))
        in_band += 0.71 <= sum(w * along(t) for t, w in GAUSS) <= 1.41
    return len(triangles), min(shapes), min(inner), sum(shapes) / len(shapes), in_band / len(sides)


def complexity(metric):
    n = 400
    density = lambda i, j: (lambda m: math.sqrt(m[0] * m[2] - m[1] ** 2))(metric((i + 0.5) / n, (j + 0.5) / n))
    return sum(density(i, j) for i in range(n) for j in range(n)) / n**2


def seconds_of(command, **options):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, text=True, **options)
    assert done.returncode == 0, f"{command} ends with {done.returncode}: {done.stdout[-800:]}{done.stderr[-800:]}"
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    cfd, mmg, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    folder.mkdir(parents=True, exist_ok=True)
    print("| metric | program | triangles | of C / 0.433 | worst, inside, mean shape | in [0.71, 1.41] | seconds |")
    print("| --- | --- | ---: | ---: | --- | ---: | ---: |")
    wrong = []
    for name, metric in METRICS.items():
        given = folder / "square"
        write_square(given, metric)
        (folder / "c.toml").write_text(
            'case = "adaptation"\nmesh.file = "square.mesh"\n[adaptation]\nmetric = "file:square.sol"\niterations = 1\n'
            'medit = true\n[output]\ndirectory = "out"\npictures = false\nreport = false\nformats = []\n'
        )
        ours = seconds_of([cfd, "--config", "c.toml", "--threads", "1"], cwd=folder)
        theirs = seconds_of([mmg, "square.mesh", "-sol", "square.sol", "-out", "mmg.mesh", "-v", "0"], cwd=folder)
        expected = complexity(metric) / 0.433
        found = {}
        for program, path, seconds in (("cfd", "out/adapted.mesh", ours), ("Mmg", "mmg.mesh", theirs)):
            count, worst, inner, mean, share = found[program] = judge(folder / path, metric)
            print(
                f"| {name} | {program} | {count} | {count / expected:.2f} | {worst:.3f}, {inner:.3f}, {mean:.3f} "
                f"| {100 * share:.1f} % | {seconds:.2f} |"
            )
        (count, _, inner, mean, share), (_, _, inner_of_mmg, _, share_of_mmg) = found["cfd"], found["Mmg"]
        number_fits = 0.9 <= count / expected <= 1.05
        if inner < min(inner_of_mmg, 0.7) or mean < 0.9 or share < share_of_mmg - 0.02 or not number_fits:
            wrong.append(name)
    if wrong:
        sys.exit(f"not as good as it should be: {'; '.join(wrong)}")


main()
