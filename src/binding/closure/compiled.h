/* A program with what it loads before a run, and stores after it. */
#ifndef SAL_COMPILED_H
#define SAL_COMPILED_H

#include "binding/binding.h"
#include "tape/bytecode_vm.h"

enum { L_MAX_PORTS = 16 };

/* A number between a context and a program's places; of ports, all that there are. */
typedef struct l_move {
    int partition, at, size, reg;
    int detail; /* loads: L_NEXT or not; stores: 1: not every path may write it */
} l_move;

/* Moves from `from` until before `to`. */
typedef struct l_moves {
    l_move *from, *to;
} l_moves;

enum { WANT_NUMBER, WANT_BOOLEAN, WANT_NIL, WANT_TABLE, WANT_SAME, WANT_EQUAL };

/* What is behind an upvalue or a table's field; each is left on the stack for those that hang on it. */
typedef struct l_lua_value {
    int parent; /* the fetch that found it, from 1 on; 0: the closure */
    bool upvalue;
    int key;       /* an upvalue's number; where a field's key is among the closures */
    int want, reg; /* WANT_EQUAL: the number that it must be is there */
    const void *same;
} l_lua_value;

/* A reading of the past of a state. */
typedef struct l_delay_query {
    int past;
    bool rate, absolute; /* its derivative; at a time rather than some time ago */
} l_delay_query;

struct l_compiled {
    size_t bytes;
    int register_count, move_count, lua_value_count, query_count;
    bool is_plain;   /* it fetches no values and reads no past, and no path leaves a result unset */
    bool is_waiting; /* it is reading the past: closures that run for that find its places taken */
    /* what is loaded: computed before; as it flows; when it changed, for it is held; otherwise; and what is stored */
    l_moves ports, flowing, discrete, others, stores;
    const sal_context *read_context;        /* whose discrete numbers are in their registers, */
    uint64_t read_version;                  /* as of then: see sal_context_discrete_version */
    double *register_value, *shadow_result; /* shadow_result: of a run beside its closure, apart */
    l_move *move;                           /* all of them, in this order */
    l_lua_value *lua_value;
    l_delay_query *query;
    sal__instruction *code;
};

#endif
