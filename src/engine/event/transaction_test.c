/* What discrete updates leave staged is not copied there anew: whoever else writes, and whatever handlers answer, the
 * next ones begin with the numbers of the context. */
#include "base/test_check.h"
#include "base/threefry.h"
#include "saltus/saltus.h"

enum { PARTS = 3, SAMPLES = 3000 };
enum { COUNT, OTHER, NUMBERS };

/* Counts. What it writes besides must not remain. */
static sal_outcome update(const sal_system *self, const sal_context *ctx, const sal_event *event, sal_context *next,
                          sal_note *note) {
    const sal_outcome *answer = sal_system_data(self);
    double *xd = sal_context_edit(next, SAL_XD);
    (void)event;
    (void)note;
    CHECK(xd[COUNT] == sal_context_get(ctx, SAL_XD)[COUNT] && xd[OTHER] == sal_context_get(ctx, SAL_XD)[OTHER]);
    xd[COUNT]++;
    sal_context_random(next);
    if (*answer != SAL_SUCCEEDED)
        xd[OTHER] = -1;
    return *answer;
}

static const sal_system_class class = {.name = "counter", .update = update};

static sal_system *add_counter(sal_system *whole, const char *name, sal_outcome *answer) {
    sal_system *sys = NULL;
    sal_event_config tick = sal_event_config_default();
    tick.name = "tick";
    tick.trigger = SAL_ON_PERIOD;
    tick.kind = SAL_DISCRETE;
    tick.period = 1;
    CHECK(sal_system_new(NULL, &class, name, answer, &sys) == SAL_OK);
    CHECK(sal_system_add_values(sys, SAL_XD, "numbers", NUMBERS, NULL) == SAL_OK);
    CHECK(sal_system_add_event(sys, &tick, NULL) == SAL_OK && sal_diagram_add(whole, sys, name, NULL) == SAL_OK);
    return sys;
}

/* The same numbers whenever it is run, from 0 to below `limit`. */
static int dice(int limit) {
    static uint64_t counter[2];
    static const uint64_t key[2] = {17, 4};
    uint64_t bits[2];
    counter[0]++;
    sal__threefry2x64(key, counter, bits);
    return (int)(bits[0] % (uint64_t)limit);
}

static void edit(sal_simulator *sim, double twin[PARTS][NUMBERS]) {
    const int part = dice(PARTS), what = dice(NUMBERS);
    double *xd = sal_context_edit(sal_context_part(sal_simulator_context(sim), part), SAL_XD);
    xd[what] = twin[part][what] = dice(1000);
}

static void draw(sal_simulator *sim, int64_t *draws) {
    sal_context_random(sal_context_part(sal_simulator_context(sim), dice(PARTS)));
    ++*draws;
}

static void replace(sal_simulator *sim) {
    sal_context *other = NULL;
    CHECK(sal_context_clone(sal_simulator_context(sim), &other) == SAL_OK);
    CHECK(sal_simulator_reset_context(sim, other) == SAL_OK);
}

/* What the samples would write, without writing it. */
static void ask(sal_simulator *sim) {
    const sal_context *next = NULL;
    sal_report report;
    sal_simulator_preview_sampled(sim, &next, &report);
}

static void compare(sal_simulator *sim, double twin[PARTS][NUMBERS]) {
    for (int part = 0; part < PARTS; part++) {
        const double *xd = sal_context_get(sal_context_part(sal_simulator_context(sim), part), SAL_XD);
        CHECK(xd[COUNT] == twin[part][COUNT] && xd[OTHER] == twin[part][OTHER]);
    }
}

/* A failure undoes all, and is pending. */
static void sample(sal_simulator *sim, double t, sal_outcome answer[PARTS], double twin[PARTS][NUMBERS]) {
    bool fails = false;
    for (int part = 0; part < PARTS; part++) {
        const int chance = dice(8);
        answer[part] = chance == 0 ? SAL_FAILED : chance < 3 ? SAL_DID_NOTHING : SAL_SUCCEEDED;
        fails = fails || answer[part] == SAL_FAILED;
    }
    CHECK(sal_simulator_advance_to(sim, t, NULL) == (fails ? SAL_EHANDLER : SAL_OK));
    for (int part = 0; fails && part < PARTS; part++)
        answer[part] = SAL_SUCCEEDED;
    if (fails) {
        compare(sim, twin);
        CHECK(sal_simulator_advance_to(sim, t, NULL) == SAL_OK);
    }
    for (int part = 0; part < PARTS; part++)
        twin[part][COUNT] += answer[part] == SAL_SUCCEEDED;
    compare(sim, twin);
}

int main(void) {
    static const char *const names[PARTS] = {"a", "b", "c"};
    sal_outcome answer[PARTS] = {SAL_SUCCEEDED, SAL_SUCCEEDED, SAL_SUCCEEDED};
    double twin[PARTS][NUMBERS] = {{0}};
    sal_system *whole = NULL, *part[PARTS];
    sal_simulator *sim = NULL;
    int64_t draws = 0;
    CHECK(sal_diagram_new(NULL, "counters", &whole) == SAL_OK);
    for (int i = 0; i < PARTS; i++)
        part[i] = add_counter(whole, names[i], &answer[i]);
    CHECK(sal_simulator_new(NULL, whole, NULL, NULL, &sim) == SAL_OK);
    for (int k = 0; k < SAMPLES; k++) {
        if (dice(8) == 0)
            replace(sim);
        for (int edits = dice(6); edits > 0; edits--)
            edit(sim, twin);
        if (dice(4) == 0)
            draw(sim, &draws);
        if (dice(4) == 0)
            ask(sim);
        sample(sim, k + 0.5, answer, twin);
        for (int i = 0; i < PARTS; i++)
            draws += answer[i] == SAL_SUCCEEDED;
        CHECK(sal_context_random_count(sal_simulator_context(sim)) == draws);
    }
    sal_simulator_free(sim);
    sal_system_free(whole);
    for (int i = 0; i < PARTS; i++)
        sal_system_free(part[i]);
    return check_summary();
}
