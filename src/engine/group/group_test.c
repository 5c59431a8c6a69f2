/* Groups: members go their own ways within a frame, and meet at its end. */
#include "engine/simulator.h"
#include "base/test_allocator.h"
#include "base/test_check.h"
#include "saltus/group.h"

/* ---- a thing that is pushed, throws at times of its own, and notes what hits it ---- */

enum { NEXT_THROW, TARGET, HIT_COUNT, LAST_HITS, HITS = 4, FAILS = LAST_HITS + HITS, DISCRETE };
enum { THROW, TICK, HIT };

typedef struct script {
    sal_group *group;
    sal_status from_inside;
    int fail_member;
} script;

static sal_status rates(const sal_system *self, const sal_context *ctx, const sal_rates *dot) {
    const double *wind = NULL, *other = NULL;
    (void)self;
    sal_status status = sal_context_input(ctx, 0, &wind);
    if (status == SAL_OK)
        status = sal_context_input(ctx, 1, &other);
    if (status == SAL_OK)
        dot->z[0] = *wind - 0.1 * sal_context_get(ctx, SAL_Z)[0] + 0.01 * *other;
    return status;
}

static sal_status output(const sal_system *self, const sal_context *ctx, int port, double *value) {
    (void)self, (void)port;
    *value = sal_context_get(ctx, SAL_Z)[0];
    return SAL_OK;
}

static void throw(script * s, const sal_context *ctx, sal_context *next) {
    double *xd = sal_context_edit(next, SAL_XD);
    const double strength[] = {(double)(sal_group_self(s->group) & 0xff), sal_context_random(next)};
    xd[NEXT_THROW] = sal_context_time(ctx) + 0.3 + 0.1 * strength[1];
    if (xd[TARGET] != 0)
        CHECK(sal_group_send(s->group, (sal_member)xd[TARGET], 0, HIT, strength, 2) == SAL_OK);
}

static void note_hit(const script *s, sal_context *next) {
    const sal_message *m = sal_group_message(s->group);
    double *xd = sal_context_edit(next, SAL_XD);
    CHECK(m && m->to == sal_group_self(s->group) && m->event == HIT);
    for (int i = HITS - 1; i > 0; i--)
        xd[LAST_HITS + i] = xd[LAST_HITS + i - 1];
    xd[LAST_HITS] = m ? (double)m->from : -1;
    xd[HIT_COUNT] += 1;
}

static sal_outcome update(const sal_system *self, const sal_context *ctx, const sal_event *event, sal_context *next,
                          sal_note *note) {
    script *s = sal_system_data(self);
    (void)note;
    if (event->index == THROW)
        throw(s, ctx, next);
    if (event->index == HIT)
        note_hit(s, next);
    if (event->index == TICK && sal_group_self(s->group) != 0) {
        sal_member added = 0;
        s->from_inside = sal_group_add(s->group, &added);
        CHECK(sal_group_simulator(s->group, sal_group_self(s->group)) == NULL);
        CHECK(sal_group_advance_to(s->group, 9, NULL) == SAL_ESTATE);
    }
    const bool fails = sal_context_get(ctx, SAL_XD)[FAILS] != 0 && sal_context_time(ctx) > 0.3;
    return fails ? SAL_FAILED : SAL_SUCCEEDED;
}

static const sal_system_class class = {.name = "thing", .derivatives = rates, .output = output, .update = update};

static sal_system *new_thing(script *s) {
    sal_system *sys = NULL;
    double start[DISCRETE] = {0.25};
    CHECK(sal_system_new(NULL, &class, "thing", s, &sys) == SAL_OK);
    sal_system_add_values(sys, SAL_Z, "x", 1, (double[]){1});
    sal_system_add_values(sys, SAL_XD, "notes", DISCRETE, start);
    sal_system_add_values(sys, SAL_INPUT, "wind", 1, (double[]){0});
    sal_system_add_values(sys, SAL_INPUT, "other", 1, (double[]){0});
    sal_system_add_output(sys, "y", 1, NULL);
    sal_event_config e = sal_event_config_default();
    e.name = "throw", e.trigger = SAL_ON_TIME, e.time_variable = NEXT_THROW, e.kind = SAL_UNRESTRICTED;
    CHECK(sal_system_add_event(sys, &e, NULL) == SAL_OK);
    e = sal_event_config_default();
    e.name = "tick", e.trigger = SAL_ON_PERIOD, e.period = 0.35, e.kind = SAL_UNRESTRICTED;
    CHECK(sal_system_add_event(sys, &e, NULL) == SAL_OK);
    e = sal_event_config_default();
    e.name = "hit", e.trigger = SAL_ON_DEMAND, e.kind = SAL_UNRESTRICTED;
    CHECK(sal_system_add_event(sys, &e, NULL) == SAL_OK);
    return sys;
}

