/* Messages of a group around failures: each is delivered once, with what it says. */
#include "base/test_check.h"
#include "saltus/group.h"

/* ---- a thing that sends in a publish, an update or a start, and fails where its host says so ---- */

enum { TARGET, SENDS_IN, FAILS_IN, HITS, SUM, FORWARDED, DISCRETE };
enum { START, SHOUT, SHOOT, HIT, NOWHERE, FLOW };

static sal_group *group;

static double of(const sal_context *ctx, int k) {
    return sal_context_get(ctx, SAL_XD)[k];
}

static sal_status rates(const sal_system *self, const sal_context *ctx, const sal_rates *dot) {
    (void)self;
    dot->z[0] = 1;
    return of(ctx, FAILS_IN) == FLOW && sal_context_time(ctx) > 0.5 ? SAL_ECALLBACK : SAL_OK;
}

static void send_in(int event, const sal_context *ctx, double number) {
    if (of(ctx, SENDS_IN) == event)
        CHECK(sal_group_send(group, (sal_member)of(ctx, TARGET), 0, HIT, &number, 1) == SAL_OK);
}

static sal_outcome outcome_in(int event, const sal_context *ctx) {
    return of(ctx, FAILS_IN) == event ? SAL_FAILED : SAL_SUCCEEDED;
}

static sal_outcome publish(const sal_system *self, const sal_context *ctx, const sal_event *event, sal_note *note) {
    (void)self, (void)note;
    send_in(event->index, ctx, 1);
    return outcome_in(event->index, ctx);
}

static sal_outcome update(const sal_system *self, const sal_context *ctx, const sal_event *event, sal_context *next,
                          sal_note *note) {
    (void)self, (void)note;
    send_in(event->index, ctx, 1);
    if (event->index == HIT) {
        const sal_message *m = sal_group_message(group);
        CHECK(m != NULL);
        sal_context_edit(next, SAL_XD)[HITS] += 1;
        sal_context_edit(next, SAL_XD)[SUM] += m ? m->value[0] : 0;
    }
    return outcome_in(event->index, ctx);
}

static const sal_system_class class = {.name = "thing", .derivatives = rates, .publish = publish, .update = update};

static void add_event(sal_system *sys, const char *name, sal_trigger trigger, sal_kind kind) {
    sal_event_config e = sal_event_config_default();
    e.name = name, e.trigger = trigger, e.kind = kind;
    e.period = 100, e.offset = 0.5;
    CHECK(sal_system_add_event(sys, &e, NULL) == SAL_OK);
}

static sal_system *new_thing(void) {
    sal_system *sys = NULL;
    const double start[DISCRETE] = {0, NOWHERE, NOWHERE};
    CHECK(sal_system_new(NULL, &class, "thing", NULL, &sys) == SAL_OK);
    sal_system_add_values(sys, SAL_Z, "x", 1, NULL);
    sal_system_add_values(sys, SAL_XD, "notes", DISCRETE, start);
    add_event(sys, "start", SAL_ON_INITIALIZATION, SAL_DISCRETE);
    add_event(sys, "shout", SAL_ON_PERIOD, SAL_PUBLISH);
    add_event(sys, "shoot", SAL_ON_PERIOD, SAL_DISCRETE);
    add_event(sys, "hit", SAL_ON_DEMAND, SAL_DISCRETE);
    return sys;
}

/* ---- scenes of a sender and its target ---- */

typedef struct scene {
    sal_system *sys;
    sal_member sender, target;
} scene;

static double *notes(sal_member member) {
    return sal_context_edit(sal_simulator_context(sal_group_simulator(group, member)), SAL_XD);
}

static scene open_scene(int sends_in, int fails_in) {
    scene s = {.sys = new_thing()};
    CHECK(sal_group_new(NULL, s.sys, NULL, &group) == SAL_OK);
    CHECK(sal_group_add(group, &s.target) == SAL_OK && sal_group_add(group, &s.sender) == SAL_OK);
    notes(s.sender)[TARGET] = (double)s.target;
    notes(s.sender)[SENDS_IN] = sends_in;
    notes(s.sender)[FAILS_IN] = fails_in;
    return s;
}

static void close_scene(const scene *s) {
    sal_group_free(group);
    sal_system_free(s->sys);
}

static void has_arrived_once(int sends_in, int fails_in, double hits_of_first_frame) {
    const scene s = open_scene(sends_in, fails_in);
    sal_group_report report;
    CHECK(sal_group_advance_to(group, 1, &report) < 0 && report.behind == 1 && report.first == s.sender);
    CHECK(notes(s.target)[HITS] == hits_of_first_frame);
    notes(s.sender)[FAILS_IN] = NOWHERE;
    CHECK(sal_group_advance_to(group, 2, NULL) == SAL_OK && notes(s.target)[HITS] == 1);
    CHECK(sal_group_advance_to(group, 3, NULL) == SAL_OK && notes(s.target)[HITS] == 1);
    close_scene(&s);
}

static void only_what_is_repeated_is_dropped(void) {
    has_arrived_once(SHOOT, SHOOT, 0);
    has_arrived_once(SHOUT, SHOOT, 1); /* a publish does not run again */
    has_arrived_once(SHOUT, SHOUT, 1);
    has_arrived_once(SHOOT, FLOW, 1); /* nor do the updates before a flow that fails */
    has_arrived_once(START, START, 0);
    has_arrived_once(START, SHOOT, 1);
}

/* A handler that fails gets its message again, and what it sent is sent once. */
static void a_message_that_failed_comes_again(void) {
    const scene s = open_scene(SHOOT, NOWHERE);
    sal_group_report report;
    notes(s.target)[SENDS_IN] = notes(s.target)[FAILS_IN] = HIT;
    notes(s.target)[TARGET] = (double)s.sender;
    CHECK(sal_group_advance_to(group, 1, &report) == SAL_EHANDLER && report.behind == 1 && report.first == s.target);
    CHECK(sal_group_advance_to(group, 2, NULL) == SAL_EHANDLER && notes(s.target)[HITS] == 0);
    notes(s.target)[FAILS_IN] = NOWHERE;
    CHECK(sal_group_advance_to(group, 3, NULL) == SAL_OK && notes(s.target)[HITS] == 1 && notes(s.target)[SUM] == 1);
    CHECK(sal_group_advance_to(group, 4, NULL) == SAL_OK && notes(s.target)[HITS] == 1);
    CHECK(notes(s.sender)[HITS] == 1 && notes(s.sender)[SUM] == 1);
    close_scene(&s);
}

static void who_fails_twice_is_counted_once(void) {
    scene s = open_scene(SHOOT, NOWHERE);
    sal_member other = 0;
    sal_group_report report;
    CHECK(sal_group_add(group, &other) == SAL_OK);
    notes(other)[TARGET] = (double)s.target;
    notes(other)[SENDS_IN] = SHOOT;
    notes(s.target)[FAILS_IN] = HIT;
    CHECK(sal_group_advance_to(group, 1, &report) == SAL_EHANDLER && report.behind == 1);
    notes(s.target)[FAILS_IN] = NOWHERE;
    CHECK(sal_group_advance_to(group, 2, &report) == SAL_OK && report.behind == 0 && notes(s.target)[HITS] == 2);
    close_scene(&s);
}

int main(void) {
    only_what_is_repeated_is_dropped();
    a_message_that_failed_comes_again();
    who_fails_twice_is_counted_once();
    return check_summary();
}
