/* The beam of the Test Set for IVP Solvers (Mazzia, Magherini, release 2.4, 2008) with its published end; the cusp
 * and the plate of E. Hairer, G. Wanner, Solving Ordinary Differential Equations II, 2nd edition, 1996, IV.10. */
#ifndef SAL_SUPPORT_IVP_MECHANICS_H
#define SAL_SUPPORT_IVP_MECHANICS_H

#include <math.h>
#include <string.h>

/* ---- Beam: an elastic rod, clamped at one end, in 40 links; its frequencies reach 6400 ---- */

enum { LINKS = 40 };

/* (C + i D) is tridiagonal; w = C^-1 (D v + angular speeds squared). */
static inline void beam_solve(const double *cosine, double *w) {
    double alpha[LINKS];
    for (int i = 0; i < LINKS; i++)
        alpha[i] = i == 0 ? 1 : i < LINKS - 1 ? 2 : 3;
    for (int i = LINKS - 2; i >= 0; i--) {
        const double q = -cosine[i + 1] / alpha[i + 1];
        w[i] -= w[i + 1] * q;
        alpha[i] += cosine[i + 1] * q;
    }
    w[0] /= alpha[0];
    for (int i = 1; i < LINKS; i++)
        w[i] = (w[i] + cosine[i] * w[i - 1]) / alpha[i];
}
static inline void beam_rates(double t, const double *y, double *dy) {
    const double n2 = LINKS * LINKS, n4 = n2 * n2, force = t <= 3.14159265358979324 ? 1.5 * sin(t) * sin(t) : 0;
    const int last = LINKS - 1;
    const double *speed = y + LINKS;
    double sine[LINKS], cosine[LINKS], v[LINKS], w[LINKS];
    for (int i = 1; i < LINKS; i++) {
        sine[i] = sin(y[i] - y[i - 1]);
        cosine[i] = cos(y[i] - y[i - 1]);
    }
    for (int i = 0; i < LINKS; i++) {
        const double left = i ? y[i - 1] : -y[0], right = i < last ? y[i + 1] : y[last];
        v[i] = n4 * (left - 2 * y[i] + right) + n2 * force * (cos(y[i]) + sin(y[i]));
    }
    for (int i = 0; i < LINKS; i++)
        w[i] = (i ? -sine[i] * v[i - 1] : 0) + (i < last ? sine[i + 1] * v[i + 1] : 0) + speed[i] * speed[i];
    beam_solve(cosine, w);
    for (int i = 0; i < LINKS; i++) {
        dy[i] = speed[i];
        dy[LINKS + i] = (i == 0 ? 1 : i < last ? 2 : 3) * v[i];
        if (i)
            dy[LINKS + i] -= cosine[i] * v[i - 1] + sine[i] * w[i - 1];
        if (i < last)
            dy[LINKS + i] += sine[i + 1] * w[i + 1] - cosine[i + 1] * v[i + 1];
    }
}
static inline void beam_start(double *y) {
    memset(y, 0, 2 * LINKS * sizeof *y);
}
static const double beam_end[2 * LINKS] = {
    -0.5792366591285007e-02, -0.1695298550721735e-01, -0.2769103312973094e-01, -0.3800815655879158e-01,
    -0.4790616859743763e-01, -0.5738710435274594e-01, -0.6645327313454617e-01, -0.7510730581979037e-01,
    -0.8335219765414992e-01, -0.9119134654647947e-01, -0.9862858700132091e-01, -0.1056682200378002e+00,
    -0.1123150395409595e+00, -0.1185743552727245e+00, -0.1244520128755561e+00, -0.1299544113264161e+00,
    -0.1350885180610398e+00, -0.1398618819194422e+00, -0.1442826441015242e+00, -0.1483595472463012e+00,
    -0.1521019429001447e+00, -0.1555197978061129e+00, -0.1586236993420229e+00, -0.1614248603702127e+00,
    -0.1639351238193223e+00, -0.1661669673440852e+00, -0.1681335081778558e+00, -0.1698485080602243e+00,
    -0.1713263782440888e+00, -0.1725821847462537e+00, -0.1736316537975654e+00, -0.1744911773840049e+00,
    -0.1751778187863392e+00, -0.1757093178712902e+00, -0.1761040960228576e+00, -0.1763812607175549e+00,
    -0.1765606097564671e+00, -0.1766626352260565e+00, -0.1767085270807460e+00, -0.1767201761075488e+00,
    0.3747362681329794e-01,  0.1099117880217593e+00,  0.1798360474312799e+00,  0.2472427305442391e+00,
    0.3121293820596567e+00,  0.3744947377019500e+00,  0.4343386073492798e+00,  0.4916620354601748e+00,
    0.5464677854586807e+00,  0.5987609702624270e+00,  0.6485493611110740e+00,  0.6958435169132503e+00,
    0.7406572668520808e+00,  0.7830081747813241e+00,  0.8229176659201515e+00,  0.8604110305190560e+00,
    0.8955175502377805e+00,  0.9282708263127953e+00,  0.9587089334522034e+00,  0.9868747821728363e+00,
    0.1012816579961883e+01,  0.1036587736679858e+01,  0.1058246826481355e+01,  0.1077857811433353e+01,
    0.1095490222005369e+01,  0.1111219164294898e+01,  0.1125125269286501e+01,  0.1137294526609229e+01,
    0.1147818025153607e+01,  0.1156792132004482e+01,  0.1164318845130183e+01,  0.1170505992596124e+01,
    0.1175467424299550e+01,  0.1179323003228859e+01,  0.1182198586299667e+01,  0.1184226111223146e+01,
    0.1185543909805575e+01,  0.1186297084203716e+01,  0.1186637618908127e+01,  0.1186724615113034e+01};

