/* Circuits from the Test Set for IVP Solvers (Mazzia, Magherini, release 2.4, 2008), and their published ends. */
#ifndef SAL_SUPPORT_IVP_CIRCUITS_H
#define SAL_SUPPORT_IVP_CIRCUITS_H

#include <math.h>
#include <string.h>

static const double circuit_pi = 3.14159265358979323846;

/* ---- Ring modulator: two signals mixed by four diodes ---- */

static inline double ring_diode(double u) {
    return 40.67286402e-9 * (exp(17.7493332 * u) - 1);
}
static inline void ring_rates(double t, const double *y, double *dy) {
    const double c = 1.6e-8, cs = 2e-12, cp = 1e-8, r = 25e3, lh = 4.45, ls1 = 2e-3, ls2 = 5e-4;
    const double u1 = 0.5 * sin(2e3 * circuit_pi * t), u2 = 2 * sin(2e4 * circuit_pi * t);
    const double q1 = ring_diode(y[2] - y[4] - y[6] - u2), q2 = ring_diode(-y[3] + y[5] - y[6] - u2);
    const double q3 = ring_diode(y[3] + y[4] + y[6] + u2), q4 = ring_diode(-y[2] - y[5] + y[6] + u2);
    dy[0] = (y[7] - 0.5 * y[9] + 0.5 * y[10] + y[13] - y[0] / r) / c;
    dy[1] = (y[8] - 0.5 * y[11] + 0.5 * y[12] + y[14] - y[1] / r) / c;
    dy[2] = (y[9] - q1 + q4) / cs;
    dy[3] = (-y[10] + q2 - q3) / cs;
    dy[4] = (y[11] + q1 - q3) / cs;
    dy[5] = (-y[12] - q2 + q4) / cs;
    dy[6] = (-y[6] / 50 + q1 + q2 - q3 - q4) / cp;
    dy[7] = -y[0] / lh;
    dy[8] = -y[1] / lh;
    dy[9] = (0.5 * y[0] - y[2] - 17.3 * y[9]) / ls2;
    dy[10] = (-0.5 * y[0] + y[3] - 17.3 * y[10]) / ls2;
    dy[11] = (0.5 * y[1] - y[4] - 17.3 * y[11]) / ls2;
    dy[12] = (-0.5 * y[1] + y[5] - 17.3 * y[12]) / ls2;
    dy[13] = (-y[0] + u1 - (50 + 36.3) * y[13]) / ls1;
    dy[14] = (-y[1] - (600 + 36.3) * y[14]) / ls1;
}
static inline void ring_start(double *y) {
    memset(y, 0, 15 * sizeof *y);
}
static const double ring_end[15] = {-0.2339057358486745e-1, -0.7367485485540825e-2, 0.2582956709291169,
                                    -0.4064465721283450,    -0.4039455665149794,    0.2607966765422943,
                                    0.1106761861269975,     0.2939904342435596e-6,  -0.2840029933642329e-7,
                                    0.7267198267264553e-3,  0.7929487196960840e-3,  -0.7255283495698965e-3,
                                    -0.7941401968526521e-3, 0.7088495416976114e-4,  0.2390059075236570e-4};

/* ---- Transistor amplifier: M is singular, of rank 5 ---- */

static inline double transistor_current(double u) {
    return 1e-6 * (exp(u / 0.026) - 1);
}
static inline void transistor_rates(double t, const double *y, double *dy) {
    const double supply = 6, r0 = 1000, r = 9000, alpha = 0.99, input = 0.1 * sin(200 * circuit_pi * t);
    const double first = transistor_current(y[1] - y[2]), second = transistor_current(y[4] - y[5]);
    dy[0] = (y[0] - input) / r0;
    dy[1] = y[1] / r + (y[1] - supply) / r + (1 - alpha) * first;
    dy[2] = y[2] / r - first;
    dy[3] = (y[3] - supply) / r + alpha * first;
    dy[4] = y[4] / r + (y[4] - supply) / r + (1 - alpha) * second;
    dy[5] = y[5] / r - second;
    dy[6] = (y[6] - supply) / r + alpha * second;
    dy[7] = y[7] / r;
}
static inline void transistor_start(double *y) {
    y[0] = y[7] = 0, y[1] = y[2] = y[4] = y[5] = 3, y[3] = y[6] = 6;
}
static inline void transistor_mass(double *m) {
    static const struct {
        int first;
        double capacity;
    } pairs[] = {{0, 1e-6}, {3, 3e-6}, {6, 5e-6}};
    for (int k = 0; k < 3; k++) {
        double *at = m + 9 * pairs[k].first; /* the diagonal, and the rest of a block of 2 x 2 */
        at[0] = at[9] = -pairs[k].capacity;
        at[1] = at[8] = pairs[k].capacity;
    }
    m[9 * 2] = -2e-6;
    m[9 * 5] = -4e-6;
}
static const double transistor_end[8] = {-0.5562145012262709e-2, 0.3006522471903042e1, 0.2849958788608128e1,
                                         0.2926422536206241e1,   0.2704617865010554e1, 0.2761837778393145e1,
                                         0.4770927631616772e1,   0.1236995868091548e1};

#endif
