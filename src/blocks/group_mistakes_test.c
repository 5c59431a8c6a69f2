/* Mistakes with groups of simulators: members, inputs, links and messages. */
#include <math.h>

#include "test_tank.h"

static sal_group *swarm;

static sal_group *group_of_tanks(void) {
    sal_member first = 0;
    CHECK(sal_group_new(NULL, tank(), NULL, &swarm) == SAL_OK && sal_group_add(swarm, &first) == SAL_OK);
    return swarm;
}

static const char *end_group(void) {
    snprintf(text, sizeof text, "%s", sal_group_trouble(swarm));
    sal_group_free(swarm);
    swarm = NULL;
    return text;
}

static const char *group_without_capacity(sal_status *status) {
    sal_system *sys = tank();
    sal_group_config config = sal_group_config_default();
    config.member_capacity = -1;
    *status = sal_group_new(NULL, sys, &config, &swarm);
    CHECK(strstr(sal_group_trouble(swarm), "sal_system_trouble"));
    return said(sys);
}

static const char *member_that_is_gone(sal_status *status) {
    *status = sal_group_remove(group_of_tanks(), 77);
    return end_group();
}

static const char *input_of_no_member(sal_status *status) {
    const double one = 1;
    *status = sal_group_set_input(group_of_tanks(), 0, 5, &one);
    return end_group();
}

static const char *group_fed_with_nan(sal_status *status) {
    const double odd = NAN;
    *status = sal_group_feed(group_of_tanks(), 0, 0, 1, &odd);
    return end_group();
}

static const char *group_fed_backwards(sal_status *status) {
    const double one = 1;
    *status = sal_group_feed(group_of_tanks(), 0, 0, -1, &one);
    return end_group();
}

static const char *link_of_no_output(sal_status *status) {
    const sal_member first = sal_group_next(group_of_tanks(), 0);
    *status = sal_group_link(swarm, first, 0, 3, first, 0, 0);
    return end_group();
}

static const char *link_from_nobody(sal_status *status) {
    const sal_member first = sal_group_next(group_of_tanks(), 0);
    *status = sal_group_link(swarm, 44, 0, 0, first, 0, 0);
    return end_group();
}

static sal_status fail_output(const sal_system *self, const sal_context *ctx, int port, double *value) {
    (void)self, (void)ctx, (void)port, (void)value;
    return -77;
}

/* The output of a member fails at the end of a frame, where the link carries it. */
static const char *link_fails(sal_status *status) {
    static const sal_system_class class = {.name = "tank", .derivatives = rates, .output = fail_output};
    sal_group_report frame;
    sal_member first = 0, second = 0;
    sal_system *sys = system_of(&class);
    sal_system_add_values(sys, SAL_Z, "level", 1, NULL);
    sal_system_add_values(sys, SAL_INPUT, "inflow", 1, NULL);
    sal_system_add_output(sys, "flow", 1, NULL);
    CHECK(sal_group_new(NULL, sys, NULL, &swarm) == SAL_OK);
    CHECK(sal_group_add(swarm, &first) == SAL_OK && sal_group_add(swarm, &second) == SAL_OK);
    CHECK(sal_group_link(swarm, second, 0, 0, first, 0, 0) == SAL_OK);
    *status = sal_group_advance_to(swarm, 1, &frame);
    CHECK(frame.first == second && frame.behind == 0 && frame.run.part == 0 && frame.run.status == *status);
    sal_report_text(sal_group_simulator(swarm, second), &frame.run, text, sizeof text);
    sal_group_free(swarm);
    swarm = NULL;
    return text;
}

static const char *message_from_outside(sal_status *status) {
    *status = sal_group_send(group_of_tanks(), 1, 0, 0, NULL, 0);
    return end_group();
}

static const char *group_from_damage(sal_status *status) {
    *status = sal_group_load(group_of_tanks(), "damage", 6);
    return end_group();
}

static const char *group_to_a_small_place(sal_status *status) {
    size_t size = 0;
    char room[4];
    *status = sal_group_save(group_of_tanks(), room, sizeof room, &size);
    return end_group();
}

static const mistake mistakes[] = {
    {group_without_capacity, SAL_EINVAL, "tank: ", "its group cannot be made", "capacities are 0 to SAL_MAX_MEMBERS"},
    {member_that_is_gone, SAL_EINVAL, "tank: ", "no member 77", "sal_group_add"},
    {input_of_no_member, SAL_EINVAL, "tank: ", "input 5 of part 0", "sal_system_find_input"},
    {group_fed_with_nan, SAL_EINVAL, "tank: ", "input 0 of part 0 is NULL or not finite", "give its numbers"},
    {group_fed_backwards, SAL_ETIME, "tank: ", "a feed until t = -1", "in the future"},
    {link_of_no_output, SAL_EINVAL, "tank: ", "output 3 of part 0", "sal_system_find_output"},
    {link_from_nobody, SAL_EINVAL, "tank: ", "no member 44", "sal_group_add"},
    {link_fails, -77, "\"tank\"", "output \"flow\" of \"tank\" failed", "a link has no value"},
    {message_from_outside, SAL_ESTATE, "tank: ", "a handler of a member", "from there"},
    {group_from_damage, SAL_EINVAL, "tank: ", "the bytes are not a save of a group", "what sal_group_save wrote"},
    {group_to_a_small_place, SAL_EINVAL, "tank: ", "a save of this group needs", "sal_group_save_size"},
};

int main(void) {
    each_is_named_in_words(sizeof mistakes / sizeof *mistakes, mistakes);
    return check_summary();
}