/* ---- Cusp: nerve impulses that go round a ring of 32 points ---- */

enum { CUSP_POINTS = 32 };

static inline void cusp_rates(double t, const double *x, double *dx) {
    (void)t;
    const double diffusion = CUSP_POINTS * CUSP_POINTS / 144.;
    for (int i = 0; i < CUSP_POINTS; i++) {
        const double *at = x + 3 * i, *left = x + 3 * ((i + CUSP_POINTS - 1) % CUSP_POINTS);
        const double *right = x + 3 * ((i + 1) % CUSP_POINTS), y = at[0], a = at[1], b = at[2];
        const double u = (y - 0.7) * (y - 1.3), v = u / (u + 0.1);
        const double rates[3] = {-1e4 * (y * y * y + a * y + b), b + 0.07 * v,
                                 (1 - a * a) * b - a - 0.4 * y + 0.035 * v};
        for (int k = 0; k < 3; k++)
            dx[3 * i + k] = rates[k] + diffusion * (left[k] - 2 * at[k] + right[k]);
    }
}
static inline void cusp_start(double *x) {
    for (int i = 0; i < CUSP_POINTS; i++) {
        const double angle = 2 * 3.14159265358979323846 * (i + 1) / CUSP_POINTS;
        x[3 * i] = 0, x[3 * i + 1] = -2 * cos(angle), x[3 * i + 2] = 2 * sin(angle);
    }
}

/* ---- Plate: cars drive over a plate of 8 x 5 points, u and its rate; linear ---- */

enum { PLATE_X = 8, PLATE_Y = 5, PLATE_POINTS = PLATE_X * PLATE_Y };

/* With u = 0 and its Laplacian 0 at the edges, the Laplacian twice. */
static inline void plate_laplacian(const double *u, double *out) {
    for (int j = 0; j < PLATE_Y; j++)
        for (int i = 0; i < PLATE_X; i++) {
            const double *at = u + i + PLATE_X * j;
            out[i + PLATE_X * j] = (i ? at[-1] : 0) + (i < PLATE_X - 1 ? at[1] : 0) + (j ? at[-PLATE_X] : 0) +
                                   (j < PLATE_Y - 1 ? at[PLATE_X] : 0) - 4 * at[0];
        }
}
static inline void plate_rates(double t, const double *x, double *dx) {
    const double h = 2. / 9, stiffness = 100 / (h * h * h * h), friction = 1000;
    double once[PLATE_POINTS], twice[PLATE_POINTS];
    plate_laplacian(x, once);
    plate_laplacian(once, twice);
    for (int k = 0; k < PLATE_POINTS; k++) {
        const double first = t - (k % PLATE_X + 1) * h - 2, second = first - 3;
        const int row = k / PLATE_X;
        const double load = row == 1 || row == 3 ? 200 * (exp(-5 * first * first) + exp(-5 * second * second)) : 0;
        dx[k] = x[PLATE_POINTS + k];
        dx[PLATE_POINTS + k] = load - friction * x[PLATE_POINTS + k] - stiffness * twice[k];
    }
}
static inline void plate_start(double *x) {
    memset(x, 0, 2 * PLATE_POINTS * sizeof *x);
}

#endif
