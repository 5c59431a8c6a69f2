/* Inputs that a host feeds: straight lines from their present value to a value at a later time.
 *
 * Between calls, the number in the context is the input's value, fed or not, so handlers, samples and hosts read it
 * like any other. While the run flows, and while state_at reads the last step, the context has access to the lines
 * (`feeds`) and computes the values at its own time. A step ends where a line ends: the input has a corner there and
 * no jump. So the state, the step size and the values of witnesses stay valid; only slopes are new, and the past has
 * a discontinuity of first order. A line is kept until one whole step after its end was taken, for readers of the
 * last step. */
#include <math.h>
#include <string.h>

#include "engine/delay/delay.h"

/* ---- life ---- */

static bool is_connected(const sal_simulator *sim) {
    for (int i = 0; i < sim->plan->input_count; i++)
        if (sim->plan->input_slot[i].source < 0)
            return false;
    return true;
}

enum { NUMBERS = 5 }; /* for each element of an input: both ends of two lines, and its value */

sal_status sal__feeds_new(sal_simulator *sim) {
    const sal__plan *plan = sim->plan;
    sal__feeds *feeds = &sim->feeds;
    if (is_connected(sim))
        return SAL_OK;
    feeds->feed = sal__pool_alloc(&sim->pool, plan->input_count, sizeof *feeds->feed);
    feeds->input = sal__pool_alloc(&sim->pool, plan->input_count, sizeof *feeds->input);
    double *at = sal__pool_alloc(&sim->pool, NUMBERS * plan->size[SAL_INPUT], sizeof *at);
    for (int i = 0; i < plan->input_count && !sim->pool.failed; i++) {
        sal__feed *feed = &feeds->feed[i];
        const int size = plan->input_slot[i].size;
        feed->line.from = at, feed->line.to = at + size;
        feed->before.from = at + 2 * size, feed->before.to = at + 3 * size;
        feed->value = at + 4 * size;
        at += NUMBERS * size;
    }
    return sal__pool_status(&sim->pool);
}

/* ---- one input ---- */

static double *place_of(const sal_simulator *sim, sal__context_data *data, int input) {
    return data->storage[SAL_INPUT] + sim->plan->input_slot[input].at;
}

static void remove_feed(sal_simulator *sim, int k) {
    sal__feeds *feeds = &sim->feeds;
    feeds->feed[feeds->input[k]].is_fed = false;
    feeds->count--;
    for (; k < feeds->count; k++)
        feeds->input[k] = feeds->input[k + 1];
}

void sal__feeds_clear(sal_simulator *sim) {
    while (sim->feeds.count > 0)
        remove_feed(sim, sim->feeds.count - 1);
}

/* The number of an input that a host may feed; -1: there is none. */
static int find(const sal_simulator *sim, int part, int input) {
    if (part < 0 || part >= sim->plan->part_count || input < 0 || input >= sim->plan->part[part].input_count)
        return -1;
    const int i = sim->plan->part[part].input_at + input;
    return sim->plan->input_slot[i].source < 0 ? i : -1;
}

static sal_status check_ends(sal_simulator *sim, int input, double t1, const double *value) {
    const double now = sim->contexts.current->time;
    if (!isfinite(t1) || !(t1 > now) || sal__same_instant(t1, now, 0))
        return SAL__REFUSE_CALL(sim, SAL_ETIME, "a feed until t = ", sal__time_text(t1).text,
                                " does not end after the present, ", sal__time_text(now).text,
                                "; give a finite time in the future");
    const double *from = place_of(sim, sim->contexts.current, input);
    for (int i = 0; i < sim->plan->input_slot[input].size; i++) {
        if (isnan(from[i]))
            return SAL__REFUSE_CALL(sim, SAL_EINPUT,
                                    "an input without a value is fed; set its value first, where the "
                                    "line starts");
        if (!isfinite(value[i] - from[i]))
            return SAL__REFUSE_CALL(sim, SAL_EINVAL, "an input is fed with ", sal__real_number(value[i], 6).text,
                                    "; give a finite number");
    }
    return SAL_OK;
}

static sal_status refuse_input(sal_simulator *sim, int part, int input) {
    return SAL__REFUSE_CALL(
        sim, SAL_EINVAL, "input ", sal__whole_number(input).text, " of part ", sal__whole_number(part).text,
        " does not exist, or is connected; feed one that sal_system_find_input finds and that has no "
        "source");
}

/* The present line becomes the previous one. */
static void start_line(sal_simulator *sim, int input, double t1, const double *value) {
    const size_t bytes = (size_t)sim->plan->input_slot[input].size * sizeof(double);
    sal__feed *feed = &sim->feeds.feed[input];
    const double *from = place_of(sim, sim->contexts.current, input);
    const sal__line was = feed->line;
    if (!feed->is_fed) {
        sim->feeds.input[sim->feeds.count++] = input;
        feed->is_fed = true;
        memcpy(was.to, from, bytes);
        feed->line = feed->before;
        feed->before = (sal__line){-INFINITY, -INFINITY, was.from, was.to};
    } else if (was.t0 < sim->contexts.current->time) { /* else it is fed twice at one time */
        feed->line = feed->before;
        feed->before = was;
    }
    feed->line.t0 = sim->contexts.current->time;
    feed->line.t1 = t1;
    memcpy(feed->line.from, from, bytes);
    memcpy(feed->line.to, value, bytes);
}

