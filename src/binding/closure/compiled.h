/* A compiled program, with its loads before a run and its stores after it. */
#ifndef SAL_COMPILED_H
#define SAL_COMPILED_H

#include "binding/binding.h"
#include "model/model.h"
#include "tape/bytecode_vm.h"

enum { L_TRIALS = 4, L_REFUSED = -1 }; /* shadow runs before a program runs alone; none helps */
enum { L_MAX_PORTS = 16 };
enum { L_MAX_TABLES = 8 }; /* in a row, by __index, in which a field is looked up */

/* A number moved between a context and a register; for a port, all its numbers. */
typedef struct l_move {
    int partition, at, size, reg;
    int detail; /* loads: L_NEXT or not; stores: 1: some path may not write it */
} l_move;

/* Moves from `from` until before `to`. */
typedef struct l_moves {
    l_move *from, *to;
} l_moves;

enum { WANT_NUMBER, WANT_BOOLEAN, WANT_NIL, WANT_TABLE, WANT_SAME, WANT_EQUAL };

/* A value in an upvalue or a table's field; it stays on the stack while its own fields are fetched. */
typedef struct l_lua_value {
    int parent; /* index of the fetch of its table, from 1 on; 0: the closure */
    bool upvalue;
    int key;       /* number of the upvalue; for a field, index of its key among the closures */
    int want, reg; /* WANT_EQUAL: the number to compare with is in the register */
    const void *same;
} l_lua_value;

/* A read of the past of a state. */
typedef struct l_delay_query {
    int past;
    bool rate, absolute; /* rate: its derivative; absolute: at a time, not a lag */
} l_delay_query;

struct l_compiled {
    int register_count, move_count, lua_value_count, query_count, instruction_count;
    bool is_plain;     /* fetches no values, reads no past, and writes all results on every path */
    int margin_trials; /* of watches: shadow runs that are left; L_REFUSED: it differed */
    bool is_waiting;   /* is reading the past: meanwhile other runs must not use its registers */
    /* moves: ports, computed first; continuous state; discrete state, only when it changed; other values; stores */
    l_moves ports, flowing, discrete, others, stores;
    const sal_context *read_context;        /* the context whose discrete numbers are in the registers, */
    uint64_t read_version;                  /* and their version: see sal_context_discrete_version */
    double *register_value, *shadow_result; /* shadow_result: results of a shadow run */
    l_move *move;                           /* all of them, in this order */
    l_lua_value *lua_value;
    l_delay_query *query;
    sal__instruction *code;
};

/* Runs the program of a closure; its results are in their registers. False: it gave up. */
bool l_run_program(l_simulator *self, l_closure *c, const sal_context *ctx);

/* `partition`: L_INPUT or L_OUTPUT. Errors of closures called on the way are dropped: when the caller's closure
 * reads the port itself, they occur again. */
static inline sal_status l_evaluate_port(l_simulator *self, const sal_context *ctx, int partition, int port,
                                         const double **value) {
    const bool waits = self->has_stored_error;
    const sal_status status =
        partition == L_INPUT ? sal__input(ctx, port, value) : sal_context_output(ctx, port, value);
    if (status == SAL_ECALLBACK && !waits)
        l_clear_failure(self);
    return status;
}

#endif
