/* Units, lines of text and modes: what is declared is found again, what is refused changes nothing. */
#include <math.h>

#include "base/test_allocator.h"
#include "base/test_check.h"
#include "model.h"

static const sal_system_class class = {.name = "heater"};
static const char *const words[] = {"off", "on"};

static bool is_text(const char *text, const char *wanted) {
    return text && strcmp(text, wanted) == 0;
}

static sal_system *heater(const sal_allocator *mem) {
    sal_system *sys = NULL;
    CHECK(sal_system_new(mem, &class, "heater", NULL, &sys) == SAL_OK);
    CHECK(sal_system_add_values(sys, SAL_XD, "mode", 1, NULL) == SAL_OK);
    CHECK(sal_system_add_values(sys, SAL_PARAM, "power", 2, NULL) == SAL_OK);
    CHECK(sal_system_add_output(sys, "power", 1, NULL) == SAL_OK);
    return sys;
}

static void labels_are_found_again(void) {
    sal_system *sys = heater(NULL);
    CHECK(!sal_system_value_unit(sys, "power") && !sal_system_value_doc(sys, "power") && !sal_system_doc(sys));
    char unit[] = "W", doc[] = "what it takes,\nwhile on";
    CHECK(sal_system_describe(sys, "power", unit, doc) == SAL_OK);
    CHECK(sal_system_describe_output(sys, 0, "kW", NULL) == SAL_OK);
    CHECK(sal_system_set_doc(sys, "warms a room") == SAL_OK);
    unit[0] = doc[0] = 'x'; /* they were copied */
    CHECK(is_text(sal_system_value_unit(sys, "power"), "W"));
    CHECK(is_text(sal_system_value_doc(sys, "power"), "what it takes,\nwhile on"));
    CHECK(is_text(sal_system_output_unit(sys, 0), "kW") && !sal_system_output_doc(sys, 0)); /* a name of two */
    CHECK(is_text(sal_system_doc(sys), "warms a room"));

    CHECK(sal_system_describe(sys, "power", NULL, "x\033[2J") == SAL_EINVAL);
    CHECK(sal_system_describe(sys, "power", "W\n", NULL) == SAL_EINVAL);
    CHECK(sal_system_describe(sys, "volume", "l", NULL) == SAL_EINVAL && !sal_system_value_unit(sys, "volume"));
    CHECK(sal_system_describe(sys, NULL, "l", NULL) == SAL_EINVAL && !sal_system_value_doc(sys, NULL));
    CHECK(sal_system_describe_output(sys, 1, "l", NULL) == SAL_EINVAL && !sal_system_output_unit(sys, -1));
    CHECK(sal_system_set_doc(sys, "bell\a") == SAL_EINVAL && sal_system_set_doc(NULL, "x") == SAL_EINVAL);
    CHECK(is_text(sal_system_value_unit(sys, "power"), "W") && is_text(sal_system_doc(sys), "warms a room"));

    CHECK(sal_system_describe(sys, "power", "MW", NULL) == SAL_OK && !sal_system_value_doc(sys, "power"));
    CHECK(is_text(sal_system_value_unit(sys, "power"), "MW"));

    sal_event_config e = sal_event_config_default();
    e.name = "kick";
    e.trigger = SAL_ON_DEMAND;
    e.kind = SAL_NO_HANDLER;
    e.doc = "from outside";
    CHECK(sal_system_add_event(sys, &e, NULL) == SAL_OK);
    CHECK(is_text(sal_system_event(sys, 0)->doc, "from outside") && sal_system_event(sys, 0)->doc != e.doc);
    e.name = "kick2";
    e.doc = "\177";
    CHECK(sal_system_add_event(sys, &e, NULL) == SAL_EINVAL);

    sal_context *ctx = NULL;
    CHECK(sal_context_new(NULL, sys, &ctx) == SAL_OK);
    CHECK(sal_system_describe(sys, "power", "W", NULL) == SAL_EINVAL && sal_system_set_doc(sys, NULL) == SAL_EINVAL);
    sal_context_free(ctx);
    sal_system_free(sys);
}

