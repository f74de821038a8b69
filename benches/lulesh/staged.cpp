// LULESH as a plain program on one core, in the structure that published versions for threads have: forces of the
// elements go to arrays with eight entries an element, and nodes gather them from there; the equation of state works
// on copies of a region's values. Prints cycles, seconds of the cycles and the energy at the origin.
//
//     staged SIZE CYCLES REGIONS COST

#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "blast.hpp"

static constexpr double modes[4][8] = {{1, 1, -1, -1, -1, -1, 1, 1},
                                       {1, -1, -1, 1, -1, 1, 1, -1},
                                       {1, -1, 1, -1, 1, -1, 1, -1},
                                       {-1, 1, -1, 1, 1, -1, 1, -1}};

void Blast::gather(bool adds) {
    for (int node = 0; node < nodes; ++node) {
        double sx = 0.0, sy = 0.0, sz = 0.0;
        for (int use = first_use[node]; use < first_use[node + 1]; ++use) {
            sx += cx[uses[use]];
            sy += cy[uses[use]];
            sz += cz[uses[use]];
        }
        fx[node] = adds ? fx[node] + sx : sx;
        fy[node] = adds ? fy[node] + sy : sy;
        fz[node] = adds ? fz[node] + sz : sz;
    }
}

void Blast::stress() {
    for (int k = 0; k < elems; ++k) sigma[k] = -p[k] - q[k];
    for (int k = 0; k < elems; ++k) {
        Corners a, b, c, bx = {}, by = {}, bz = {};
        double of_axes[3][4];
        collect(k, a, b, c, x, y, z);
        determ[k] = jacobian(a, b, c, of_axes);
        add_face(a, b, c, 0, 1, 2, 3, bx, by, bz);
        add_face(a, b, c, 0, 4, 5, 1, bx, by, bz);
        add_face(a, b, c, 1, 5, 6, 2, bx, by, bz);
        add_face(a, b, c, 2, 6, 7, 3, bx, by, bz);
        add_face(a, b, c, 3, 7, 4, 0, bx, by, bz);
        add_face(a, b, c, 4, 7, 6, 5, bx, by, bz);
        for (int i = 0; i < 8; ++i) {
            cx[8 * k + i] = -(sigma[k] * bx[i]);
            cy[8 * k + i] = -(sigma[k] * by[i]);
            cz[8 * k + i] = -(sigma[k] * bz[i]);
        }
    }
    gather(false);
    for (int k = 0; k < elems; ++k)
        if (determ[k] <= 0.0) std::exit(3);
}

void Blast::hourglass() {
    for (int k = 0; k < elems; ++k) {
        collect(k, &x8[8 * k], &y8[8 * k], &z8[8 * k], x, y, z);
        volume_derivatives(&x8[8 * k], &y8[8 * k], &z8[8 * k], &dvx[8 * k], &dvy[8 * k], &dvz[8 * k]);
        determ[k] = volo[k] * rel[k];
        if (rel[k] <= 0.0) std::exit(3);
    }
    for (int k = 0; k < elems; ++k) {
        const double *px = &x8[8 * k], *py = &y8[8 * k], *pz = &z8[8 * k];
        const double inverse = 1.0 / determ[k];
        double h[8][4];
        for (int mode = 0; mode < 4; ++mode) {
            double mx = px[0] * modes[mode][0], my = py[0] * modes[mode][0], mz = pz[0] * modes[mode][0];
            for (int a = 1; a < 8; ++a) {
                mx += px[a] * modes[mode][a];
                my += py[a] * modes[mode][a];
                mz += pz[a] * modes[mode][a];
            }
            for (int a = 0; a < 8; ++a)
                h[a][mode] =
                    modes[mode][a] - inverse * (dvx[8 * k + a] * mx + dvy[8 * k + a] * my + dvz[8 * k + a] * mz);
        }
        Corners a, b, c;
        collect(k, a, b, c, u, v, w);
        const double coefficient = -3.0 * 0.01 * ss[k] * volo[k] / std::cbrt(determ[k]);
        against_modes(h, a, coefficient, &cx[8 * k]);
        against_modes(h, b, coefficient, &cy[8 * k]);
        against_modes(h, c, coefficient, &cz[8 * k]);
    }
    gather(true);
}