/* A corner at the present time, where states that depend on the line may have a kink. */
static void record_corner(sal_simulator *sim) {
    sal__witness_forget_ends(sim);
    sal__witness_note_flow_change(sim, true);
    if (!sim->run_state.initialized)
        return;
    sal_integrator_invalidate(sim->integrator);
    if (sal__has_delays(sim)) /* a state that a constraint ties to the input has the input's corners */
        sal__add_discontinuity(
            sim->delay_state,
            &(sal__discontinuity){sim->contexts.current->time, {sim->projection ? 1 : 2, SAL__SMOOTH, 1, 1}, 0, 0});
}

/* The line changes direction, so the rest of the last step is not valid. */
static void record_corner_of_host(sal_simulator *sim) {
    sal__discard_rest(sim);
    record_corner(sim);
}

sal_status sal_simulator_feed(sal_simulator *sim, int part, int input, double t1, const double *value) {
    const int i = find(sim, part, input);
    sal_status status = sal__check_usable(sim);
    if (status != SAL_OK)
        return sal__refuse_state(sim);
    if (i >= 0 && !value)
        return SAL__REFUSE_CALL(sim, SAL_EINVAL, "input ", sal__whole_number(input).text, " of part ",
                                sal__whole_number(part).text, ": the value to feed is NULL; give its numbers");
    status = i < 0 ? refuse_input(sim, part, input) : check_ends(sim, i, t1, value);
    if (status == SAL_OK && sal__has_delays(sim))
        status = sal__reserve_discontinuity(sim);
    if (status != SAL_OK)
        return status;
    start_line(sim, i, t1, value);
    record_corner_of_host(sim);
    return SAL_OK;
}

sal_status sal_simulator_end_feed(sal_simulator *sim, int part, int input) {
    const int i = find(sim, part, input);
    if (sal__check_usable(sim) != SAL_OK)
        return sal__refuse_state(sim);
    sal_status status = i < 0 ? refuse_input(sim, part, input) : SAL_OK;
    if (status == SAL_OK && sal__has_delays(sim))
        status = sal__reserve_discontinuity(sim);
    if (status != SAL_OK || !sim->feeds.feed[i].is_fed || sim->feeds.feed[i].line.t1 <= sim->contexts.current->time)
        return status;
    start_line(sim, i, sim->contexts.current->time, place_of(sim, sim->contexts.current, i));
    record_corner_of_host(sim);
    return SAL_OK;
}

/* ---- while time moves ---- */

static void invalidate_cache(sal__context_data *data) {
    data->versions.stamp[false]++;
    data->versions.stamp[true]++;
}

/* Gives the run's context access to the lines; NULL: inputs are read from the block. */
static void attach_lines(sal_simulator *sim, const sal__feed *feeds) {
    sim->contexts.current->feeds = feeds;
    sal__choose_rhs(sim);
    invalidate_cache(sim->contexts.current);
}

/* If another value was written to the input, the feed ends. */
static bool was_set(const sal_simulator *sim, int input) {
    const sal__feed *feed = &sim->feeds.feed[input];
    const double *now = place_of(sim, sim->contexts.current, input);
    const int size = sim->plan->input_slot[input].size;
    sal__feed_value(feed, sim->contexts.current->time, size, feed->value);
    for (int i = 0; i < size; i++)
        if (!(now[i] == feed->value[i]))
            return true;
    return false;
}

void sal__feeds_attach(sal_simulator *sim) {
    for (int k = sim->feeds.count - 1; k >= 0; k--)
        if (was_set(sim, sim->feeds.input[k]))
            remove_feed(sim, k);
    attach_lines(sim, sim->feeds.feed);
}

static void write_values(const sal_simulator *sim, sal__context_data *data, double t) {
    for (int k = 0; k < sim->feeds.count; k++) {
        const int input = sim->feeds.input[k];
        sal__feed_value(&sim->feeds.feed[input], t, sim->plan->input_slot[input].size, place_of(sim, data, input));
    }
    invalidate_cache(data);
}

/* A time within 4 ulp of t counts as t: no step is that short. */
static bool has_ended(const sal__line *line, double t) {
    return line->t1 <= t || sal__same_instant(line->t1, t, 0);
}

double sal__feeds_next_end(const sal_simulator *sim, double next) {
    double stop = INFINITY;
    for (int k = 0; k < sim->feeds.count; k++) {
        const sal__line *line = &sim->feeds.feed[sim->feeds.input[k]].line;
        if (!has_ended(line, sim->contexts.current->time))
            stop = sal__min(stop, line->t1);
    }
    return isfinite(stop) && isfinite(next) && sal__same_instant(stop, next, 0) ? next : stop;
}

