/* Reactions from the Test Set for IVP Solvers (Mazzia, Magherini, release 2.4, 2008), and their published ends. */
#ifndef SAL_SUPPORT_IVP_CHEMISTRY_H
#define SAL_SUPPORT_IVP_CHEMISTRY_H

#include "stiff.h"

/* ---- Pollution: air over the Netherlands, 25 reactions of 20 species ---- */

static inline void pollution_reactions(const double *y, double *r) {
    r[0] = 0.35 * y[0], r[1] = 26.6 * y[1] * y[3], r[2] = 12300 * y[4] * y[1];
    r[3] = 0.86e-3 * y[6], r[4] = 0.82e-3 * y[6], r[5] = 15000 * y[6] * y[5];
    r[6] = 0.13e-3 * y[8], r[7] = 24000 * y[8] * y[5], r[8] = 16500 * y[10] * y[1];
    r[9] = 9000 * y[10] * y[0], r[10] = 0.022 * y[12], r[11] = 12000 * y[9] * y[1];
    r[12] = 1.88 * y[13], r[13] = 16300 * y[0] * y[5], r[14] = 4.8e6 * y[2];
    r[15] = 0.35e-3 * y[3], r[16] = 0.0175 * y[3], r[17] = 1e8 * y[15];
    r[18] = 4.44e11 * y[15], r[19] = 1240 * y[16] * y[5], r[20] = 2.1 * y[18];
    r[21] = 5.78 * y[18], r[22] = 0.0474 * y[0] * y[3], r[23] = 1780 * y[18] * y[0];
    r[24] = 3.12 * y[19];
}
static inline void pollution_rates(double t, const double *y, double *dy) {
    (void)t;
    double r[25];
    pollution_reactions(y, r);
    dy[0] = -r[0] - r[9] - r[13] - r[22] - r[23] + r[1] + r[2] + r[8] + r[10] + r[11] + r[21] + r[24];
    dy[1] = -r[1] - r[2] - r[8] - r[11] + r[0] + r[20];
    dy[2] = -r[14] + r[0] + r[16] + r[18] + r[21];
    dy[3] = -r[1] - r[15] - r[16] - r[22] + r[14];
    dy[4] = -r[2] + 2 * r[3] + r[5] + r[6] + r[12] + r[19];
    dy[5] = -r[5] - r[7] - r[13] - r[19] + r[2] + 2 * r[17];
    dy[6] = -r[3] - r[4] - r[5] + r[12];
    dy[7] = r[3] + r[4] + r[5] + r[6];
    dy[8] = -r[6] - r[7];
    dy[9] = -r[11] + r[6] + r[8];
    dy[10] = -r[8] - r[9] + r[7] + r[10];
    dy[11] = r[8];
    dy[12] = -r[10] + r[9];
    dy[13] = -r[12] + r[11];
    dy[14] = r[13];
    dy[15] = -r[17] - r[18] + r[15];
    dy[16] = -r[19];
    dy[17] = r[19];
    dy[18] = -r[20] - r[21] - r[23] + r[22] + r[24];
    dy[19] = -r[24] + r[23];
}
static inline void pollution_start(double *y) {
    memset(y, 0, 20 * sizeof *y);
    y[1] = 0.2, y[3] = 0.04, y[6] = 0.1, y[7] = 0.3, y[8] = 0.01, y[16] = 0.007;
}
static const double pollution_end[20] = {
    0.5646255480022769e-1,  0.1342484130422339,    0.4139734331099427e-8, 0.5523140207484359e-2, 0.2018977262302196e-6,
    0.1464541863493966e-6,  0.7784249118997964e-1, 0.3245075353396018,    0.7494013383880406e-2, 0.1622293157301561e-7,
    0.1135863833257075e-7,  0.2230505975721359e-2, 0.2087162882798630e-3, 0.1396921016840158e-4, 0.8964884856898295e-2,
    0.4352846369330103e-17, 0.6899219696263405e-2, 0.1007803037365946e-3, 0.1772146513969984e-5, 0.5682943292316392e-4};

/* ---- E5: a pyrolysis whose species fall to 1e-22 and below ---- */

static inline void e5_rates(double t, const double *y, double *dy) {
    (void)t;
    const double a = 7.89e-10 * y[0], b = 1.1e7 * y[0] * y[2], c = 1.13e9 * y[1] * y[2], d = 1.13e3 * y[3];
    dy[0] = -a - b;
    dy[1] = a - c;
    dy[3] = b - d;
    dy[2] = dy[1] - dy[3];
}
static inline void e5_start(double *y) {
    y[0] = 1.76e-3, y[1] = y[2] = y[3] = 0;
}
static const double e5_end[4] = {0.1152903278711829e-290, 0.8867655517642120e-22, 0.8854814626268838e-22, 0};