static void modes_are_words(void) {
    sal_system *sys = heater(NULL);
    int count = 5;
    CHECK(!sal_system_modes(sys, "mode", &count) && count == 0);
    CHECK(sal_system_set_modes(sys, "mode", words, 2) == SAL_OK);
    const char *const *found = sal_system_modes(sys, "mode", &count);
    CHECK(count == 2 && found && is_text(found[0], "off") && is_text(found[1], "on") && found[0] != words[0]);
    CHECK(!sal_system_modes(sys, "power", &count) && count == 0);

    const char *const twice[] = {"off", "on", "off"}, *const missing[] = {"off", NULL};
    CHECK(sal_system_set_modes(sys, "mode", twice, 3) == SAL_EINVAL);
    CHECK(sal_system_set_modes(sys, "mode", missing, 2) == SAL_EINVAL);
    CHECK(sal_system_set_modes(sys, "mode", words, 0) == SAL_EINVAL);
    CHECK(sal_system_set_modes(sys, "power", words, 2) == SAL_EINVAL); /* two numbers */
    CHECK(sal_system_modes(sys, "mode", &count) == found && count == 2);

    const double three = 3, half = 0.5, two = 2, none = sal_no_value();
    CHECK(sal_system_add_values(sys, SAL_XD, "three", 1, &three) == SAL_OK);
    CHECK(sal_system_add_values(sys, SAL_XD, "half", 1, &half) == SAL_OK);
    CHECK(sal_system_add_values(sys, SAL_XD, "none", 1, &none) == SAL_OK);
    CHECK(sal_system_add_values(sys, SAL_PARAM, "two", 1, &two) == SAL_OK);
    CHECK(sal_system_add_values(sys, SAL_INPUT, "command", 1, &none) == SAL_OK);
    CHECK(sal_system_set_modes(sys, "three", words, 2) == SAL_EINVAL);
    CHECK(sal_system_set_modes(sys, "half", words, 2) == SAL_EINVAL);
    CHECK(sal_system_set_modes(sys, "none", words, 2) == SAL_EINVAL);
    CHECK(sal_system_set_modes(sys, "two", words, 2) == SAL_OK);
    CHECK(sal_system_set_modes(sys, "command", words, 2) == SAL_OK);

    sal_context *ctx = NULL;
    CHECK(sal_context_new(NULL, sys, &ctx) == SAL_OK);
    CHECK(sal_context_get(ctx, SAL_XD)[0] == 1 && sal_context_get(ctx, SAL_PARAM)[2] == 2); /* 0 became the first */
    CHECK(isnan(sal_context_get(ctx, SAL_INPUT)[0]));
    sal_context_free(ctx);
    sal_system_free(sys);
}

/* A call that finds no memory changes nothing, and can be repeated. */
static void failed_labels_leave_nothing(void) {
    for (long k = 0; k < 12; k++) {
        test_allocator p = {.requests_left = -1};
        const sal_allocator mem = {test_allocate, &p};
        sal_system *sys = heater(&mem);
        CHECK(sal_system_describe(sys, "power", "W", "before") == SAL_OK);
        sal_event_config e = sal_event_config_default();
        e.name = "kick";
        e.trigger = SAL_ON_DEMAND;
        e.kind = SAL_NO_HANDLER;
        e.doc = "from outside";
        p.requests_left = k;
        const sal_status labels = sal_system_describe(sys, "power", "kW", "after");
        const sal_status modes = sal_system_set_modes(sys, "mode", words, 2);
        const sal_status event = sal_system_add_event(sys, &e, NULL);
        p.requests_left = -1;
        int count = 0;
        sal_system_modes(sys, "mode", &count);
        CHECK(is_text(sal_system_value_doc(sys, "power"), labels == SAL_OK ? "after" : "before"));
        CHECK(count == (modes == SAL_OK ? 2 : 0));
        CHECK((sal_system_event(sys, 0) != NULL) == (event == SAL_OK));
        CHECK((labels != SAL_OK) + (modes != SAL_OK) + (event != SAL_OK) <= 1);
        CHECK(sal_system_set_modes(sys, "mode", words, 2) == SAL_OK);
        sal_system_free(sys);
        CHECK(p.bytes_lent == 0);
    }
}

int main(void) {
    labels_are_found_again();
    modes_are_words();
    failed_labels_leave_nothing();
    return check_summary();
}
