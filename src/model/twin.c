/* A leaf that declares what another does: it borrows all of that, and owns its name and numbers. */
#include <string.h>

#include "model.h"

static size_t numbers_of(const sal_system *sys) {
    size_t count = 0;
    for (int p = 0; p < SAL_PARTITIONS; p++)
        count += (size_t)sys->size[p];
    return count;
}

/* One block: the system, its numbers, its name. */
static size_t bytes_of(const sal_system *sys, const char *name) {
    return sizeof *sys + numbers_of(sys) * sizeof(double) + strlen(name) + 1;
}

sal_status sal__system_from_prototype(sal_system *like, const char *name, void *data, sal_system **out) {
    sal_system *twin = sal__alloc(&like->mem, bytes_of(like, name));
    if (!twin)
        return SAL_ENOMEM;
    like->is_frozen = true;
    *twin = *like;
    double *numbers = (double *)(twin + 1);
    for (int p = 0; p < SAL_PARTITIONS; p++) {
        twin->defaults[p].item = numbers;
        if (like->size[p] > 0)
            memcpy(numbers, like->defaults[p].item, (size_t)like->size[p] * sizeof *numbers);
        numbers += like->size[p];
    }
    twin->name = (char *)numbers;
    strcpy(twin->name, name);
    twin->data = data;
    twin->plan = NULL;
    twin->loop_outputs = (sal__ints){NULL, 0, 0};
    twin->has_prototype = true;
    *out = twin;
    return SAL_OK;
}

void sal__free_copy_of_prototype(sal_system *twin) {
    const sal_allocator mem = twin->mem;
    sal__plan_free(&mem, twin->plan);
    sal__free(&mem, twin->loop_outputs.item, (size_t)twin->loop_outputs.cap * sizeof *twin->loop_outputs.item);
    sal__free(&mem, twin, bytes_of(twin, twin->name));
}
