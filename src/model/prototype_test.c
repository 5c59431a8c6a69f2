/* What makes two systems differ: any declaration, and of the numbers only the defaults of inputs. */
#include "base/test_check.h"
#include "model.h"

static sal_status output(const sal_system *self, const sal_context *ctx, int port, double *value) {
    (void)self, (void)ctx, (void)port;
    *value = 0;
    return SAL_OK;
}

static const sal_system_class class = {.name = "test", .output = output};

/* A declaration that one of them has and the common one lacks. */
typedef enum variation {
    USUAL,
    A_PARAMETER,
    A_WIDER_STATE,
    ANOTHER_NAME,
    AN_INPUT_SET,
    AN_OUTPUT,
    A_NEED,
    A_PERIOD,
    A_PAST,
    A_LONGER_PAST,
    A_HISTORY,
    OF_ZEROS,
    OF_NEGATIVE_ZEROS,
    VARIATIONS
} variation;

static void vary_past(sal_system *sys, variation with) {
    const double before[][2] = {{3, 3}, {0, 0}, {-0.0, -0.0}};
    sal_past_config config = sal_past_config_default();
    int past = 0;
    config.history = with >= A_HISTORY ? before[with - A_HISTORY] : NULL;
    CHECK(sal_system_add_past(sys, "x", with == A_LONGER_PAST ? 2 : 1, &past) == SAL_OK);
    CHECK(sal_system_set_past(sys, past, &config) == SAL_OK);
}

static sal_system *new_variation(variation with, double start) {
    sal_system *sys = NULL;
    const double none = sal_no_value(), starts[] = {start, start};
    const int input = 0;
    CHECK(sal_system_new(NULL, &class, "s", NULL, &sys) == SAL_OK);
    CHECK(sal_system_add_values(sys, SAL_XD, "x", with == A_WIDER_STATE ? 2 : 1, starts) == SAL_OK);
    CHECK(sal_system_add_values(sys, SAL_INPUT, with == ANOTHER_NAME ? "w" : "u", 1,
                                with == AN_INPUT_SET ? &start : &none) == SAL_OK);
    CHECK(sal_system_add_output(sys, "y", 1, NULL) == SAL_OK);
    CHECK(sal_system_set_dependencies(sys, 0, &input, with == A_NEED, NULL, 0) == SAL_OK);
    sal_event_config event = sal_event_config_default();
    event.name = "e";
    event.kind = SAL_PUBLISH;
    event.trigger = SAL_ON_PERIOD;
    event.period = with == A_PERIOD ? 2 : 1;
    CHECK(sal_system_add_event(sys, &event, NULL) == SAL_OK);
    if (with == A_PARAMETER)
        CHECK(sal_system_add_values(sys, SAL_PARAM, "k", 1, starts) == SAL_OK);
    if (with == AN_OUTPUT)
        CHECK(sal_system_add_output(sys, "z", 1, NULL) == SAL_OK);
    if (with >= A_PAST)
        vary_past(sys, with);
    return sys;
}

int main(void) {
    for (int i = 0; i < VARIATIONS; i++)
        for (int k = 0; k < VARIATIONS; k++) { /* the default of an input counts, so the systems differ */
            sal_system *one = new_variation((variation)i, 1), *other = new_variation((variation)k, 2);
            CHECK(sal__system_is_like(one, other) == (i == k && i != AN_INPUT_SET));
            CHECK(sal__system_is_like(one, one));
            sal_system_free(one);
            sal_system_free(other);
        }
    return check_summary();
}
