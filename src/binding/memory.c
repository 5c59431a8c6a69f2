/* Arrays in the memory of a simulator, which uses Lua's allocator. */
#include <string.h>

#include "binding.h"

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

void l_reserve(lua_State *L, l_simulator *self, l_pointers *list) {
    if (list->count < list->capacity)
        return;
    const int capacity = 2 * list->capacity + 8;
    void **more = l_new_array(L, self, capacity, sizeof *more);
    if (list->count > 0)
        memcpy(more, list->item, (size_t)list->count * sizeof *more);
    l_free_array(self, list->item, list->capacity, sizeof *more);
    list->item = more;
    list->capacity = capacity;
}

void l_free_pointers(l_simulator *self, l_pointers *list) {
    l_free_array(self, list->item, list->capacity, sizeof *list->item);
    *list = (l_pointers){NULL, 0, 0};
}
