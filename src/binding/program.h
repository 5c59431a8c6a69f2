/* Programs: arithmetic on numbered doubles, what a closure that does nothing else becomes
 * (lua/saltus/program/). They know nothing of Lua; what they do is what its virtual machine and its library
 * do (lvm.c and lmathlib.c of Lua 5.4), bit for bit. */
#ifndef SAL_PROGRAM_H
#define SAL_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

/* name, and what place a becomes of the values of places b and c */
#define L_ARITHMETIC(X) \
    X(MOVE, b) \
    X(ADD, b + c) \
    X(SUB, b - c) \
    X(MUL, b *c) \
    X(DIV, b / c) \
    X(MOD, modulo(b, c)) \
    X(IDIV, floor(b / c)) \
    X(POW, c == 2 ? b * b : pow(b, c)) \
    X(UNM, -b) \
    X(NOT, b == 0) \
    X(MAX, b < c ? c : b) \
    X(MIN, c < b ? c : b) \
    X(ABS, fabs(b)) \
    X(FLOOR, whole(floor(b))) \
    X(CEIL, whole(ceil(b))) \
    X(SQRT, sqrt(b)) \
    X(SIN, sin(b)) \
    X(COS, cos(b)) \
    X(TAN, tan(b)) \
    X(ASIN, asin(b)) \
    X(ACOS, acos(b)) \
    X(ATAN, atan2(b, c)) \
    X(EXP, exp(b)) \
    X(LOG, log(b)) \
    X(FMOD, fmod(b, c))

/* name, and when the values of places a and b lead to instruction c */
#define L_JUMPS(X) \
    X(JMP, true) \
    X(JLT, a < b) \
    X(JNLT, !(a < b)) \
    X(JLE, a <= b) \
    X(JNLE, !(a <= b)) \
    X(JEQ, a == b) \
    X(JNEQ, !(a == b))

/* LOAD, STORE: a and element c (from 1 on) of the d places from b on. SELECT: a becomes b where it equals c, d
 * elsewhere. EXACT: gives up unless a is an integer's double: below 2^53, and not -0. */
#define L_OTHERS(X) X(LOAD, ) X(STORE, ) X(SELECT, ) X(EXACT, ) X(END, )

#define L_NUMBER(name, meaning) L_OP_##name,
enum { L_ARITHMETIC(L_NUMBER) L_JUMPS(L_NUMBER) L_OTHERS(L_NUMBER) L_OPERATIONS };
#undef L_NUMBER

typedef struct l_instruction {
    uint16_t op, a, b, c, d;
} l_instruction;

extern const char *const l_operation_names[L_OPERATIONS];

/* False when it meets what it was not written for, or runs on and on: the closure itself is asked then. */
bool l_compute(const l_instruction *code, double *place);

/* Whether code of `count` instructions stays within `places` and ends. */
bool l_sound(const l_instruction *code, int count, int places);

#endif
