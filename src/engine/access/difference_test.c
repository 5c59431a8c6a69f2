/* What two runs are said to differ in: each kind of state, the first one first, and nothing where the hashes agree. */
#include <stdlib.h>
#include <string.h>

#include "base/test_check.h"
#include "saltus/simulator.h"

/* ---- two tanks: a level that flows, a pump that is a mode, an abstract count, noisy ticks ---- */

static sal_status rates(const sal_system *self, const sal_context *ctx, const sal_rates *dot) {
    (void)self;
    dot->z[0] = sal_context_get(ctx, SAL_XD)[0] > 1 ? 1 : -1;
    dot->z[1] = 0;
    return SAL_OK;
}

static sal_outcome tick(const sal_system *self, const sal_context *ctx, const sal_event *event, sal_context *next,
                        sal_note *note) {
    (void)self, (void)ctx, (void)event, (void)note;
    sal_context_random(next);
    return SAL_SUCCEEDED;
}

static sal_status make(const sal_system *self, int slot, void **out) {
    (void)self, (void)slot;
    return (*out = calloc(1, sizeof(int))) ? SAL_OK : SAL_ENOMEM;
}

static sal_status assign(void *to, const void *from) {
    memcpy(to, from, sizeof(int));
    return SAL_OK;
}

static sal_status clone(const void *from, void **out) {
    const sal_status status = make(NULL, 0, out);
    return status == SAL_OK ? assign(*out, from) : status;
}

static uint64_t hash(const void *value, uint64_t seed) {
    return sal_hash(value, sizeof(int), seed);
}

static size_t size(const void *value) {
    (void)value;
    return sizeof(int);
}

static void save(const void *value, void *to) {
    memcpy(to, value, sizeof(int));
}

static sal_status load(void *value, const void *from, size_t bytes) {
    return bytes == sizeof(int) ? assign(value, from) : SAL_EINVAL;
}

static const sal_slot_type count = {.make = make,
                                    .clone = clone,
                                    .assign = assign,
                                    .drop = free,
                                    .size = size,
                                    .save = save,
                                    .load = load,
                                    .hash = hash};
static const sal_system_class class = {.name = "tank", .derivatives = rates, .update = tick};

static sal_system *new_tank(void) {
    static const char *const words[] = {"off", "on"};
    sal_system *sys = NULL;
    CHECK(sal_system_new(NULL, &class, "tank", NULL, &sys) == SAL_OK);
    CHECK(sal_system_add_values(sys, SAL_PARAM, "area", 1, (double[]){4}) == SAL_OK); /* declared before the states */
    CHECK(sal_system_add_values(sys, SAL_Z, "level", 2, (double[]){0.5, 1}) == SAL_OK);
    CHECK(sal_system_add_values(sys, SAL_XD, "pump", 1, NULL) == SAL_OK);
    CHECK(sal_system_set_modes(sys, "pump", words, 2) == SAL_OK);
    CHECK(sal_system_add_values(sys, SAL_INPUT, "rain", 1, (double[]){0}) == SAL_OK);
    CHECK(sal_system_add_slot(sys, "visits", &count, NULL) == SAL_OK);
    sal_event_config e = sal_event_config_default();
    e.name = "tick", e.trigger = SAL_ON_PERIOD, e.period = 1, e.kind = SAL_DISCRETE;
    CHECK(sal_system_add_event(sys, &e, NULL) == SAL_OK);
    return sys;
}

typedef struct pair {
    sal_system *left, *right, *farm;
    sal_simulator *one, *other;
} pair;

static pair begin(void) {
    pair p = {.left = new_tank(), .right = new_tank()};
    CHECK(sal_diagram_new(NULL, "farm", &p.farm) == SAL_OK);
    CHECK(sal_diagram_add(p.farm, p.left, "left", NULL) == SAL_OK);
    CHECK(sal_diagram_add(p.farm, p.right, "right", NULL) == SAL_OK);
    CHECK(sal_simulator_new(NULL, p.farm, NULL, NULL, &p.one) == SAL_OK);
    CHECK(sal_simulator_new(NULL, p.farm, NULL, NULL, &p.other) == SAL_OK);
    CHECK(sal_simulator_advance_to(p.one, 0.5, NULL) == SAL_OK &&
          sal_simulator_advance_to(p.other, 0.5, NULL) == SAL_OK);
    return p;
}