typedef struct scene {
    script script;
    sal_system *sys;
    sal_group *group;
} scene;

static void open_scene(scene *s, const sal_allocator *mem, int members) {
    sal_group_config config = sal_group_config_default();
    config.member_capacity = members;
    config.simulator.seed = 5;
    *s = (scene){.sys = new_thing(&s->script)};
    CHECK(sal_group_new(mem, s->sys, &config, &s->group) == SAL_OK);
    s->script.group = s->group;
}

static void close_scene(scene *s) {
    sal_group_free(s->group);
    sal_system_free(s->sys);
}

static double *discrete(sal_group *group, sal_member member) {
    return sal_context_edit(sal_simulator_context(sal_group_simulator(group, member)), SAL_XD);
}

static double state(sal_group *group, sal_member member) {
    return *sal_context_get(sal_simulator_context(sal_group_simulator(group, member)), SAL_Z);
}

static sal_member add(sal_group *group, double x, sal_member target) {
    sal_member member = 0;
    CHECK(sal_group_add(group, &member) == SAL_OK && member > 0);
    *sal_context_edit(sal_simulator_context(sal_group_simulator(group, member)), SAL_Z) = x;
    discrete(group, member)[TARGET] = (double)target;
    return member;
}

/* ---- tests ---- */

static void members_go_as_single_simulators(void) {
    scene s;
    sal_simulator *single[3];
    sal_member member[3];
    open_scene(&s, NULL, 4);
    for (int i = 0; i < 3; i++) {
        member[i] = add(s.group, i, 0);
        CHECK(sal_simulator_new(NULL, s.sys, NULL, NULL, &single[i]) == SAL_OK);
        CHECK(sal_simulator_copy(single[i], sal_group_simulator(s.group, member[i])) == SAL_OK);
    }
    for (int f = 1; f <= 60; f++) {
        const double wind = f % 7 - 3;
        CHECK(sal_group_feed(s.group, 0, 0, f / 60. + 0.02, &wind) == SAL_OK);
        for (int i = 0; i < 3; i++)
            CHECK(sal_simulator_feed(single[i], 0, 0, f / 60. + 0.02, &wind) == SAL_OK);
        CHECK(sal_group_advance_to(s.group, f / 60., NULL) == SAL_OK);
        for (int i = 0; i < 3; i++)
            CHECK(sal_simulator_advance_to(single[i], f / 60., NULL) == SAL_OK);
    }
    for (int i = 0; i < 3; i++) {
        CHECK(sal_simulator_hash(single[i]) == sal_simulator_hash(sal_group_simulator(s.group, member[i])));
        sal_simulator_free(single[i]);
    }
    CHECK(s.script.from_inside == SAL_ESTATE);
    close_scene(&s);
}

/* The slope of the input within a frame is seen: x' = wind, with a wind that rises to 6 in 2 s. */
static void shared_inputs_are_read_at_all_times(void) {
    scene s;
    open_scene(&s, NULL, 2);
    const double wind = 6, none = 0;
    const sal_member a = add(s.group, 0, 0);
    CHECK(sal_group_feed(s.group, 0, 0, 2, &wind) == SAL_OK);
    CHECK(sal_group_advance_to(s.group, 1, NULL) == SAL_OK);
    const sal_member b = add(s.group, 0, 0);
    CHECK(sal_group_advance_to(s.group, 2, NULL) == SAL_OK);
    /* x' = 3 t - x / 10 from 0 at 0, and from 0 at 1 */
    CHECK_NEAR(state(s.group, a), 30 * 2 - 300 + 300 * exp(-0.2), 1e-5);
    CHECK_NEAR(state(s.group, b), 30 * 2 - 300 + 270 * exp(-0.1), 1e-5);
    CHECK(sal_group_set_input(s.group, 0, 0, &none) == SAL_OK);
    CHECK(sal_group_advance_to(s.group, 3, NULL) == SAL_OK);
    CHECK_NEAR(state(s.group, a), (30 * 2 - 300 + 300 * exp(-0.2)) * exp(-0.1), 1e-5);
    CHECK(sal_group_set_input(s.group, 0, 2, &none) == SAL_EINVAL &&
          sal_group_feed(s.group, 0, 0, 3, &none) == SAL_ETIME);
    close_scene(&s);
}