/* ---- Chemical Akzo Nobel: two species mixed under carbon dioxide, the last equation without derivative ---- */

static inline void chemakzo_rates(double t, const double *y, double *dy) {
    (void)t;
    const double root = sqrt(y[1]), square = y[0] * y[0];
    const double r1 = 18.7 * square * square * root, r2 = 0.58 * y[2] * y[3], r3 = 0.58 / 34.4 * y[0] * y[4];
    const double r4 = 0.09 * y[0] * y[3] * y[3], r5 = 0.42 * y[5] * y[5] * root;
    dy[0] = -2 * r1 + r2 - r3 - r4;
    dy[1] = -0.5 * r1 - r4 - 0.5 * r5 + 3.3 * (0.9 / 737 - y[1]);
    dy[2] = r1 - r2 + r3;
    dy[3] = -r2 + r3 - 2 * r4;
    dy[4] = r2 - r3 + r5;
    dy[5] = 115.83 * y[0] * y[3] - y[5];
}
static inline void chemakzo_start(double *y) {
    y[0] = 0.444, y[1] = 0.00123, y[2] = 0, y[3] = 0.007, y[4] = 0, y[5] = 115.83 * y[0] * y[3];
}
static inline void chemakzo_mass(double *m) {
    for (int i = 0; i < 5; i++)
        m[7 * i] = 1;
}
static const double chemakzo_end[6] = {0.1150794920661702,    0.1203831471567715e-2, 0.1611562887407974,
                                       0.3656156421249283e-3, 0.1708010885264404e-1, 0.4873531310307455e-2};

/* ---- Medical Akzo Nobel: antibodies go into a tumour, two fields of 200 points in turn ---- */

enum { MEDAKZO_POINTS = 200 };

static inline void medakzo_rates(double t, const double *y, double *dy) {
    const int points = MEDAKZO_POINTS;
    const double dz = 1. / points, phi = t <= 5 ? 2 : 0;
    for (int j = 0; j < points; j++) {
        const double z = (j + 1) * dz, quarter = (z - 1) * (z - 1) / 4, alpha = 2 * (z - 1) * quarter / 4;
        const double *u = y + 2 * j, left = j ? u[-2] : phi, reaction = -100 * u[0] * u[1];
        dy[2 * j] = reaction;
        dy[2 * j + 1] = reaction;
        if (j < points - 1)
            dy[2 * j] += quarter * quarter * (left - 2 * u[0] + u[2]) / (dz * dz) + alpha * (u[2] - left) / (2 * dz);
    }
}
static inline void medakzo_start(double *y) {
    for (int j = 0; j < MEDAKZO_POINTS; j++)
        y[2 * j] = 0, y[2 * j + 1] = 1;
}
/* Of the 400 every fortieth u, and both fields about the front, from the 101st point on. */
enum { MEDAKZO_ENDS = 30 };
static const int medakzo_at[MEDAKZO_ENDS] = {0,   40,  80,  120, 160, 200, 201, 202, 203, 204, 205, 206, 207, 208, 209,
                                             210, 211, 212, 213, 214, 215, 216, 217, 218, 219, 220, 221, 223, 225, 227};
static const double medakzo_end[MEDAKZO_ENDS] = {
    0.5113983840919909e-5, 0.1172444752530255e-3, 0.2400413315594459e-3, 0.3416336289752354e-3, 0.3409285247640208e-3,
    0.9774701310627047e-4, 0.1986273404756002e-3, 0.7740788649977313e-4, 0.3489773624098464e-2, 0.5657119003189305e-4,
    0.3234526094359604e-1, 0.3643334879766658e-4, 0.1548747348410801,    0.2003152841880950e-4, 0.4026980529594953,
    0.9608297851720770e-5, 0.6649744834198490,    0.4215537698495267e-5, 0.8409284546320647,    0.1753504402754791e-5,
    0.9314946676956936,    0.7048158429518009e-6, 0.9720896201631835,    0.2760943506466737e-6, 0.9890204872799944,
    0.1057554501281432e-6, 0.9957930123519514,    0.9984246531478463,    0.9994229325942358,    0.9997932125999319};

#endif
