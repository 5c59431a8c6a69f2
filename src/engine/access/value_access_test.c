/* Values and modes by path, clones of a run, draws of several distributions, and what the log is told. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/test_allocator.h"
#include "base/test_check.h"
#include "base/threefry.h"
#include "saltus/math.h"
#include "saltus/simulator.h"

/* ---- a walker: a state that flows by a mode, an abstract count, a noisy tick ---- */

enum { TICK, KICK };

static sal_status rates(const sal_system *self, const sal_context *ctx, const sal_rates *dot) {
    (void)self;
    dot->z[0] = sal_context_get(ctx, SAL_XD)[0] > 1 ? 1 : -1;
    dot->z[1] = sal_context_get(ctx, SAL_PARAM)[0] - sal_context_get(ctx, SAL_Z)[1];
    return SAL_OK;
}

static sal_status twice(const sal_system *self, const sal_context *ctx, int port, double *value) {
    const double *u = NULL;
    const sal_status status = sal_context_input(ctx, 0, &u);
    (void)self, (void)port;
    if (status == SAL_OK)
        value[0] = 2 * *u, value[1] = sal_context_get(ctx, SAL_Z)[0];
    return status;
}

static sal_outcome tick(const sal_system *self, const sal_context *ctx, const sal_event *event, sal_context *next,
                        sal_note *note) {
    void *slot = NULL;
    (void)self, (void)ctx, (void)note;
    if (sal_context_edit_slot(next, 0, &slot) != SAL_OK)
        return SAL_FAILED;
    ++*(int *)slot;
    sal_context_edit(next, SAL_Z)[0] += event->index == KICK ? 10 : sal_context_random_normal(next, 0, 0.1);
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

static sal_status copy(const void *from, void **out) {
    const sal_status status = make(NULL, 0, out);
    return status == SAL_OK ? assign(*out, from) : status;
}

static const sal_slot_type count = {.make = make, .clone = copy, .assign = assign, .drop = free}; /* has no bytes */

static const sal_system_class class = {.name = "walker", .derivatives = rates, .output = twice, .update = tick};

static sal_system *walker(const sal_allocator *mem) {
    sal_system *sys = NULL;
    const char *const words[] = {"back", "forth"};
    sal_event_config e = sal_event_config_default();
    CHECK(sal_system_new(mem, &class, "walker", NULL, &sys) == SAL_OK);
    CHECK(sal_system_add_values(sys, SAL_Z, "place", 1, (double[]){0.5}) == SAL_OK);
    CHECK(sal_system_add_values(sys, SAL_Z, "heat", 1, NULL) == SAL_OK);
    CHECK(sal_system_add_values(sys, SAL_XD, "gait", 1, NULL) == SAL_OK);
    CHECK(sal_system_set_modes(sys, "gait", words, 2) == SAL_OK);
    CHECK(sal_system_add_values(sys, SAL_PARAM, "warmth", 3, (double[]){4, 5, 6}) == SAL_OK);
    CHECK(sal_system_add_values(sys, SAL_INPUT, "u", 1, (double[]){7}) == SAL_OK);
    CHECK(sal_system_add_output(sys, "twice", 2, NULL) == SAL_OK);
    CHECK(sal_system_add_slot(sys, "count", &count, NULL) == SAL_OK);
    e.name = "tick", e.trigger = SAL_ON_PERIOD, e.period = 0.1, e.kind = SAL_UNRESTRICTED;
    CHECK(sal_system_add_event(sys, &e, NULL) == SAL_OK);
    e = sal_event_config_default();
    e.name = "kick", e.trigger = SAL_ON_DEMAND, e.kind = SAL_UNRESTRICTED;
    CHECK(sal_system_add_event(sys, &e, NULL) == SAL_OK);
    return sys;
}

/* ---- values ---- */

static double read(sal_simulator *sim, const char *path) {
    double value = NAN;
    CHECK(sal_simulator_value(sim, path, &value) == SAL_OK);
    return value;
}

static void refuses(sal_simulator *sim, sal_status status, const char *words) {
    CHECK(status == SAL_EINVAL);
    if (!strstr(sal_simulator_trouble(sim), words))
        printf("%s\n", sal_simulator_trouble(sim));
    CHECK(strstr(sal_simulator_trouble(sim), words) != NULL);
}

static void values_have_paths(void) {
    sal_system *sys = walker(NULL);
    sal_simulator *sim = NULL;
    double value = 0;
    CHECK(sal_simulator_new(NULL, sys, NULL, NULL, &sim) == SAL_OK && sal_simulator_trouble(sim)[0] == '\0');
    CHECK(read(sim, "place") == 0.5 && read(sim, "warmth[3]") == 6 && read(sim, "u") == 7 && read(sim, "gait") == 1);
    CHECK(read(sim, "place[1]") == 0.5 && read(sim, "twice[1]") == 14 && read(sim, "twice[2]") == 0.5);
    CHECK(sal_simulator_set_value(sim, "u", 8) == SAL_OK && read(sim, "twice[1]") == 16);
    CHECK(sal_simulator_set_value(sim, "warmth[2]", -1) == SAL_OK && read(sim, "warmth[2]") == -1);
    CHECK(sal_context_get(sal_simulator_context(sim), SAL_PARAM)[1] == -1);

    refuses(sim, sal_simulator_value(sim, "plaec", &value),
            "walker: there is no value or output \"plaec\"; did you mean "
            "\"place\"?");
    refuses(sim, sal_simulator_value(sim, "warmth", &value), "\"warmth\" has 3 numbers; write \"warmth[1]\"");
    refuses(sim, sal_simulator_value(sim, "warmth[4]", &value), "elements 1 to 3, not 4");
    refuses(sim, sal_simulator_value(sim, "warmth[0]", &value), "count from 1");
    refuses(sim, sal_simulator_value(sim, "warmth[]", &value), "count from 1");
    refuses(sim, sal_simulator_value(sim, "warmth[99999999999999999999]", &value), "count from 1");
    refuses(sim, sal_simulator_value(sim, "u[2]", &value), "\"u\" is one number");
    refuses(sim, sal_simulator_value(sim, NULL, &value), "a path is NULL");
    refuses(sim, sal_simulator_value(sim, "", &value), "there is no value");
    refuses(sim, sal_simulator_set_value(sim, "twice[1]", 1), "\"twice[1]\" is an output");
    refuses(sim, sal_simulator_set_value(sim, "place", NAN), "\"place\" cannot be NaN");
    refuses(sim, sal_simulator_set_value(sim, "place", INFINITY), "a state is finite");
    refuses(sim, sal_simulator_set_value(sim, "gait", 3), "from 1 to 2");
    refuses(sim, sal_simulator_set_value(sim, "gait", 1.5), "from 1 to 2");
    CHECK(read(sim, "place") == 0.5 && read(sim, "gait") == 1);

    const char *word = NULL;
    CHECK(sal_simulator_mode(sim, "gait", &word) == SAL_OK && strcmp(word, "back") == 0);
    CHECK(sal_simulator_set_mode(sim, "gait", "forth") == SAL_OK && read(sim, "gait") == 2);
    refuses(sim, sal_simulator_set_mode(sim, "gait", "froth"), "no word \"froth\"; did you mean \"forth\"?");
    refuses(sim, sal_simulator_set_mode(sim, "gait", NULL), "first word is \"back\"");
    refuses(sim, sal_simulator_set_mode(sim, "place", "forth"), "\"place\" is a number, not a mode");
    refuses(sim, sal_simulator_mode(sim, "twice[1]", &word), "not a mode");
    CHECK(sal_simulator_advance_to(sim, 0.05, NULL) == SAL_OK);
    CHECK_NEAR(read(sim, "place"), 0.55, 0.5); /* the tick at 0 is noisy */

    CHECK(!sal_simulator_context(sim) || sal_simulator_reset_context(sim, NULL) == SAL_OK);
    CHECK(sal_simulator_value(sim, "place", &value) == SAL_ESTATE && strstr(sal_simulator_trouble(sim), "no context"));
    sal_simulator_free(sim);
    sal_system_free(sys);
}

static void parts_have_paths(void) {
    sal_system *sys = walker(NULL), *inner = NULL, *d = NULL;
    sal_simulator *sim = NULL;
    double value = 0;
    CHECK(sal_diagram_new(NULL, "pair", &inner) == SAL_OK && sal_diagram_new(NULL, "world", &d) == SAL_OK);
    CHECK(sal_diagram_add(inner, sys, "first", NULL) == SAL_OK && sal_diagram_add(d, inner, "pair", NULL) == SAL_OK);
    const sal_system_class reader = {.name = "reader"};
    sal_system *other = NULL;
    CHECK(sal_system_new(NULL, &reader, "reader", NULL, &other) == SAL_OK);
    CHECK(sal_system_add_values(other, SAL_INPUT, "v", 2, NULL) == SAL_OK);
    CHECK(sal_diagram_add(d, other, "reader", NULL) == SAL_OK && sal_diagram_connect(d, 0, 0, 1, 0) == SAL_OK);
    CHECK(sal_simulator_new(NULL, d, NULL, NULL, &sim) == SAL_OK);
    CHECK(read(sim, "pair.first.place") == 0.5 && read(sim, "reader.v[1]") == 14); /* from the output */
    refuses(sim, sal_simulator_set_value(sim, "reader.v[1]", 3), "is connected");
    refuses(sim, sal_simulator_value(sim, "pair.frist.place", &value), "no part \"pair.frist\"");
    refuses(sim, sal_simulator_value(sim, "pair.frist.place", &value), "did you mean \"pair.first\"?");
    refuses(sim, sal_simulator_value(sim, "pair.first.plase", &value), "in \"pair.first\"; did you mean \"place\"?");
    refuses(sim, sal_simulator_value(sim, "place", &value), "names no part");
    sal_simulator_free(sim);
    sal_system_free(d);
    sal_system_free(inner);
    sal_system_free(other);
    sal_system_free(sys);
}

/* ---- clones ---- */

static sal_status past_five(void *user, const sal_context *ctx, double *margin) {
    (void)user;
    *margin = sal_context_get(ctx, SAL_Z)[0] - 5;
    return SAL_OK;
}

static int count_of(sal_simulator *sim) {
    return *(const int *)sal_context_slot(sal_simulator_context(sim), 0);
}

static void a_clone_goes_the_same_way(void) {
    sal_system *sys = walker(NULL);
    sal_simulator *sim = NULL, *twin = NULL;
    sal_simulator_config config = sal_simulator_config_default();
    int64_t handle = 0;
    sal_report a, b;
    config.seed = 5;
    CHECK(sal_simulator_new(NULL, sys, NULL, &config, &sim) == SAL_OK);
    CHECK(sal_simulator_watch(sim, &(sal_watch){past_five, NULL, 0}, &handle) == SAL_OK);
    CHECK(sal_simulator_advance_to(sim, 1.23, NULL) == SAL_OK);
    CHECK(sal_simulator_schedule(sim, 0, KICK, 2.02, NULL) == SAL_OK);
    CHECK(sal_integrator_set_accuracy(sal_simulator_integrator(sim), 1e-9) == SAL_OK);
    CHECK(sal_integrator_set_max_step(sal_simulator_integrator(sim), 0.05) == SAL_OK);
    CHECK(sal_integrator_set_weight(sal_simulator_integrator(sim), 1, 3, true) == SAL_OK);
    CHECK(sal_simulator_clone(sim, &twin) == SAL_OK);
    CHECK(sal_simulator_hash(sim) == sal_simulator_hash(twin) && count_of(sim) == count_of(twin) &&
          count_of(sim) == 13);
    CHECK(sal_integrator_weight(sal_simulator_integrator(twin), 1, 0) == 3);
    CHECK(sal_simulator_advance_to(sim, 4, &a) == SAL_OK && sal_simulator_advance_to(twin, 4, &b) == SAL_OK);
    CHECK(a.reason == SAL_AT_WATCH && b.reason == SAL_AT_WATCH && a.time == b.time && a.time == 2.02); /* the kick */
    CHECK(sal_simulator_advance_to(sim, 4, &a) == SAL_OK && sal_simulator_advance_to(twin, 4, &b) == SAL_OK);
    CHECK(a.reason == SAL_AT_BOUNDARY && sal_simulator_hash(sim) == sal_simulator_hash(twin));
    CHECK(count_of(sim) == count_of(twin) &&
          sal_simulator_statistics(sim).steps > sal_simulator_statistics(twin).steps);

    CHECK(sal_simulator_set_value(twin, "place", 100) == SAL_OK && read(sim, "place") < 50); /* each its own */
    CHECK(sal_simulator_clone(sim, NULL) == SAL_EINVAL);
    sal_simulator_free(sim);
    CHECK(sal_simulator_advance_to(twin, 5, NULL) == SAL_OK);
    sal_simulator_free(twin);
    CHECK(sal_simulator_new(NULL, sys, NULL, NULL, &sim) == SAL_OK && sal_simulator_clone(sim, &twin) == SAL_OK);
    CHECK(!sal_simulator_is_initialized(twin)); /* before the start too */
    CHECK(sal_simulator_advance_to(sim, 1, NULL) == SAL_OK && sal_simulator_advance_to(twin, 1, NULL) == SAL_OK);
    CHECK(sal_simulator_hash(sim) == sal_simulator_hash(twin));
    sal_simulator_free(sim);
    sal_simulator_free(twin);
    sal_system_free(sys);
}

static void a_clone_without_memory_is_none(void) {
    for (long k = 0;; k++) {
        test_allocator p = {.requests_left = -1};
        const sal_allocator mem = {test_allocate, &p};
        sal_system *sys = walker(&mem);
        sal_simulator *sim = NULL, *twin = NULL;
        CHECK(sal_simulator_new(&mem, sys, NULL, NULL, &sim) == SAL_OK);
        CHECK(sal_simulator_advance_to(sim, 1, NULL) == SAL_OK);
        const uint64_t before = sal_simulator_hash(sim);
        p.requests_left = k;
        const sal_status status = sal_simulator_clone(sim, &twin);
        const bool was_enough = p.requests_left >= 0;
        p.requests_left = -1;
        CHECK(status == (was_enough ? SAL_OK : SAL_ENOMEM) && (twin != NULL) == was_enough);
        CHECK(sal_simulator_hash(sim) == before);
        sal_simulator_free(twin);
        sal_simulator_free(sim);
        sal_system_free(sys);
        CHECK(p.bytes_lent == 0);
        if (was_enough)
            return;
    }
}

/* ---- draws ---- */

/* Another context with the same seed draws the uniform numbers. */
static void draws_come_from_the_uniform_stream(void) {
    sal_system *sys = walker(NULL);
    sal_context *ctx = NULL, *plain = NULL;
    CHECK(sal_context_new(NULL, sys, &ctx) == SAL_OK && sal_context_new(NULL, sys, &plain) == SAL_OK);
    sal_context_seed(ctx, 9);
    sal_context_seed(plain, 9);
    double sum = 0, squares = 0;
    enum { DRAWS = 20000 };
    for (int i = 0; i < DRAWS; i++) {
        const double u = sal_context_random(plain), v = sal_context_random(plain), w = sal_context_random(plain),
                     x = sal_context_random(plain);
        const double normal = sal_context_random_normal(ctx, 3, 2);
        CHECK(normal == 3 + 2 * sqrt(-2 * sal_log(u)) * sal_cos(2 * 3.14159265358979323846 * v));
        CHECK(sal_context_random_exponential(ctx, 5) == -5 * sal_log(w));
        const double face = sal_context_random_integer(ctx, 1, 6);
        CHECK(face == 1 + floor(6 * x) && face >= 1 && face <= 6);
        sum += normal, squares += normal * normal;
    }
    CHECK_NEAR(sum / DRAWS, 3, 4 * 2 / sqrt(DRAWS));
    CHECK_NEAR(squares / DRAWS - 9, 4, 0.4);
    const int64_t drawn = sal_context_random_count(ctx);
    CHECK(drawn == 4 * DRAWS && drawn == sal_context_random_count(plain));
    CHECK(isnan(sal_context_random_normal(ctx, 0, -1)) && isnan(sal_context_random_normal(ctx, NAN, 1)));
    CHECK(isnan(sal_context_random_exponential(ctx, 0)) && isnan(sal_context_random_exponential(ctx, INFINITY)));
    CHECK(isnan(sal_context_random_integer(ctx, 2, 1)) && isnan(sal_context_random_integer(ctx, 0.5, 1)));
    CHECK(isnan(sal_context_random_integer(ctx, -0x1p53, 0x1p53)) && isnan(sal_context_random_integer(ctx, NAN, 1)));
    CHECK(sal_context_random_count(ctx) == drawn); /* nothing was drawn */
    sal_context_free(ctx);
    sal_context_free(plain);
    sal_system_free(sys);
}

/* ---- the log, and the sentence of a report ---- */

static char log_text[2048];

static void write_log(void *user, const char *sentence) {
    ++*(int *)user;
    strcat(log_text, sentence);
    strcat(log_text, "\n");
}

static sal_status broken(const sal_system *self, const sal_context *ctx, const sal_rates *dot) {
    (void)self;
    dot->z[0] = sal_context_time(ctx) > 0.3 ? NAN : 1;
    return SAL_OK;
}

static void the_log_is_told(void) {
    static const sal_system_class class_of_broken = {.name = "broken", .derivatives = broken};
    sal_system *sys = NULL;
    sal_simulator *sim = NULL;
    sal_simulator_config config = sal_simulator_config_default();
    sal_report report;
    char text[256], cut[20];
    int lines = 0;
    config.log = write_log;
    config.log_user = &lines;
    config.integrator.accuracy = 0.1;
    CHECK(sal_system_new(NULL, &class_of_broken, "broken", NULL, &sys) == SAL_OK);
    CHECK(sal_system_add_values(sys, SAL_Z, "x", 2, NULL) == SAL_OK);
    CHECK(sal_simulator_new(NULL, sys, NULL, &config, &sim) == SAL_OK);
    CHECK(sal_simulator_advance_to(sim, 0.1, &report) == SAL_ENAN);
    size_t length = sal_report_text(sim, &report, text, sizeof text);
    CHECK(length == strlen(text) &&
          strcmp(text, "its derivatives leave that of \"x\" unset; write it in every branch "
                       "(in broken at t = 0); the accuracy 0.1 is loose: each step may be wrong "
                       "by 10 % of the state, which can cause this; try a finer one, such as "
                       "the default 1e-6") == 0);
    CHECK(sal_report_text(sim, &report, cut, sizeof cut) == length && strcmp(cut, "its derivatives lea") == 0);
    CHECK(sal_report_text(sim, &report, NULL, 0) == length);
    CHECK(lines == 1 && strncmp(log_text, text, length) == 0); /* the same sentence */
    CHECK(sal_simulator_schedule(sim, 0, 0, 1, NULL) == SAL_EINVAL && lines == 2);
    CHECK(strstr(log_text, "broken: part 0 has no event 0") != NULL);
    sal_simulator_free(sim);
    sal_system_free(sys);
    CHECK(sal_simulator_trouble(NULL)[0] != '\0');
}

static void ends_are_sentences_too(void) {
    sal_system *sys = walker(NULL);
    sal_simulator *sim = NULL;
    sal_report report;
    char text[64];
    CHECK(sal_simulator_new(NULL, sys, NULL, NULL, &sim) == SAL_OK);
    CHECK(sal_simulator_advance_to(sim, 1.5, &report) == SAL_OK && report.status == SAL_OK);
    sal_report_text(sim, &report, text, sizeof text);
    CHECK(strcmp(text, "reached_boundary_time at t = 1.5 s") == 0);
    CHECK(strcmp(sal_reason_text(SAL_AT_HALT), "halted") == 0 &&
          strcmp(sal_reason_text((sal_reason)99), "unknown") == 0);
    CHECK(strcmp(sal_switch_reason_text(SAL_SWITCH_CALM), "no longer stiff") == 0 &&
          strcmp(sal_switch_reason_text((sal_switch_reason)99), "unknown") == 0);
    sal_simulator_free(sim);
    sal_system_free(sys);
}

int main(void) {
    values_have_paths();
    parts_have_paths();
    a_clone_goes_the_same_way();
    a_clone_without_memory_is_none();
    draws_come_from_the_uniform_stream();
    the_log_is_told();
    ends_are_sentences_too();
    return check_summary();
}
