/* Values between Lua and C: numbers, lists, fields of tables, and the classes of userdata. */
#ifndef SAL_VALUES_H
#define SAL_VALUES_H

#include <lauxlib.h>
#include <lua.h>

#include "saltus/status.h"

void l_check_status(lua_State *L, sal_status status, const char *what); /* raises, unless it is SAL_OK */

/* Reads fields of tables that lua/saltus has checked: they have the right type, or are absent. */
int l_field_integer(lua_State *L, int table, const char *name); /* 0 where there is none */
double l_field_number(lua_State *L, int table, const char *name, double otherwise);
bool l_field_flag(lua_State *L, int table, const char *name, bool otherwise);
int l_field_option(lua_State *L, int table, const char *name, const char *const options[]); /* its place; none: -1 */
bool l_field_is(lua_State *L, int table, const char *name, int type);
int l_field_length(lua_State *L, int table, const char *name); /* length of a list; 0 if absent */

/* Fields of the table on top. */
void l_set_number(lua_State *L, const char *name, double value);
void l_set_integer(lua_State *L, const char *name, int64_t value);
void l_set_flag(lua_State *L, const char *name, bool value);
void l_set_string(lua_State *L, const char *name, const char *value); /* does nothing for NULL */
void l_set_true(lua_State *L, const char *name, bool value);          /* does nothing unless `value` */

/* Push a value. They return the number of values pushed, which is 1. */
double *l_push_room(lua_State *L, int count); /* pushes room for so many numbers */
int l_push_list(lua_State *L, int count, const double *from);
int l_push_numbers(lua_State *L, int count, const double *from); /* a number if count is 1, else a list */
int l_push_place(lua_State *L, int i);                           /* counts from 1; nil for none, which is negative */
int l_push_hash(lua_State *L, uint64_t hash);                    /* sixteen hexadecimal digits */

/* Reads numbers of the list at `list` from item `from` on; false if one is not a number. */
bool l_read_numbers(lua_State *L, int list, int from, double *to, int count);
/* Reads integers of the list at `list` from item `from` on; booleans are 0 or 1. */
void l_read_integers(lua_State *L, int list, int from, int *to, int count);
/* Pushes item i, a table, of the list on top; if there is no list or no item, pops the list and returns false. */
bool l_push_item(lua_State *L, int i);
int l_check_place(lua_State *L, int arg); /* an argument that counts from 1, as an index from 0 */

/* Text of numbers that does not depend on the locale; see numerals.c. */
typedef struct l_number_text_buffer {
    char text[40];
} l_number_text_buffer;
l_number_text_buffer l_number_text(double x); /* for "%s" where lua_pushfstring would be given "%f" */

/* A kind of userdata. */
typedef struct l_class {
    const char *name;
    const luaL_Reg *meta;        /* metamethods; one without a function is false */
    const luaL_Reg *methods[12]; /* of its __index; the last is NULL */
} l_class;

void l_open_class(lua_State *L, const l_class *class);
void *l_new_object(lua_State *L, const l_class *class, size_t size, int user_values); /* zeroed */
int l_take(lua_State *L, int userdata, int n); /* pushes user value n, which is nil from now on; returns its type */
void l_hold(lua_State *L, int value, int n);   /* as user value n of the userdata on top */

#endif
