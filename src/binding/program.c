#include "program.h"

#include <math.h>

enum { MOST_TURNS = 1000000 };

#define NAME(name, meaning) #name,
const char *const l_operation_names[L_OPERATIONS] = {L_ARITHMETIC(NAME) L_JUMPS(NAME) L_OTHERS(NAME)};
#undef NAME

/* The remainder has the sign of the divisor. */
static double modulo(double a, double b) {
    const double m = fmod(a, b);
    const bool other = m > 0 ? b < 0 : m < 0 && b > 0;
    return other ? m + b : m;
}

/* Integers have one zero: -0 + 0 is 0. */
static double whole(double rounded) {
    return rounded + 0.0;
}

static bool exact(double value) {
    return fabs(value) < 9007199254740992.0 && !(value == 0 && signbit(value));
}

/* The place of element `index` of `size` from `first` on; -1: there is none. */
static int element(double index, int first, int size) {
    return index >= 1 && index <= size && index == floor(index) ? first + (int)index - 1 : -1;
}

bool l_compute(const l_instruction *code, double *r) {
    int turns = MOST_TURNS, at = 0;
    const l_instruction *next = code;
    for (;;) {
        const l_instruction *i = next++;
        const double a = r[i->a], b = r[i->b], c = r[i->c];
        switch (i->op) {
#define COMPUTE(name, meaning) \
    case L_OP_##name: \
        r[i->a] = (meaning); \
        continue;
            L_ARITHMETIC(COMPUTE)
#define TEST(name, condition) \
    case L_OP_##name: \
        if (condition) \
            break; \
        continue;
            L_JUMPS(TEST)
        case L_OP_LOAD:
        case L_OP_STORE:
            at = element(c, i->b, i->d);
            if (at < 0)
                return false;
            r[i->op == L_OP_LOAD ? i->a : at] = r[i->op == L_OP_LOAD ? at : i->a];
            continue;
        case L_OP_SELECT:
            r[i->a] = b == c ? b : r[i->d];
            continue;
        case L_OP_EXACT:
            if (!exact(a))
                return false;
            continue;
        default:
            return i->op == L_OP_END;
        }
        next = code + i->c; /* a test that held */
        if (next <= i && --turns == 0)
            return false;
    }
}

static bool within(const l_instruction *i, int count, int places) {
    const bool jumps = i->op >= L_OP_JMP && i->op <= L_OP_JNEQ;
    const int last = i->op == L_OP_LOAD || i->op == L_OP_STORE ? i->b + i->d - 1 : i->op == L_OP_SELECT ? i->d : 0;
    return i->op < L_OPERATIONS && i->a < places && i->b < places && i->c < places && last < places &&
           (!jumps || i->c < count);
}

bool l_sound(const l_instruction *code, int count, int places) {
    for (int k = 0; k < count; k++)
        if (!within(&code[k], count, places))
            return false;
    return count > 0 && code[count - 1].op == L_OP_END;
}
