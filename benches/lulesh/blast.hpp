// The cube, its maps and regions, and the state of a run.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "element.hpp"
#include "material.hpp"

inline uint64_t mixed(uint64_t number) {
    uint64_t z = number * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

struct Region {
    std::vector<int> list;
    int evaluations;
};

struct Blast {
    int n, elems, nodes;
    std::vector<int> corners, below[3], above[3], first_use, uses;
    std::vector<char> is_symmetric[3], is_free[3];
    std::vector<int> planes[3];
    std::vector<Region> regions;
    Values x, y, z, u, v, w, fx, fy, fz, ax, ay, az, mass;
    Values e, p, q, ss, volo, rel, vnew, delv, arealg, vdov, dxx, dyy, dzz, sigma, determ, qq, ql, held;
    Values delx[3], delu[3], cx, cy, cz, dvx, dvy, dvz, x8, y8, z8;
    double t = 0.0, dt, courant = 1e20, hydro = 1e20;
    bool first = true;

    Blast(int size, int region_count, int cost);
    void make_uses();
    void make_regions(int count, int cost);
    void gather(bool adds);
    void stress();
    void hourglass();
    void move();
    void kinematics();
    void gradients();
    void viscosity();
    void material();
    void limits();
    void next_step();
    void cycle();
    void collect(int k, Corners a, Corners b, Corners c, const Values& x, const Values& y, const Values& z) const {
        for (int i = 0; i < 8; ++i) {
            const int node = corners[8 * k + i];
            a[i] = x[node];
            b[i] = y[node];
            c[i] = z[node];
        }
    }
};

inline Blast::Blast(int size, int region_count, int cost)
    : n(size), elems(n * n * n), nodes((n + 1) * (n + 1) * (n + 1)) {
    const int side = n + 1;
    for (Values* on_nodes : {&x, &y, &z, &u, &v, &w, &fx, &fy, &fz, &ax, &ay, &az, &mass})
        on_nodes->assign(nodes, 0.0);
    for (Values* on_elems :
         {&e,   &p,     &q,      &ss, &volo, &rel,  &vnew,    &delv,    &arealg,  &vdov,    &dxx,     &dyy,
          &dzz, &sigma, &determ, &qq, &ql,   &held, &delx[0], &delx[1], &delx[2], &delu[0], &delu[1], &delu[2]})
        on_elems->assign(elems, 0.0);
    for (Values* staged : {&cx, &cy, &cz, &dvx, &dvy, &dvz, &x8, &y8, &z8}) staged->assign(8 * size_t(elems), 0.0);
    for (int node = 0; node < nodes; ++node) {
        const int place[3] = {node % side, node / side % side, node / side / side};
        x[node] = 1.125 * place[0] / n;
        y[node] = 1.125 * place[1] / n;
        z[node] = 1.125 * place[2] / n;
        for (int axis = 0; axis < 3; ++axis)
            if (place[axis] == 0) planes[axis].push_back(node);
    }
    const int strides[3] = {1, n, n * n};
    for (int k = 0; k < elems; ++k) {
        const int place[3] = {k % n, k / n % n, k / n / n};
        const int a = place[0] + side * (place[1] + side * place[2]);
        for (int layer : {0, side * side})
            for (int corner : {a, a + 1, a + side + 1, a + side}) corners.push_back(corner + layer);
        for (int axis = 0; axis < 3; ++axis) {
            is_symmetric[axis].push_back(place[axis] == 0);
            is_free[axis].push_back(place[axis] + 1 == n);
            below[axis].push_back(place[axis] == 0 ? k : k - strides[axis]);
            above[axis].push_back(place[axis] + 1 == n ? k : k + strides[axis]);
        }
        Corners cx, cy, cz;
        collect(k, cx, cy, cz, x, y, z);
        volo[k] = volume(cx, cy, cz);
        rel[k] = 1.0;
        for (int i = 0; i < 8; ++i) mass[corners[8 * k + i]] += volo[k] / 8.0;
    }
    make_uses();
    make_regions(region_count, cost);
    const double scale = n / 45.0;
    e[0] = 3.948746e7 * scale * scale * scale;
    dt = 0.5 * std::cbrt(volo[0]) / std::sqrt(2.0 * e[0]);
}

// For each node, where its elements' contributions lie.
inline void Blast::make_uses() {
    first_use.assign(nodes + 1, 0);
    for (int node : corners) ++first_use[node + 1];
    for (int node = 0; node < nodes; ++node) first_use[node + 1] += first_use[node];
    std::vector<int> next = first_use;
    uses.resize(corners.size());
    for (size_t at = 0; at < corners.size(); ++at) uses[next[corners[at]]++] = int(at);
}

inline void Blast::make_regions(int count, int cost) {
    regions.resize(count);
    for (int r = 0; r < count; ++r)
        regions[r].evaluations = r < count / 2 ? 1 : r < count - (count + 15) / 20 ? 1 + cost : 10 * (1 + cost);
    const uint64_t parts = uint64_t(count) * (count + 1) / 2;
    for (int k = 0; k < elems; ++k) {
        uint64_t part = mixed(k / 32) % parts, r = 0;
        for (; part > r; ++r) part -= r + 1;
        regions[r].list.push_back(k);
    }
}
