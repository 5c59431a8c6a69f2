/* The interpreter of programs, and the check of their code. */
#include "bytecode_vm.h"

#include <math.h>
#include <stddef.h>

#include "saltus/math.h"

enum { MAX_BACKWARD_JUMPS = 1000000 };

#define NAME(name, meaning) #name,
#define NAME_B(name, meaning) #name ".b",
#define NAME_C(name, meaning) #name ".c",
#define NAME_D(name, meaning) #name ".d",
const char *const sal__operation_names[SAL__OPERATIONS] = {
    SAL__ARITHMETIC(NAME) SAL__PAIRS(NAME) SAL__NEXT(NAME_B, NAME_C, NAME_D) SAL__JUMPS(NAME) SAL__OTHERS(NAME)};

/* The remainder has the sign of the divisor. */
static double sal__modulo(double a, double b) {
    const double m = fmod(a, b);
    const bool other = m > 0 ? b < 0 : m < 0 && b > 0;
    return other ? m + b : m;
}

/* Integers have one zero: -0 + 0 is 0. */
static double sal__whole(double rounded) {
    return rounded + 0.0;
}

static bool exact(double value) {
    return fabs(value) < 9007199254740992.0 && !(value == 0 && signbit(value));
}

/* Returns the register of element `index` of `size` registers from `first` on; -1 if there is none. */
static int element(double index, int first, int size) {
    return index >= 1 && index <= size && index == floor(index) ? first + (int)index - 1 : -1;
}

/* Each operation jumps directly to the next, with labels as values (gcc, clang), because processors predict such
 * jumps well. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"

#define LABEL(name, meaning) &&at_##name,
#define LABEL_B(name, meaning) &&at_##name##_B,
#define LABEL_C(name, meaning) &&at_##name##_C,
#define LABEL_D(name, meaning) &&at_##name##_D,

#define NEXT \
    i++; \
    goto *at[i->op]

#define COMPUTE_OF(name, meaning, of_b, of_c, of_d) \
    at_##name : { \
        const double b = of_b, c = of_c, d = of_d; \
        (void)b; \
        (void)c; \
        (void)d; \
        r[i->a] = last = (meaning); \
        NEXT; \
    }
#define COMPUTE(name, meaning) COMPUTE_OF(name, meaning, r[i->b], r[i->c], r[i->d])
#define COMPUTE_B(name, meaning) COMPUTE_OF(name##_B, meaning, last, r[i->c], r[i->d])
#define COMPUTE_C(name, meaning) COMPUTE_OF(name##_C, meaning, r[i->b], last, r[i->d])
#define COMPUTE_D(name, meaning) COMPUTE_OF(name##_D, meaning, r[i->b], r[i->c], last)

#define TEST(name, condition) \
    at_##name : { \
        const double a = r[i->a], b = r[i->b]; \
        (void)a; \
        (void)b; \
        if (condition) \
            goto jump; \
        NEXT; \
    }

/* Whether a jump back from `from` to `to` must not be made. */
static bool is_out_of_fuel(const sal__instruction *from, const sal__instruction *to, int64_t *fuel) {
    return fuel && (*fuel -= from - to + 1) < 0;
}

bool sal__bytecode_run(const sal__instruction *code, double *r, const sal__bytecode_host *host, int64_t *fuel) {
    static const void *const at[SAL__OPERATIONS] = {SAL__ARITHMETIC(LABEL) SAL__PAIRS(LABEL) SAL__NEXT(
        LABEL_B, LABEL_C, LABEL_D) SAL__JUMPS(LABEL) SAL__OTHERS(LABEL)};
    /* What is seldom used is in memory, so that a run need not save registers of the processor for it. */
    const sal__instruction *const volatile start = code;
    const sal__bytecode_host *const volatile asked = host;
    int64_t *const volatile left = fuel;
    volatile int backward_jumps = MAX_BACKWARD_JUMPS;
    const sal__instruction *i = code, *from = NULL;
    int at_element = 0;
    double last = 0; /* the last result, which need not be loaded from its register */
    goto *at[i->op];
    SAL__ARITHMETIC(COMPUTE)
    SAL__PAIRS(COMPUTE)
    SAL__NEXT(COMPUTE_B, COMPUTE_C, COMPUTE_D)
    SAL__JUMPS(TEST)
jump:
    from = i;
    i = start + i->c;
    if (i <= from && (--backward_jumps == 0 || is_out_of_fuel(from, i, left)))
        return false;
    goto *at[i->op];
at_SINCOS : { /* one call of the library computes both: saves 7 % of a sample of spec/bench/cart_pole.lua */
    const double b = r[i->b], sine = sin(b);
    r[i->c] = last = cos(b);
    r[i->a] = sine;
    NEXT;
}
at_ASK:
    host = asked;
    if (!host->answer(host, i->d, r[i->b], &r[i->a]))
        return false;
    NEXT;
at_LOAD:
    at_element = element(r[i->c], i->b, i->d);
    if (at_element < 0)
        return false;
    r[i->a] = r[at_element];
    NEXT;
at_STORE:
    at_element = element(r[i->c], i->b, i->d);
    if (at_element < 0)
        return false;
    r[at_element] = r[i->a];
    NEXT;
at_SELECT:
    r[i->a] = r[i->b] == r[i->c] ? r[i->b] : r[i->d];
    NEXT;
at_EXACT:
    if (!exact(r[i->a]))
        return false;
    NEXT;
at_END:
    return true;
}

#pragma GCC diagnostic pop

static bool is_within(const sal__instruction *i, int count, int register_count) {
    const bool jumps = i->op >= SAL__OP_JMP && i->op <= SAL__OP_JNEQ;
    const int last = i->op == SAL__OP_LOAD || i->op == SAL__OP_STORE ? i->b + i->d - 1 : i->d;
    return i->op < SAL__OPERATIONS && i->a < register_count && i->b < register_count && i->c < register_count &&
           last < register_count && (!jumps || i->c < count);
}

bool sal__bytecode_is_sound(const sal__instruction *code, int count, int register_count) {
    for (int k = 0; k < count; k++)
        if (!is_within(&code[k], count, register_count))
            return false;
    return count > 0 && code[count - 1].op == SAL__OP_END;
}
