// Geometry of a hexahedron, corner by corner: w[a] is a component at corner a.
#pragma once

#include <cmath>
#include <initializer_list>

using Corners = double[8];

inline double triple(double ax, double ay, double az, double bx, double by, double bz, double cx, double cy,
                     double cz) {
    return ax * (by * cz - cy * bz) + ay * (cx * bz - bx * cz) + az * (bx * cy - cx * by);
}

inline double volume(const Corners x, const Corners y, const Corners z) {
    const double a = triple(x[3] - x[1] + (x[7] - x[2]), y[3] - y[1] + (y[7] - y[2]), z[3] - z[1] + (z[7] - z[2]),
                            x[6] - x[3], y[6] - y[3], z[6] - z[3], x[2] - x[0], y[2] - y[0], z[2] - z[0]);
    const double b = triple(x[4] - x[3] + (x[5] - x[7]), y[4] - y[3] + (y[5] - y[7]), z[4] - z[3] + (z[5] - z[7]),
                            x[6] - x[4], y[6] - y[4], z[6] - z[4], x[7] - x[0], y[7] - y[0], z[7] - z[0]);
    const double c = triple(x[1] - x[4] + (x[2] - x[5]), y[1] - y[4] + (y[2] - y[5]), z[1] - z[4] + (z[2] - z[5]),
                            x[6] - x[1], y[6] - y[1], z[6] - z[1], x[5] - x[0], y[5] - y[0], z[5] - z[0]);
    return (a + b + c) * (1.0 / 12.0);
}

// Derivatives by xi, eta, zeta at the middle.
inline void derivatives(const Corners w, double d[3]) {
    const double a = w[6] - w[0], b = w[5] - w[3], c = w[7] - w[1], e = w[4] - w[2];
    d[0] = 0.125 * (a + b - c - e);
    d[1] = 0.125 * (a - b + c - e);
    d[2] = 0.125 * (a + b + c + e);
}

inline void cofactors(const double a[3], const double b[3], double c[3]) {
    c[0] = a[1] * b[2] - b[1] * a[2];
    c[1] = b[0] * a[2] - a[0] * b[2];
    c[2] = a[0] * b[1] - b[0] * a[1];
}

// Eight times the determinant of the Jacobian; the derivatives of the volume at corners 0 to 3, by axis.
inline double jacobian(const Corners x, const Corners y, const Corners z, double b[3][4]) {
    double d[3][3], c[3][3];
    derivatives(x, d[0]);
    derivatives(y, d[1]);
    derivatives(z, d[2]);
    cofactors(d[1], d[2], c[0]);
    cofactors(d[2], d[0], c[1]);
    cofactors(d[0], d[1], c[2]);
    for (int m = 0; m < 3; ++m) {
        b[m][0] = -c[m][0] - c[m][1] - c[m][2];
        b[m][1] = c[m][0] - c[m][1] - c[m][2];
        b[m][2] = c[m][0] + c[m][1] - c[m][2];
        b[m][3] = -c[m][0] + c[m][1] - c[m][2];
    }
    return 8.0 * (d[0][1] * c[0][1] + d[1][1] * c[1][1] + d[2][1] * c[2][1]);
}

inline void add_face(const Corners x, const Corners y, const Corners z, int a, int b, int c, int d, Corners fx,
                     Corners fy, Corners fz) {
    const double sx = 0.5 * (x[d] + x[c] - x[b] - x[a]), rx = 0.5 * (x[c] + x[b] - x[d] - x[a]);
    const double sy = 0.5 * (y[d] + y[c] - y[b] - y[a]), ry = 0.5 * (y[c] + y[b] - y[d] - y[a]);
    const double sz = 0.5 * (z[d] + z[c] - z[b] - z[a]), rz = 0.5 * (z[c] + z[b] - z[d] - z[a]);
    const double ax = 0.25 * (sy * rz - sz * ry), ay = 0.25 * (sz * rx - sx * rz), az = 0.25 * (sx * ry - sy * rx);
    for (int corner : {a, b, c, d}) {
        fx[corner] += ax;
        fy[corner] += ay;
        fz[corner] += az;
    }
}

