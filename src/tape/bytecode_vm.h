/* Compiled programs: arithmetic on registers, which are numbered doubles, with branches and loops. Closures that
 * only compute become programs (lua/saltus/closure/compiler/, src/binding/closure/compiled.c), so each operation
 * returns the same bits as the virtual machine and the library of Lua 5.4 (lvm.c, lmathlib.c). RAISE is POW before Lua
 * 5.4.2. Those from SINE on are functions of saltus/math.h. */
#ifndef SAL_BYTECODE_VM_H
#define SAL_BYTECODE_VM_H

#include <stdbool.h>
#include <stdint.h>

/* The name, and the value that register a gets from registers b and c. */
#define SAL__SINGLES(X) \
    X(ADD, b + c) \
    X(SUB, b - c) \
    X(MUL, b *c) \
    X(DIV, b / c)
#define SAL__ARITHMETIC(X) \
    SAL__SINGLES(X) \
    X(MOVE, b) \
    X(MOD, sal__modulo(b, c)) \
    X(IDIV, floor(b / c)) \
    X(POW, c == 2 ? b * b : pow(b, c)) \
    X(RAISE, pow(b, c)) \
    X(UNM, -b) \
    X(NOT, b == 0) \
    X(MAX, b < c ? c : b) \
    X(MIN, c < b ? c : b) \
    X(ABS, fabs(b)) \
    X(FLOOR, sal__whole(floor(b))) \
    X(CEIL, sal__whole(ceil(b))) \
    X(SQRT, sqrt(b)) \
    X(SIN, sin(b)) \
    X(COS, cos(b)) \
    X(TAN, tan(b)) \
    X(ASIN, asin(b)) \
    X(ACOS, acos(b)) \
    X(ATAN, atan2(b, c)) \
    X(EXP, exp(b)) \
    X(LOG, log(b)) \
    X(FMOD, fmod(b, c)) \
    X(SINE, sal_sin(b)) \
    X(COSINE, sal_cos(b)) \
    X(TANGENT, sal_tan(b)) \
    X(EXPONENTIAL, sal_exp(b)) \
    X(LOGARITHM, sal_log(b)) \
    X(POWER, sal_pow(b, c)) \
    X(ARCTANGENT, sal_atan2(b, c)) \
    X(HYPOTENUSE, sal_hypot(b, c))

/* Two operations in one: the first on b and c, the second on its result and d. */
#define SAL__PAIRS_WITH(X, name, first) \
    X(name##_ADD, (first) + d) \
    X(name##_SUB, (first)-d) \
    X(name##_FROM, d - (first)) \
    X(name##_MUL, (first)*d) \
    X(name##_DIV, (first) / d) \
    X(name##_UNDER, d / (first))
#define SAL__PAIRS(X) \
    SAL__PAIRS_WITH(X, ADD, b + c) \
    SAL__PAIRS_WITH(X, SUB, b - c) \
    SAL__PAIRS_WITH(X, MUL, b *c) \
    SAL__PAIRS_WITH(X, DIV, b / c)

/* The same, with the result of the previous arithmetic instruction as one operand, which is not loaded from its
 * register. The operations are named after that operand: ADD.b, MUL_SUB.d. */
#define SAL__NEXT(B, C, D) SAL__SINGLES(B) SAL__SINGLES(C) SAL__PAIRS(B) SAL__PAIRS(C) SAL__PAIRS(D)

/* The name, and the condition on registers a and b for a jump to instruction c. */
#define SAL__JUMPS(X) \
    X(JMP, true) \
    X(JLT, a < b) \
    X(JNLT, !(a < b)) \
    X(JLE, a <= b) \
    X(JNLE, !(a <= b)) \
    X(JEQ, a == b) \
    X(JNEQ, !(a == b))

/* SINCOS: a becomes the sine of b, and c its cosine. ASK: a becomes the host's answer to question d about b. LOAD,
 * STORE: move between a and element c (from 1 on) of the d registers from b on. SELECT: a becomes b if it equals c,
 * else d. EXACT: gives up unless a can be an integer: below 2^53, and not -0. */
#define SAL__OTHERS(X) X(SINCOS, ) X(ASK, ) X(LOAD, ) X(STORE, ) X(SELECT, ) X(EXACT, ) X(END, )

#define SAL__NUMBER(name, meaning) SAL__OP_##name,
#define SAL__NUMBER_B(name, meaning) SAL__OP_##name##_B,
#define SAL__NUMBER_C(name, meaning) SAL__OP_##name##_C,
#define SAL__NUMBER_D(name, meaning) SAL__OP_##name##_D,
enum {
    SAL__ARITHMETIC(SAL__NUMBER) SAL__PAIRS(SAL__NUMBER) SAL__NEXT(SAL__NUMBER_B, SAL__NUMBER_C, SAL__NUMBER_D)
        SAL__JUMPS(SAL__NUMBER) SAL__OTHERS(SAL__NUMBER) SAL__OPERATIONS
};
#undef SAL__NUMBER
#undef SAL__NUMBER_B
#undef SAL__NUMBER_C
#undef SAL__NUMBER_D

typedef struct sal__instruction {
    uint16_t op, a, b, c, d;
} sal__instruction;

/* Computes a non-arithmetic value, such as the past of a state; false: the host cannot compute it. */
typedef struct sal__bytecode_host sal__bytecode_host;
struct sal__bytecode_host {
    bool (*answer)(const sal__bytecode_host *self, int question, double about, double *to);
};

extern const char *const sal__operation_names[SAL__OPERATIONS];

/* Returns false if it meets a value for which it was not compiled, or has looped too often; the host then calls the
 * closure. `fuel` (may be NULL): each jump back takes the instructions that it repeats, and the run ends below zero. */
bool sal__bytecode_run(const sal__instruction *code, double *registers, const sal__bytecode_host *host, int64_t *fuel);

/* Returns whether code of `count` instructions only uses registers below `register_count`, and ends. */
bool sal__bytecode_is_sound(const sal__instruction *code, int count, int register_count);

#endif
