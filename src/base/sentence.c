/* Sentences: pieces in a row, numbers in decimal, and the name that a wrong one probably means. */
#include "sentence.h"

static bool continues_a_character(char byte) {
    return ((unsigned char)byte & 0xC0u) == 0x80u;
}

size_t sal__write_pieces(char *to, size_t room, const char *const *pieces) {
    size_t length = 0, written = 0;
    char first_lost = '\0';
    for (; *pieces; pieces++)
        for (const char *c = *pieces; *c; c++, length++)
            if (length + 1 < room)
                to[written++] = *c;
            else if (!first_lost)
                first_lost = *c;
    while (written > 0 && continues_a_character(first_lost))
        first_lost = to[--written];
    if (room > 0)
        to[written] = '\0';
    return length;
}

/* ---- numbers ---- */

sal__number_text sal__whole_number(int64_t number) {
    char backwards[24];
    int count = 0, at = 0;
    uint64_t rest = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
    do
        backwards[count++] = (char)('0' + rest % 10);
    while ((rest /= 10) > 0);
    sal__number_text out;
    if (number < 0)
        out.text[at++] = '-';
    while (count > 0)
        out.text[at++] = backwards[--count];
    out.text[at] = '\0';
    return out;
}

/* All digits of a double: a whole number by limbs of nine digits, the least first, of which `decimals` digits come
 * after the point. */
enum { LIMB = 1000000000, LIMB_DIGITS = 9, LIMBS = 90 };

typedef struct exact {
    uint32_t limb[LIMBS];
    int count, decimals;
} exact;

static void multiply(exact *n, uint32_t factor) {
    uint64_t carry = 0;
    for (int i = 0; i < n->count; i++) {
        carry += (uint64_t)n->limb[i] * factor;
        n->limb[i] = (uint32_t)(carry % LIMB);
        carry /= LIMB;
    }
    while (carry > 0) {
        n->limb[n->count++] = (uint32_t)(carry % LIMB);
        carry /= LIMB;
    }
}

/* |x| = mantissa 2^e = (mantissa 5^-e) / 10^-e */
static exact expand(double x) {
    const uint64_t bits = sal__bits_of(x);
    const int field = (int)(bits >> SAL__MANTISSA_BITS & 0x7FF);
    uint64_t mantissa = (bits & SAL__MANTISSA) | (field > 0 ? SAL__MANTISSA + 1 : 0);
    int e = (field > 0 ? field : 1) - SAL__EXPONENT_BIAS - SAL__MANTISSA_BITS;
    for (; mantissa % 2 == 0 && e < 0; e++)
        mantissa /= 2;
    exact n = {.count = 0, .decimals = e < 0 ? -e : 0};
    for (; mantissa > 0; mantissa /= LIMB)
        n.limb[n.count++] = (uint32_t)(mantissa % LIMB);
    for (; e > 0; e--)
        multiply(&n, 2);
    for (; e < 0; e++)
        multiply(&n, 5);
    return n;
}

/* The digits of the whole number, the first at `digit[0]`, which is not 0. Returns how many there are. */
static int list_digits(const exact *n, unsigned char *digit) {
    int count = 0;
    for (int i = n->count - 1; i >= 0; i--)
        for (uint32_t unit = LIMB / 10; unit > 0; unit /= 10) {
            const unsigned char d = (unsigned char)(n->limb[i] / unit % 10);
            if (count > 0 || d > 0)
                digit[count++] = d;
        }
    return count;
}

static bool is_zero(const unsigned char *digit, int count) {
    for (int i = 0; i < count; i++)
        if (digit[i] != 0)
            return false;
    return true;
}

/* Rounds to `most` digits, halves to even; then 10^*exponent is the place of the first digit. Returns the number of
 * digits up to the last that is not 0. */
static int round_digits(unsigned char *digit, int count, int most, int *exponent) {
    if (count > most) {
        const bool half = digit[most] == 5 && is_zero(digit + most + 1, count - most - 1);
        bool up = half ? digit[most - 1] % 2 == 1 : digit[most] >= 5;
        int i = most;
        while (up && i > 0) {
            digit[i - 1] = (unsigned char)((digit[i - 1] + 1) % 10);
            up = digit[--i] == 0;
        }
        if (up) { /* 9.99 became 10.0 */
            digit[0] = 1;
            ++*exponent;
        }
        count = most;
    }
    while (count > 1 && digit[count - 1] == 0)
        count--;
    return count;
}

/* 1.5e-07 */
static void write_scientific(char *to, const unsigned char *digit, int count, int exponent) {
    *to++ = (char)('0' + digit[0]);
    if (count > 1)
        *to++ = '.';
    for (int i = 1; i < count; i++)
        *to++ = (char)('0' + digit[i]);
    *to++ = 'e';
    *to++ = exponent < 0 ? '-' : '+';
    const int size = exponent < 0 ? -exponent : exponent;
    if (size >= 100)
        *to++ = (char)('0' + size / 100);
    *to++ = (char)('0' + size / 10 % 10);
    *to++ = (char)('0' + size % 10);
    *to = '\0';
}

/* 0.00015, 15, 1500 */
static void write_plain(char *to, const unsigned char *digit, int count, int exponent) {
    for (int place = exponent > 0 ? exponent : 0; place >= 0 || exponent - place < count; place--) {
        const int i = exponent - place;
        if (place == -1)
            *to++ = '.';
        *to++ = (char)('0' + (i >= 0 && i < count ? digit[i] : 0));
    }
    *to = '\0';
}

sal__number_text sal__real_number(double x, int digits) {
    sal__number_text out = {"0"};
    if (!isfinite(x)) {
        strcpy(out.text, isnan(x) ? "NaN" : x > 0 ? "infinity" : "-infinity");
        return out;
    }
    char *to = out.text;
    if (signbit(x)) {
        strcpy(to, "-0");
        to++;
    }
    if (x == 0)
        return out;
    unsigned char digit[LIMBS * LIMB_DIGITS];
    const exact n = expand(x);
    int count = list_digits(&n, digit), exponent = count - 1 - n.decimals;
    count = round_digits(digit, count, digits, &exponent);
    (exponent < -4 || exponent >= digits ? write_scientific : write_plain)(to, digit, count, exponent);
    return out;
}

sal__number_text sal__time_text(double t) {
    return sal__real_number(t, fabs(t) < 1e5 ? 9 : 15);
}
