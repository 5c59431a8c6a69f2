/* Lockstep is demanded of a system, a part or a diagram, and refused by the build where a class does not declare it. */
#include <string.h>

#include "saltus/saltus.h"

#include "base/test_check.h"

static sal_status rest(const sal_system *self, const sal_context *ctx, const sal_rates *dot) {
    (void)self, (void)ctx;
    dot->z[0] = 0;
    return SAL_OK;
}

static const sal_system_class loose = {.name = "loose", .derivatives = rest};
static const sal_system_class strict = {.name = "strict", .derivatives = rest, .lockstep = true};

static sal_system *new_part(const sal_system_class *behaviour) {
    sal_system *sys = NULL;
    CHECK(sal_system_new(NULL, behaviour, behaviour->name, NULL, &sys) == SAL_OK);
    CHECK(sal_system_add_values(sys, SAL_Z, "x", 1, NULL) == SAL_OK);
    return sys;
}

/* Builds it; the caller frees it. */
static sal_status build(sal_system *sys) {
    sal_simulator *sim = NULL;
    const sal_status status = sal_simulator_new(NULL, sys, NULL, NULL, &sim);
    sal_simulator_free(sim);
    return status;
}

static void a_lone_system_is_refused_unless_its_class_declares_it(void) {
    sal_system *unasked = new_part(&loose), *refused = new_part(&loose), *accepted = new_part(&strict);
    CHECK(build(unasked) == SAL_OK);
    CHECK(!sal_system_is_lockstep(unasked));
    CHECK(sal_system_demand_lockstep(unasked) == SAL_EINVAL); /* built */
    CHECK(sal_system_demand_lockstep(refused) == SAL_OK);
    CHECK(sal_system_is_lockstep(refused));
    CHECK(build(refused) == SAL_EINVAL);
    CHECK(strstr(sal_system_trouble(refused), "the class \"loose\" does not declare it; set .lockstep") != NULL);
    CHECK(sal_system_demand_lockstep(accepted) == SAL_OK);
    CHECK(build(accepted) == SAL_OK);
    CHECK(sal_system_demand_lockstep(NULL) == SAL_EINVAL);
    sal_system_free(unasked);
    sal_system_free(refused);
    sal_system_free(accepted);
}

/* A diagram of a class and a block; `demand`: 0: nothing, 1: of the diagram, 2: of the block, 3: of an inner
 * diagram. */
static sal_status build_pair(const sal_system_class *behaviour, int demand) {
    sal_system *outer = NULL, *inner = NULL, *sine = NULL, *part = new_part(behaviour);
    CHECK(sal_block_sine(NULL, "sine", 1, 2, 0, &sine) == SAL_OK);
    CHECK(sal_diagram_new(NULL, "outer", &outer) == SAL_OK && sal_diagram_new(NULL, "inner", &inner) == SAL_OK);
    if (demand > 0)
        CHECK(sal_system_demand_lockstep(demand == 1 ? outer : demand == 2 ? sine : inner) == SAL_OK);
    CHECK(sal_diagram_add(inner, sine, "sine", NULL) == SAL_OK);
    CHECK(sal_diagram_add(outer, part, "part", NULL) == SAL_OK);
    CHECK(sal_diagram_add(outer, inner, "inner", NULL) == SAL_OK);
    CHECK(sal_system_is_lockstep(outer) == (demand > 0));
    const sal_status status = build(outer);
    sal_system_free(outer);
    sal_system_free(inner);
    sal_system_free(sine);
    sal_system_free(part);
    return status;
}

static void a_demand_holds_for_all_parts_of_a_diagram(void) {
    CHECK(build_pair(&loose, 0) == SAL_OK);
    for (int demand = 1; demand <= 3; demand++) {
        CHECK(build_pair(&loose, demand) == SAL_EINVAL);
        CHECK(build_pair(&strict, demand) == SAL_OK);
    }
}

int main(void) {
    a_lone_system_is_refused_unless_its_class_declares_it();
    a_demand_holds_for_all_parts_of_a_diagram();
    return check_summary();
}
