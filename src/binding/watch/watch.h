/* The watches of Lua: functions, words as programs, and halts at events. */
#ifndef SAL_BINDING_WATCH_H
#define SAL_BINDING_WATCH_H

#include "binding/binding.h"
#include "binding/closure/compiled.h"
#include "tape/bytecode_vm.h"

typedef enum l_load_kind { OF_STATE, OF_INPUT, OF_OUTPUT, OF_TIME } l_load_kind;

/* A number that a program reads: element `at` of a partition, or element `offset` of a port. */
typedef struct l_load {
    int reg, kind, part, offset, at;
} l_load;

/* The `user` of a watch: a userdata that lives as long as it is in the table. A watch of words has a program, whose
 * result is the same as that of its function; a function has one if the compiler of closures found one. The function
 * takes over where the program gives up. */
typedef struct l_watch {
    l_closure closure; /* first, so that its address is that of the watch; its program reads the only part */
    l_simulator *owner;
    int load_count;
    double *reg;
    l_load *load;
    sal__instruction *code; /* of words; NULL: none */
} l_watch;

/* The margins of a watch, by its function, by the program of its words, and by the program of its function. */
sal_status l_watch_margin(void *user, const sal_context *ctx, double *value);
sal_status l_program_margin(void *user, const sal_context *ctx, double *value);
sal_status l_compiled_margin(void *user, const sal_context *ctx, double *value);

/* Pushes a userdata with the program at a stack index: a description in a table, or a compiled one; nil: none. Its
 * user values are the function and the compiled program. */
l_watch *l_push_watch(lua_State *L, l_simulator *self, int program);

/* halt = self:halt_at({ { part, event }, ... }) */
int l_halt_at(lua_State *L);

#endif