void Blast::move() {
    for (int node = 0; node < nodes; ++node) {
        ax[node] = fx[node] / mass[node];
        ay[node] = fy[node] / mass[node];
        az[node] = fz[node] / mass[node];
    }
    for (int node : planes[0]) ax[node] = 0.0;
    for (int node : planes[1]) ay[node] = 0.0;
    for (int node : planes[2]) az[node] = 0.0;
    auto moved = [this](double velocity, double a) {
        const double next = velocity + a * dt;
        return std::fabs(next) < 1e-7 ? 0.0 : next;
    };
    for (int node = 0; node < nodes; ++node) {
        u[node] = moved(u[node], ax[node]);
        v[node] = moved(v[node], ay[node]);
        w[node] = moved(w[node], az[node]);
    }
    for (int node = 0; node < nodes; ++node) {
        x[node] += u[node] * dt;
        y[node] += v[node] * dt;
        z[node] += w[node] * dt;
    }
}

void Blast::kinematics() {
    for (int k = 0; k < elems; ++k) {
        Corners a, b, c, du, dv, dw;
        collect(k, a, b, c, x, y, z);
        collect(k, du, dv, dw, u, v, w);
        const double own = volume(a, b, c);
        vnew[k] = own / volo[k];
        delv[k] = vnew[k] - rel[k];
        arealg[k] = length(a, b, c, own);
        for (int i = 0; i < 8; ++i) {
            a[i] -= 0.5 * dt * du[i];
            b[i] -= 0.5 * dt * dv[i];
            c[i] -= 0.5 * dt * dw[i];
        }
        double of[3][4];
        const double inverse = 1.0 / jacobian(a, b, c, of);
        auto derivative = [&](const double m[4], const Corners f) {
            return inverse *
                   (m[0] * (f[0] - f[6]) + m[1] * (f[1] - f[7]) + m[2] * (f[2] - f[4]) + m[3] * (f[3] - f[5]));
        };
        dxx[k] = derivative(of[0], du);
        dyy[k] = derivative(of[1], dv);
        dzz[k] = derivative(of[2], dw);
    }
    for (int k = 0; k < elems; ++k) {
        vdov[k] = dxx[k] + dyy[k] + dzz[k];
        if (vnew[k] <= 0.0) std::exit(3);
    }
}

void Blast::gradients() {
    for (int k = 0; k < elems; ++k) {
        Corners c[6];
        double d[6][3];
        collect(k, c[0], c[1], c[2], x, y, z);
        collect(k, c[3], c[4], c[5], u, v, w);
        for (int m = 0; m < 6; ++m) along(c[m], d[m]);
        const double own = volo[k] * vnew[k], inverse = 1.0 / (own + 1e-36);
        for (int m = 0; m < 3; ++m) {
            const int i = (m + 1) % 3, j = (m + 2) % 3;
            const double a[3] = {d[0][i], d[1][i], d[2][i]}, b[3] = {d[0][j], d[1][j], d[2][j]};
            double face[3];
            cofactors(a, b, face);
            delx[m][k] = own / std::sqrt(face[0] * face[0] + face[1] * face[1] + face[2] * face[2] + 1e-36);
            delu[m][k] = inverse * face[0] * d[3][m] + inverse * face[1] * d[4][m] + inverse * face[2] * d[5][m];
        }
    }
}

void Blast::viscosity() {
    for (const Region& region : regions) {
        for (int k : region.list) {
            double phi[3], s[3];
            for (int m = 0; m < 3; ++m) {
                const double own = delu[m][k];
                const double low = is_symmetric[m][k] ? own : delu[m][below[m][k]];
                const double high = is_free[m][k] ? 0.0 : delu[m][above[m][k]];
                phi[m] = limiter(own, low, high);
                s[m] = std::fmin(own * delx[m][k], 0.0);
            }
            const double rho = volo[k] / (volo[k] * vnew[k]);
            const double linear = s[0] * (1.0 - phi[0]) + s[1] * (1.0 - phi[1]) + s[2] * (1.0 - phi[2]);
            const double square = s[0] * s[0] * (1.0 - phi[0] * phi[0]) + s[1] * s[1] * (1.0 - phi[1] * phi[1]) +
                                  s[2] * s[2] * (1.0 - phi[2] * phi[2]);
            qq[k] = vdov[k] > 0.0 ? 0.0 : 2.0 / 3.0 * rho * square;
            ql[k] = vdov[k] > 0.0 ? 0.0 : -0.5 * rho * linear;
        }
    }
    for (int k = 0; k < elems; ++k)
        if (q[k] > 1e12) std::exit(3);
}