inline double by_corner(const double y[6], const double z[6]) {
    return ((y[1] + y[2]) * (z[0] + z[1]) - (y[0] + y[1]) * (z[1] + z[2]) + (y[0] + y[4]) * (z[3] + z[4]) -
            (y[3] + y[4]) * (z[0] + z[4]) - (y[2] + y[5]) * (z[3] + z[5]) + (y[3] + y[5]) * (z[2] + z[5])) *
           (1.0 / 12.0);
}

inline void volume_derivatives(const Corners x, const Corners y, const Corners z, double* dx, double* dy,
                               double* dz) {
    static constexpr int around[8][6] = {{1, 2, 3, 4, 5, 7}, {2, 3, 0, 5, 6, 4}, {3, 0, 1, 6, 7, 5},
                                         {0, 1, 2, 7, 4, 6}, {7, 6, 5, 0, 3, 1}, {4, 7, 6, 1, 0, 2},
                                         {5, 4, 7, 2, 1, 3}, {6, 5, 4, 3, 2, 0}};
    for (int a = 0; a < 8; ++a) {
        double p[6], q[6], r[6];
        for (int k = 0; k < 6; ++k) {
            p[k] = x[around[a][k]];
            q[k] = y[around[a][k]];
            r[k] = z[around[a][k]];
        }
        dx[a] = by_corner(q, r);
        dy[a] = -by_corner(p, r);
        dz[a] = -by_corner(q, p);
    }
}

// Forces of a velocity component against the hourglass modes, of which h has four at each corner.
inline void against_modes(const double h[8][4], const Corners u, double coefficient, double* f) {
    double g[4];
    for (int k = 0; k < 4; ++k) {
        g[k] = h[0][k] * u[0];
        for (int a = 1; a < 8; ++a) g[k] += h[a][k] * u[a];
    }
    for (int a = 0; a < 8; ++a)
        f[a] = coefficient * (h[a][0] * g[0] + h[a][1] * g[1] + h[a][2] * g[2] + h[a][3] * g[3]);
}

inline double area(const Corners x, const Corners y, const Corners z, int a, int b, int c, int d) {
    const double fx = (x[c] - x[a]) - (x[d] - x[b]), gx = (x[c] - x[a]) + (x[d] - x[b]);
    const double fy = (y[c] - y[a]) - (y[d] - y[b]), gy = (y[c] - y[a]) + (y[d] - y[b]);
    const double fz = (z[c] - z[a]) - (z[d] - z[b]), gz = (z[c] - z[a]) + (z[d] - z[b]);
    const double fg = fx * gx + fy * gy + fz * gz;
    return (fx * fx + fy * fy + fz * fz) * (gx * gx + gy * gy + gz * gz) - fg * fg;
}

inline double length(const Corners x, const Corners y, const Corners z, double volume) {
    double largest = 0.0;
    largest = std::fmax(largest, area(x, y, z, 0, 1, 2, 3));
    largest = std::fmax(largest, area(x, y, z, 4, 5, 6, 7));
    largest = std::fmax(largest, area(x, y, z, 0, 1, 5, 4));
    largest = std::fmax(largest, area(x, y, z, 1, 2, 6, 5));
    largest = std::fmax(largest, area(x, y, z, 2, 3, 7, 6));
    largest = std::fmax(largest, area(x, y, z, 3, 0, 4, 7));
    return 4.0 * volume / std::sqrt(largest);
}

// Mean differences along xi, eta, zeta.
inline void along(const Corners w, double d[3]) {
    d[0] = 0.25 * ((w[1] + w[2] + w[6] + w[5]) - (w[0] + w[3] + w[7] + w[4]));
    d[1] = -0.25 * ((w[0] + w[1] + w[5] + w[4]) - (w[3] + w[2] + w[6] + w[7]));
    d[2] = 0.25 * ((w[4] + w[5] + w[6] + w[7]) - (w[0] + w[1] + w[2] + w[3]));
}