static void members_come_and_go_without_allocation(void) {
    enum { ROOM = 8 };
    test_allocator lent = {.requests_left = -1};
    const sal_allocator counted = {test_allocate, &lent};
    scene s;
    sal_member member[ROOM], gone;
    open_scene(&s, &counted, ROOM);
    for (int i = 0; i < ROOM; i++)
        member[i] = add(s.group, i, 0);
    CHECK(sal_group_advance_to(s.group, 1, NULL) == SAL_OK);
    const long before = lent.request_count;
    for (int round = 0; round < check_share(30); round++) {
        const int i = round % ROOM;
        gone = member[i];
        CHECK(sal_group_remove(s.group, gone) == SAL_OK && sal_group_remove(s.group, gone) == SAL_EINVAL);
        CHECK(sal_group_simulator(s.group, gone) == NULL && sal_group_count(s.group) == ROOM - 1);
        member[i] = add(s.group, round, member[(i + 1) % ROOM]);
        CHECK(member[i] != gone);
        CHECK(sal_group_advance_to(s.group, 1 + round / 10., NULL) == SAL_OK);
    }
    CHECK(lent.request_count == before);
    int count = 0;
    for (sal_member m = sal_group_next(s.group, 0); m != 0; m = sal_group_next(s.group, m))
        count++;
    CHECK(count == ROOM);
    add(s.group, 0, 0); /* beyond the reserve it grows */
    CHECK(sal_group_count(s.group) == ROOM + 1 && lent.request_count > before);
    close_scene(&s);
    CHECK(lent.bytes_lent == 0);
}

/* Three throw at the same time, one earlier: that is the order in which the fourth is hit, at the end of the frame. */
static void messages_come_in_order(void) {
    scene s;
    open_scene(&s, NULL, 8);
    const sal_member target = add(s.group, 0, 0);
    sal_member from[4];
    for (int i = 0; i < 4; i++)
        from[i] = add(s.group, 0, target);
    discrete(s.group, from[2])[NEXT_THROW] = 0.1;
    CHECK(sal_group_advance_to(s.group, 0.05, NULL) == SAL_OK && discrete(s.group, target)[HIT_COUNT] == 0);
    CHECK(sal_group_advance_to(s.group, 0.28, NULL) == SAL_OK);
    const double *notes = discrete(s.group, target);
    CHECK(notes[HIT_COUNT] == 4);
    const sal_member order[] = {from[3], from[1], from[0], from[2]}; /* the last one first */
    for (int i = 0; i < 4; i++)
        CHECK(notes[LAST_HITS + i] == (double)order[i]);
    CHECK(sal_group_message(s.group) == NULL && sal_group_self(s.group) == 0);
    CHECK(sal_group_send(s.group, target, 0, HIT, NULL, 0) == SAL_ESTATE);
    close_scene(&s);
}