void Blast::material() {
    for (int k = 0; k < elems; ++k) held[k] = std::fmin(std::fmax(vnew[k], 1e-9), 1e9);
    for (const Region& region : regions) {
        const size_t count = region.list.size();
        Work work(count);
        for (int evaluation = 0; evaluation < region.evaluations; ++evaluation) {
            for (size_t i = 0; i < count; ++i) {
                const int k = region.list[i];
                work.e_old[i] = e[k];
                work.delv[i] = delv[k];
                work.p_old[i] = held[k] >= 1e9 ? 0.0 : p[k];
                work.q_old[i] = q[k];
                work.qq[i] = qq[k];
                work.ql[i] = ql[k];
            }
            for (size_t i = 0; i < count; ++i) {
                const double relative = held[region.list[i]];
                work.compression[i] = relative >= 1e9 ? 0.0 : 1.0 / relative - 1.0;
                work.half[i] = relative >= 1e9 ? 0.0 : 1.0 / (relative - work.delv[i] * 0.5) - 1.0;
                if (relative <= 1e-9) work.half[i] = work.compression[i];
            }
            energies(work, held, region.list);
        }
        for (size_t i = 0; i < count; ++i) {
            const int k = region.list[i];
            p[k] = work.p[i];
            e[k] = work.e[i];
            q[k] = work.q[i];
            ss[k] = sound(work.e[i], held[k], work.b[i], work.p[i]);
        }
    }
    for (int k = 0; k < elems; ++k) rel[k] = std::fabs(vnew[k] - 1.0) < 1e-10 ? 1.0 : vnew[k];
}

void Blast::limits() {
    courant = hydro = 1e20;
    for (const Region& region : regions) {
        for (int k : region.list) {
            if (vdov[k] == 0.0) continue;
            double square = ss[k] * ss[k];
            if (vdov[k] < 0.0) square += 256.0 * arealg[k] * arealg[k] * vdov[k] * vdov[k];
            courant = std::fmin(courant, arealg[k] / std::sqrt(square));
        }
        for (int k : region.list)
            if (vdov[k] != 0.0) hydro = std::fmin(hydro, 0.1 / (std::fabs(vdov[k]) + 1e-20));
    }
}

void Blast::next_step() {
    double rest = 1e-2 - t;
    if (!first) {
        double next = 1e20;
        if (courant < next) next = courant / 2.0;
        if (hydro < next) next = hydro * 2.0 / 3.0;
        const double ratio = next / dt;
        if (ratio >= 1.0 && ratio < 1.1)
            next = dt;
        else if (ratio > 1.2)
            next = dt * 1.2;
        dt = std::fmin(next, 1e-2);
    }
    first = false;
    if (rest > dt && rest < 4.0 * dt / 3.0) rest = 2.0 * dt / 3.0;
    if (rest < dt) dt = rest;
    t += dt;
}

void Blast::cycle() {
    next_step();
    stress();
    hourglass();
    move();
    kinematics();
    gradients();
    viscosity();
    material();
    limits();
}

int main(int count, char** arguments) {
    if (count != 5) return std::fprintf(stderr, "usage: staged SIZE CYCLES REGIONS COST\n"), 2;
    Blast blast(std::atoi(arguments[1]), std::atoi(arguments[3]), std::atoi(arguments[4]));
    const int most = std::atoi(arguments[2]);
    int cycles = 0;
    const auto begin = std::chrono::steady_clock::now();
    for (; cycles < most && blast.t < 1e-2; ++cycles) blast.cycle();
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    std::printf("%d %.6f %.17g\n", cycles, taken.count(), blast.e[0]);
}
