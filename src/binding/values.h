/* Values between Lua and C: numbers, lists, fields of tables, and the classes of userdata. */
#ifndef SAL_VALUES_H
#define SAL_VALUES_H

#include <lauxlib.h>
#include <lua.h>

#include "saltus/status.h"

void l_check_status(lua_State *L, sal_status status, const char *what); /* raises, unless it is SAL_OK */

/* Fields of tables that lua/saltus has checked: they are of the right type, or absent. */
int l_field_integer(lua_State *L, int table, const char *name); /* 0 where there is none */
double l_field_number(lua_State *L, int table, const char *name, double otherwise);
bool l_field_flag(lua_State *L, int table, const char *name, bool otherwise);
int l_field_option(lua_State *L, int table, const char *name, const char *const options[]); /* its place; none: -1 */
bool l_field_is(lua_State *L, int table, const char *name, int type);
int l_field_length(lua_State *L, int table, const char *name); /* of a list; 0 where there is none */

/* Fields of the table on top. */
void l_set_number(lua_State *L, const char *name, double value);
void l_set_integer(lua_State *L, const char *name, int64_t value);
void l_set_flag(lua_State *L, const char *name, bool value);
void l_set_string(lua_State *L, const char *name, const char *value); /* nothing for NULL */
void l_set_true(lua_State *L, const char *name, bool value);          /* nothing unless `value` */

/* Those that push return how many values they pushed, which is one. */
double *l_push_room(lua_State *L, int count); /* for so many numbers, until it is popped */
int l_push_list(lua_State *L, int count, const double *from);
int l_push_numbers(lua_State *L, int count, const double *from); /* one as a number, more as a list */
int l_push_place(lua_State *L, int i);                           /* as Lua counts; nil for none, which is negative */
int l_push_hash(lua_State *L, uint64_t hash);                    /* sixteen hexadecimal digits */

/* Numbers of the list at `list` from `from` on; false when one of them is none. */
bool l_read_numbers(lua_State *L, int list, int from, double *to, int count);
/* Integers of the list at `list` from `from` on; of booleans, 0 or 1. */
void l_read_integers(lua_State *L, int list, int from, int *to, int count);
/* Pushes item i, a table, of the list on top; false, which pops the list: there is none, or no list. */
bool l_push_item(lua_State *L, int i);
int l_check_place(lua_State *L, int arg); /* an argument that counts from 1, as C counts */

/* Text of numbers that does not depend on the locale; see numerals.c. */
typedef struct l_number_text_buffer {
    char text[40];
} l_number_text_buffer;
l_number_text_buffer l_number_text(double x); /* for "%s" where lua_pushfstring would be given "%f" */

/* A kind of userdata. */
typedef struct l_class {
    const char *name;
    const luaL_Reg *meta;       /* metamethods; one without a function is false */
    const luaL_Reg *methods[8]; /* of its __index */
} l_class;

void l_open_class(lua_State *L, const l_class *class);
void *l_new_object(lua_State *L, const l_class *class, size_t size, int user_values); /* zeroed */
int l_take(lua_State *L, int userdata, int n); /* pushes user value n, which is nil from now on; returns its type */
void l_hold(lua_State *L, int value, int n);   /* as user value n of the userdata on top */

#endif