static void end(pair *p) {
    sal_simulator_free(p->one);
    sal_simulator_free(p->other);
    sal_system_free(p->farm);
    sal_system_free(p->left);
    sal_system_free(p->right);
}

/* The text, and whether its length agrees with the hashes. */
static const char *difference(const pair *p) {
    static char text[256];
    const size_t length = sal_simulator_difference(p->one, p->other, text, sizeof text);
    CHECK(length == strlen(text));
    CHECK((length == 0) == (sal_simulator_hash(p->one) == sal_simulator_hash(p->other)));
    return text;
}

static void is_said(const pair *p, const char *words) {
    const char *text = difference(p);
    if (strcmp(text, words) != 0)
        printf("%s\n", text);
    CHECK(strcmp(text, words) == 0);
}

static sal_context *right_of(const pair *p) {
    return sal_context_part(sal_simulator_context(p->other), 1);
}

/* Later ones stay while earlier ones are added, so each is said before those behind it. */
static void the_first_thing_is_named(void) {
    pair p = begin();
    void *slot = NULL;
    is_said(&p, "");
    CHECK(sal_context_edit_slot(right_of(&p), 0, &slot) == SAL_OK);
    *(int *)slot = 3;
    is_said(&p, "the abstract state \"right.visits\" differs");
    sal_context_edit(right_of(&p), SAL_INPUT)[0] = 2;
    is_said(&p, "\"right.rain\" is 0 in the first, 2 in the second");
    sal_context_edit(right_of(&p), SAL_PARAM)[0] = 0.1;
    is_said(&p, "\"right.area\" is 4 in the first, 0.10000000000000001 in the second");
    CHECK(sal_simulator_set_mode(p.other, "right.pump", "on") == SAL_OK);
    is_said(&p, "\"right.pump\" is off in the first, on in the second");
    sal_context_edit(right_of(&p), SAL_Z)[1] = -1;
    is_said(&p, "\"right.level[2]\" is 1 in the first, -1 in the second");
    CHECK(sal_simulator_set_value(p.other, "left.area", -0.0) == SAL_OK);
    CHECK(sal_simulator_set_value(p.one, "left.area", 0.0) == SAL_OK);
    is_said(&p, "\"left.area\" is 0 in the first, -0 in the second");
    sal_context_set_time(sal_simulator_context(p.other), 0.25);
    is_said(&p, "the time is 0.5 in the first, 0.25 in the second");
    end(&p);
}

static void draws_and_seeds_are_named(void) {
    pair p = begin();
    CHECK(sal_simulator_copy(p.other, p.one) == SAL_OK);
    sal_context_random(right_of(&p));
    const char *text = difference(&p);
    CHECK(strstr(text, "the number of random draws of \"right\" is 1 in the first, 2 in the second"));
    sal_context_seed(sal_simulator_context(p.other), 7);
    is_said(&p, "the seed is 0 in the first, 7 in the second");
    end(&p);
}

static void short_texts_and_other_systems(void) {
    pair p = begin();
    sal_simulator *tank = NULL;
    char text[8];
    sal_context_edit(right_of(&p), SAL_Z)[1] = -1;
    CHECK(sal_simulator_difference(p.one, p.other, text, sizeof text) > sizeof text);
    CHECK(strcmp(text, "\"right.") == 0);
    CHECK(sal_simulator_difference(p.one, p.other, NULL, 0) > sizeof text);
    CHECK(sal_simulator_new(NULL, p.left, NULL, NULL, &tank) == SAL_OK);
    char whole[128];
    CHECK(sal_simulator_difference(p.one, tank, whole, sizeof whole) > 0);
    CHECK(strcmp(whole, "the simulators are of different systems, \"farm\" and \"tank\"") == 0);
    sal_simulator_free(tank);
    end(&p);
}

int main(void) {
    the_first_thing_is_named();
    draws_and_seeds_are_named();
    short_texts_and_other_systems();
    return check_summary();
}
