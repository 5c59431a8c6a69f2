#include "threefry.h"

#include <math.h>

#include "saltus/math.h"

static uint64_t rotate(uint64_t x, unsigned by) {
    return x << by | x >> (64 - by);
}

void sal__threefry2x64(const uint64_t key[2], const uint64_t counter[2], uint64_t out[2]) {
    static const unsigned rotation[8] = {16, 42, 12, 31, 16, 32, 24, 21}; /* table 2 of the paper */
    const uint64_t parity = 0x1BD11BDAA9FC1A22u;
    const uint64_t schedule[3] = {key[0], key[1], parity ^ key[0] ^ key[1]};
    uint64_t x0 = counter[0] + schedule[0], x1 = counter[1] + schedule[1];
    for (unsigned round = 0; round < 20; round++) {
        x0 += x1;
        x1 = rotate(x1, rotation[round % 8]) ^ x0;
        if (round % 4 == 3) {
            const unsigned injection = round / 4 + 1;
            x0 += schedule[injection % 3];
            x1 += schedule[(injection + 1) % 3] + injection;
        }
    }
    out[0] = x0;
    out[1] = x1;
}

static const double pi = 3.14159265358979323846;

double sal__normal_from(double mean, double sd, double first, double second) {
    const double r = sqrt(-2 * sal_log(first)), angle = 2 * pi * second;
    return mean + sd * r * sal_cos(angle);
}

double sal__exponential_from(double mean, double uniform) {
    return -mean * sal_log(uniform);
}

int64_t sal__integer_from(int64_t low, int64_t high, double uniform) {
    return low + (int64_t)floor(uniform * (double)(high - low + 1));
}