void sal__feeds_detach(sal_simulator *sim, double t0) {
    const double now = sim->contexts.current->time;
    bool corner = false;
    attach_lines(sim, NULL);
    write_values(sim, sim->contexts.current, now);
    for (int k = sim->feeds.count - 1; k >= 0; k--) {
        const sal__line *line = &sim->feeds.feed[sim->feeds.input[k]].line;
        corner = corner || (has_ended(line, now) && !has_ended(line, t0));
        if (line->t1 <= sim->flow.step_start)
            remove_feed(sim, k);
    }
    if (corner)
        record_corner(sim);
}

void sal__feeds_begin_lookup(sal_simulator *sim) {
    attach_lines(sim, sim->feeds.feed);
}

void sal__feeds_end_lookup(sal_simulator *sim, sal__context_data *view, double t) {
    attach_lines(sim, NULL);
    write_values(sim, view, t);
}

/* ---- in a snapshot: the lines that go on, by input ---- */

/* The first fed input from `input` on; the number of inputs if there is none. */
static int next_that_goes_on(const sal_simulator *sim, int input) {
    const sal__feed *of = sim->feeds.feed;
    while (input < sim->plan->input_count &&
           !(of && of[input].is_fed && of[input].line.t1 > sim->contexts.current->time))
        input++;
    return input;
}

uint64_t sal__feeds_hash(const sal_simulator *sim, uint64_t hash) {
    if (sim->feeds.count == 0)
        return hash;
    for (int i = next_that_goes_on(sim, 0); i < sim->plan->input_count; i = next_that_goes_on(sim, i + 1)) {
        const sal__line *line = &sim->feeds.feed[i].line;
        const double head[] = {i, line->t0, line->t1};
        const size_t bytes = (size_t)sim->plan->input_slot[i].size * sizeof(double);
        hash = sal_hash(head, sizeof head, hash);
        hash = sal_hash(line->from, bytes, hash);
        hash = sal_hash(line->to, bytes, hash);
    }
    return hash;
}

static void archive_line(sal__archive *a, sal__line *line, size_t size, double now) {
    const double t0 = sal__real_finite(a, &line->t0), t1 = sal__real_finite(a, &line->t1);
    sal__rule(a, t0 <= now && now < t1);
    const unsigned char *from = sal__reals(a, line->from, size), *to = sal__reals(a, line->to, size);
    for (size_t i = 0; a->mode == SAL__CHECK && !a->is_bad && i < size; i++)
        sal__rule(a, isfinite(sal__real_at(to, i) - sal__real_at(from, i)));
}

/* The value before the snapshot is not compared again. */
static void load_line(sal_simulator *sim, int input) {
    sal__feed *feed = &sim->feeds.feed[input];
    feed->is_fed = true;
    feed->before.t0 = feed->before.t1 = -INFINITY;
    memcpy(feed->before.to, feed->line.from, (size_t)sim->plan->input_slot[input].size * sizeof(double));
    sim->feeds.input[sim->feeds.count++] = input;
}

static int count_that_go_on(const sal_simulator *sim) {
    int count = 0;
    for (int i = 0; sim->feeds.count > 0 && (i = next_that_goes_on(sim, i)) < sim->plan->input_count; i++)
        count++;
    return count;
}

void sal__feeds_archive(sal__archive *a, sal_simulator *sim, double t) {
    enum { LEAST = sizeof(int32_t) + 2 * sizeof(double) };
    int count = sal__is_loading(a) ? 0 : count_that_go_on(sim), input = -1;
    count = sal__count(a, &count, sim->plan->input_count, LEAST);
    sal__may_take(a, (size_t)sim->plan->input_count * LEAST + 2 * (size_t)sim->plan->size[SAL_INPUT] * sizeof(double));
    if (a->mode == SAL__READ)
        sal__feeds_clear(sim);
    for (int k = 0; k < count && !a->is_bad; k++) {
        int i = sal__is_loading(a) ? 0 : next_that_goes_on(sim, input + 1);
        i = sal__int(a, &i, 0, sim->plan->input_count - 1);
        sal__rule(a, i > input && sim->plan->input_slot[i].source < 0);
        if (a->is_bad)
            return;
        input = i;
        archive_line(a, &sim->feeds.feed[i].line, (size_t)sim->plan->input_slot[i].size, t);
        if (a->mode == SAL__READ)
            load_line(sim, i);
    }
}

void sal__feeds_copy(sal_simulator *to, const sal_simulator *from) {
    if (to->feeds.count > 0)
        sal__feeds_clear(to);
    for (int k = 0; k < from->feeds.count; k++) {
        const int input = from->feeds.input[k];
        const sal__line *line = &from->feeds.feed[input].line;
        sal__line *own = &to->feeds.feed[input].line;
        const size_t bytes = (size_t)to->plan->input_slot[input].size * sizeof(double);
        if (line->t1 <= from->contexts.current->time)
            continue;
        own->t0 = line->t0, own->t1 = line->t1;
        memcpy(own->from, line->from, bytes);
        memcpy(own->to, line->to, bytes);
        load_line(to, input);
    }
}
