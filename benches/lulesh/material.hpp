// The material: limiter, equation of state, limits of the step.
#pragma once

#include <cmath>
#include <vector>

using Values = std::vector<double>;

inline double limiter(double own, double below, double above) {
    const double n = 1.0 / (own + 1e-36);
    double minus = below * n, plus = above * n, phi = 0.5 * (minus + plus);
    minus *= 2.0;
    plus *= 2.0;
    if (minus < phi) phi = minus;
    if (plus < phi) phi = plus;
    if (phi < 0.0) phi = 0.0;
    return phi > 1.0 ? 1.0 : phi;
}

inline double sound(double e, double v, double b, double p) {
    const double square = 2.0 / 3.0 * e + v * v * b * p;
    return square <= 0.1111111e-36 ? 0.3333333e-18 : std::sqrt(square);
}

inline double cut(double e) {
    if (std::fabs(e) < 1e-7) e = 0.0;
    return e < -1e15 ? -1e15 : e;
}

// What a region's equation of state works on, in the order of its list of elements.
struct Work {
    Values e_old, p_old, q_old, delv, compression, half, qq, ql, e, p, q, b, p_half;

    explicit Work(size_t n)
        : e_old(n),
          p_old(n),
          q_old(n),
          delv(n),
          compression(n),
          half(n),
          qq(n),
          ql(n),
          e(n),
          p(n),
          q(n),
          b(n),
          p_half(n) {
    }
};

inline void pressures(Values& p, Values& b, const Values& e, const Values& compression, const Values& v,
                      const std::vector<int>& list) {
    const size_t n = list.size();
    for (size_t i = 0; i < n; ++i) b[i] = 2.0 / 3.0 * (compression[i] + 1.0);
    for (size_t i = 0; i < n; ++i) {
        p[i] = b[i] * e[i];
        if (std::fabs(p[i]) < 1e-7) p[i] = 0.0;
        if (v[list[i]] >= 1e9) p[i] = 0.0;
        if (p[i] < 0.0) p[i] = 0.0;
    }
}

inline void energies(Work& w, const Values& v, const std::vector<int>& list) {
    const size_t n = list.size();
    for (size_t i = 0; i < n; ++i) {
        w.e[i] = w.e_old[i] - 0.5 * w.delv[i] * (w.p_old[i] + w.q_old[i]);
        if (w.e[i] < -1e15) w.e[i] = -1e15;
    }
    pressures(w.p_half, w.b, w.e, w.half, v, list);
    for (size_t i = 0; i < n; ++i) {
        const double v_half = 1.0 / (1.0 + w.half[i]);
        w.q[i] = w.delv[i] > 0.0 ? 0.0 : sound(w.e[i], v_half, w.b[i], w.p_half[i]) * w.ql[i] + w.qq[i];
        w.e[i] = w.e[i] + 0.5 * w.delv[i] * (3.0 * (w.p_old[i] + w.q_old[i]) - 4.0 * (w.p_half[i] + w.q[i]));
    }
    for (size_t i = 0; i < n; ++i) w.e[i] = cut(w.e[i]);
    pressures(w.p, w.b, w.e, w.compression, v, list);
    for (size_t i = 0; i < n; ++i) {
        const double q = w.delv[i] > 0.0 ? 0.0 : sound(w.e[i], v[list[i]], w.b[i], w.p[i]) * w.ql[i] + w.qq[i];
        w.e[i] = cut(w.e[i] - (7.0 * (w.p_old[i] + w.q_old[i]) - 8.0 * (w.p_half[i] + w.q[i]) + (w.p[i] + q)) *
                                  w.delv[i] * (1.0 / 6.0));
    }
    pressures(w.p, w.b, w.e, w.compression, v, list);
    for (size_t i = 0; i < n; ++i) {
        if (w.delv[i] <= 0.0) {
            w.q[i] = sound(w.e[i], v[list[i]], w.b[i], w.p[i]) * w.ql[i] + w.qq[i];
            if (std::fabs(w.q[i]) < 1e-7) w.q[i] = 0.0;
        }
    }
}
