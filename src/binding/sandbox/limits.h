/* What the scripts of a Lua state may spend, and whether they may use files. There is one record for each state.
 *
 * One unit of the budget is one instruction of Lua or of a program. Whatever takes long elsewhere is charged in the
 * same unit: steps of the engine, steps of a pattern, bytes that are copied. A count hook charges Lua's instructions.
 * Once the budget is spent, the hook raises an error at each instruction, so no pcall goes on. */
#ifndef SAL_LIMITS_H
#define SAL_LIMITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <lua.h>

enum { L_BUDGET_INTERVAL = 1000 }; /* instructions between two calls of the hook, at most */

typedef struct l_limits {
    int64_t left;                  /* units; negative: spent */
    int64_t until_look;            /* units that l_spend charges before it looks at the clock */
    int64_t budget;                /* of the last l_set_budget; 0: no limit */
    double seconds;                /* of processor time for each budget; 0: no limit */
    double until;                  /* when they end */
    int64_t run;                   /* counts the budgets: finalizers set under an earlier one are not called */
    char place[96];                /* of the script when they were spent; "": not yet */
    lua_Hook hook;                 /* of the budget; programs run under it */
    size_t longest;                /* bytes of a string; 0: no limit */
    bool files_closed;             /* saltus reads and writes no files */
    bool untrusted;                /* the state is a sandbox */
    void (*collect)(lua_State *L); /* of a sandbox: when the hook looks; else NULL */
    const char *own;               /* of a sandbox: how sources of saltus begin; else NULL */
} l_limits;

l_limits *l_limits_of(lua_State *L);
void l_set_limits(lua_State *L, l_limits *limits);     /* of a new state; the record outlives it */
void l_start_limits(l_limits *limits, size_t longest); /* of a string; no other limits */
void l_set_budget(lua_State *L, int64_t units);        /* 0: no limit */
void l_set_seconds(lua_State *L, double seconds);      /* 0: no limit */
void l_close_files(lua_State *L, bool closed);

bool l_is_spent(l_limits *limits); /* looks at the clock too */

/* Charges units, up to 10^18; false if the budget or the time is spent. It cannot raise. */
static inline bool l_spend(l_limits *limits, int64_t units) {
    if (limits->left >= 0)
        limits->left -= units;
    limits->until_look -= units;
    return limits->until_look < 0 ? !l_is_spent(limits) : limits->left >= 0;
}

void l_charge(lua_State *L, int64_t units); /* raises if the budget is spent */

/* Whether scripts of the state may have limits. */
static inline bool l_are_limited(const l_limits *limits) {
    return limits->untrusted || limits->budget > 0 || limits->seconds > 0;
}

int l_raise_spent(lua_State *L); /* by a function of C; with the place of its caller */

void l_check_length(lua_State *L, double bytes); /* raises if a string may not be so long */

/* Raises if files are closed. `what`: who needs one. */
void l_check_files(lua_State *L, const char *what);

#endif
