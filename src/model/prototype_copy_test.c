/* Copies of a prototype: they declare the same, have numbers of their own, and can be freed in any order. */
#include "test_part.h"

#include "base/test_allocator.h"
#include "model.h"

static double first_output(sal_system *sys, double u) {
    sal_context *ctx = NULL;
    const double *value = NULL;
    CHECK(sal_context_new(NULL, sys, &ctx) == SAL_OK);
    *sal_context_edit(ctx, SAL_INPUT) = u;
    CHECK(sal_context_output(ctx, 0, &value) == SAL_OK);
    const double got = *value;
    sal_context_free(ctx);
    return got;
}

int main(void) {
    test_allocator mine = {.requests_left = -1};
    const sal_allocator mem = {test_allocate, &mine};
    tally t = {0}, other = {0};
    slots = &t;
    sal_system *one = new_part(&mem, &t, 3), *copy = NULL;
    CHECK(sal__system_from_prototype(one, "the other", &other, &copy) == SAL_OK);
    CHECK(strcmp(sal_system_name(copy), "the other") == 0 && sal_system_data(copy) == &other);
    CHECK(sal__system_is_like(one, copy) && sal_system_find_output(copy, "z") == 1);
    copy->defaults[SAL_Q].item[0] = 5; /* y = 2 u + q */
    CHECK(first_output(one, 1) == 5 && first_output(copy, 1) == 7);
    CHECK(t.outputs == 1 && other.outputs == 1);
    CHECK(sal_system_add_output(one, "more", 1, NULL) == SAL_EINVAL); /* borrowed declarations cannot change */
    CHECK(sal_system_add_output(copy, "more", 1, NULL) == SAL_EINVAL);

    sal_system *ring[2] = {NULL, NULL}; /* two outputs depend on each other: each system finds the loop */
    sal_context *ctx = NULL;
    const int needs[] = {1, 0};
    CHECK(sal_system_new(&mem, &class, "ring", &t, &ring[0]) == SAL_OK);
    for (int port = 0; port < 2; port++)
        CHECK(sal_system_add_output(ring[0], port == 0 ? "a" : "b", 1, NULL) == SAL_OK);
    for (int port = 0; port < 2; port++)
        CHECK(sal_system_set_dependencies(ring[0], port, NULL, 0, &needs[port], 1) == SAL_OK);
    CHECK(sal_context_new(&mem, ring[0], &ctx) == SAL_ELOOP);
    CHECK(sal__system_from_prototype(ring[0], "copy", &t, &ring[1]) == SAL_OK);
    CHECK(sal_context_new(&mem, ring[1], &ctx) == SAL_ELOOP);
    sal_system_free(ring[0]);
    sal_system_free(ring[1]);

    sal_system *none = NULL;
    mine.requests_left = 0;
    CHECK(sal__system_from_prototype(one, "none", NULL, &none) == SAL_ENOMEM && !none);
    sal_system_free(one); /* in either order */
    sal_system_free(copy);
    CHECK(mine.bytes_lent == 0);
    return check_summary();
}