static void links_carry_outputs_at_the_end_of_a_frame(void) {
    scene s;
    open_scene(&s, NULL, 4);
    const sal_member a = add(s.group, 10, 0), b = add(s.group, 20, 0);
    CHECK(sal_group_link(s.group, a, 0, 0, b, 0, 1) == SAL_OK && sal_group_link(s.group, b, 0, 0, a, 0, 1) == SAL_OK);
    CHECK(sal_group_link(s.group, a, 0, 1, b, 0, 1) == SAL_EINVAL &&
          sal_group_link(s.group, a, 0, 0, 99, 0, 1) == SAL_EINVAL);
    CHECK(sal_group_advance_to(s.group, 1, NULL) == SAL_OK);
    const double xa = state(s.group, a), xb = state(s.group, b);
    CHECK_NEAR(xa, 10 * exp(-0.1), 1e-5); /* the other one was not seen in this frame */
    const sal_context *ctx = sal_simulator_context(sal_group_simulator(s.group, a));
    CHECK(sal_context_get(ctx, SAL_INPUT)[1] == xb);
    CHECK(sal_group_advance_to(s.group, 2, NULL) == SAL_OK);
    CHECK_NEAR(state(s.group, a), 0.1 * xb + (xa - 0.1 * xb) * exp(-0.1), 1e-5);
    CHECK(sal_group_remove(s.group, b) == SAL_OK);
    const double held = sal_context_get(ctx, SAL_INPUT)[1];
    CHECK(sal_group_advance_to(s.group, 3, NULL) == SAL_OK && sal_context_get(ctx, SAL_INPUT)[1] == held);
    close_scene(&s);
}

static void who_fails_stays_behind(void) {
    scene s;
    sal_group_report report;
    open_scene(&s, NULL, 4);
    const sal_member a = add(s.group, 1, 0), b = add(s.group, 1, a), c = add(s.group, 1, b);
    discrete(s.group, b)[FAILS] = 1;
    CHECK(sal_group_advance_to(s.group, 1, &report) == SAL_EHANDLER);
    CHECK(report.behind == 1 && report.first == b && report.run.reason == SAL_AT_FAILURE);
    CHECK_NEAR(report.run.time, 0.35, 1e-12);
    CHECK(discrete(s.group, a)[HIT_COUNT] == 1 && sal_group_time(s.group) == 1);
    CHECK(discrete(s.group, b)[HIT_COUNT] == 0); /* it is not there yet */
    discrete(s.group, b)[FAILS] = 0;
    CHECK(sal_group_advance_to(s.group, 1, &report) == SAL_OK && report.behind == 0);
    CHECK(discrete(s.group, b)[HIT_COUNT] > 1 && discrete(s.group, a)[HIT_COUNT] > 1);
    (void)c;
    close_scene(&s);
}

static void crowd(scene *s, int members) {
    sal_member last = 0;
    for (int i = 0; i < members; i++)
        last = add(s->group, i, last);
    const double wind = 3;
    CHECK(sal_group_feed(s->group, 0, 0, 3, &wind) == SAL_OK);
    CHECK(sal_group_link(s->group, last, 0, 0, sal_group_next(s->group, 0), 0, 1) == SAL_OK);
    CHECK(sal_group_advance_to(s->group, 0.7, NULL) == SAL_OK);
    CHECK(sal_group_remove(s->group, sal_group_next(s->group, sal_group_next(s->group, 0))) == SAL_OK);
}

static void go_on(scene *s) {
    for (int f = 1; f < 20; f++) {
        CHECK(sal_group_advance_to(s->group, 0.7 + f / 10., NULL) == SAL_OK);
        if (f == 5)
            add(s->group, 5, sal_group_next(s->group, 0));
    }
}

static void groups_are_saved(void) {
    scene s, other;
    open_scene(&s, NULL, 8);
    open_scene(&other, NULL, 2);
    crowd(&s, 6);
    size_t size = 0;
    const size_t room = sal_group_save_bound(s.group);
    unsigned char *bytes = malloc(room);
    CHECK(sal_group_save(s.group, bytes, room, &size) == SAL_OK && size == sal_group_save_size(s.group) && size < room);
    const uint64_t hash = sal_group_hash(s.group);
    go_on(&s);
    const uint64_t end = sal_group_hash(s.group);
    CHECK(end != hash && sal_group_load(s.group, bytes, size) == SAL_OK && sal_group_hash(s.group) == hash);
    go_on(&s);
    CHECK(sal_group_hash(s.group) == end);
    CHECK(sal_group_load(other.group, bytes, size) == SAL_OK && sal_group_hash(other.group) == hash);
    go_on(&other);
    CHECK(sal_group_hash(other.group) == end);
    for (size_t i = 0; i < size; i += 7) {
        bytes[i] ^= 1;
        CHECK(sal_group_load(s.group, bytes, size) == SAL_EINVAL);
        bytes[i] ^= 1;
    }
    for (size_t cut = 0; cut < 64; cut++)
        CHECK(sal_group_load(s.group, bytes, size - 1 - cut) == SAL_EINVAL);
    CHECK(sal_group_hash(s.group) == end);
    CHECK(sal_group_save(s.group, bytes, 40, &size) == SAL_EINVAL);
    free(bytes);
    close_scene(&s);
    close_scene(&other);
}

