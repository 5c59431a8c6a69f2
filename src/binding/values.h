/* Fields of tables that lua/saltus has checked. */
#ifndef SAL_VALUES_H
#define SAL_VALUES_H

#include "binding.h"

/* fields.c */
void l_check_status(lua_State *L, sal_status status, const char *what); /* raises, unless it is SAL_OK */
int l_field_integer(lua_State *L, int table, const char *name);         /* 0 where there is none */
double l_field_number(lua_State *L, int table, const char *name, double otherwise);
int l_field_option(lua_State *L, int table, const char *name, const char *const options[]); /* its place; none: -1 */
bool l_field_is(lua_State *L, int table, const char *name, int type);
bool l_field_true(lua_State *L, int table, const char *name);
int l_field_length(lua_State *L, int table, const char *name);
void l_field_numbers(lua_State *L, int list, int from, double *to, int count);

/* events.c */
void l_add_events(lua_State *L, l_simulator *self, l_part *part, int system);

#endif
