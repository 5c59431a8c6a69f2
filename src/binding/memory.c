/* Lua's allocator, so that limits of a state count all memory, and arrays in the memory of a simulator. */
#include <string.h>

#include "binding.h"

sal_allocator l_allocator(lua_State *L) {
    sal_allocator mem;
    mem.resize = lua_getallocf(L, &mem.user);
    return mem;
}

void *l_new_array(lua_State *L, l_simulator *self, int count, size_t size) {
    if (count == 0)
        return NULL;
    void *array = self->mem.resize(self->mem.user, NULL, 0, (size_t)count * size);
    if (!array)
        luaL_error(L, "not enough memory");
    return memset(array, 0, (size_t)count * size);
}

void l_free_array(l_simulator *self, void *array, int count, size_t size) {
    if (array)
        self->mem.resize(self->mem.user, array, (size_t)count * size, 0);
}