/* Bytes that say something wrong, with a right checksum: refused, or a group that goes on. */
static void forged_groups_are_refused(void) {
    scene s;
    open_scene(&s, NULL, 8);
    crowd(&s, 5);
    size_t size = 0;
    const size_t room = sal_group_save_bound(s.group);
    unsigned char *bytes = malloc(room), *forged = malloc(room);
    CHECK(sal_group_save(s.group, bytes, room, &size) == SAL_OK);
    int refused = 0;
    const size_t most = size - 8 < 1200 ? size - 8 : 1200;
    for (size_t i = 24; i < most; i += (size_t)(1200 / check_share(1200)))
        for (int k = 0; k < 3; k++) {
            memcpy(forged, bytes, size);
            forged[i] = (unsigned char)(k == 0 ? forged[i] + 1 : k == 1 ? 255 : 0);
            const uint64_t checksum = sal_hash(forged, size - 8, 0);
            memcpy(forged + size - 8, &checksum, sizeof checksum);
            const uint64_t before = sal_group_hash(s.group);
            if (sal_group_load(s.group, forged, size) == SAL_OK)
                sal_group_advance_to(s.group, sal_group_time(s.group), NULL);
            else
                CHECK(sal_group_hash(s.group) == before && ++refused > 0);
            CHECK(sal_group_load(s.group, bytes, size) == SAL_OK);
        }
    CHECK(refused > check_share(100));
    free(bytes);
    free(forged);
    close_scene(&s);
}

static void wrong_configs_are_refused(void) {
    scene s;
    sal_group *group = NULL;
    open_scene(&s, NULL, 0);
    sal_group_config config = sal_group_config_default();
    CHECK(sal_group_reserve(s.group, -1) == SAL_EINVAL && sal_group_reserve(s.group, 3) == SAL_OK);
    CHECK(sal_group_advance_to(s.group, -1, NULL) == SAL_ETIME &&
          sal_group_advance_to(s.group, NAN, NULL) == SAL_ETIME);
    config.start_time = NAN;
    CHECK(sal_group_new(NULL, s.sys, &config, &group) == SAL_EINVAL);
    config.start_time = 0, config.member_capacity = -1;
    CHECK(sal_group_new(NULL, s.sys, &config, &group) == SAL_EINVAL);
    CHECK(sal_group_new(NULL, NULL, NULL, &group) == SAL_EINVAL && group == NULL);
    close_scene(&s);
}

static void every_allocation_fails_once(void) {
    for (long k = 0, done = 0; !done; k++) {
        test_allocator lent = {.requests_left = k};
        const sal_allocator mem = {test_allocate, &lent};
        script own = {0};
        sal_system *sys = new_thing(&own);
        sal_group_config config = sal_group_config_default();
        config.member_capacity = 2;
        sal_status status = sal_group_new(&mem, sys, &config, &own.group);
        for (int i = 0; i < 4 && status == SAL_OK; i++) {
            sal_member m = 0;
            status = sal_group_add(own.group, &m);
        }
        done = status == SAL_OK;
        CHECK(done || status == SAL_ENOMEM);
        sal_group_free(own.group);
        sal_system_free(sys);
        CHECK(lent.bytes_lent == 0);
    }
}

int main(void) {
    members_go_as_single_simulators();
    shared_inputs_are_read_at_all_times();
    members_come_and_go_without_allocation();
    messages_come_in_order();
    links_carry_outputs_at_the_end_of_a_frame();
    who_fails_stays_behind();
    groups_are_saved();
    forged_groups_are_refused();
    wrong_configs_are_refused();
    every_allocation_fails_once();
    return check_summary();
}
