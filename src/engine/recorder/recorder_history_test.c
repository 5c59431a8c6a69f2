/* sal_recorder_history: what a channel did, as a delay buffer of its own. */
#include "engine/test_ball.h"
#include "base/test_allocator.h"
#include "saltus/recorder.h"

enum { HEIGHT, DISCRETE, OUTPUT, CHANNELS };

static const sal_channel channels[CHANNELS] = {
    [HEIGHT] = {.size = 1, .output = -1, .partition = SAL_Q},
    [DISCRETE] = {.size = 2, .output = -1, .partition = SAL_XD},
    [OUTPUT] = {.size = 1, .output = 0},
};

static const double stop = 3;

/* The ball bounces at 0.45 s and later; the second discrete number counts ticks. */
static sal_recorder *record(sal_simulator *sim, double interval) {
    sal_recorder *rec = NULL;
    CHECK(sal_recorder_new(sim, channels, CHANNELS, interval, &rec) == SAL_OK);
    CHECK(sal_simulator_advance_to(sim, stop, NULL) == SAL_OK);
    return rec;
}

/* The value of a column that the recorder has at t, by its last row there. */
static double recorded(const sal_recorder *rec, double t, int column) {
    int64_t row = sal_recorder_rows(rec) - 1;
    while (row > 0 && sal_recorder_row(rec, row)[0] > t)
        row--;
    const double *a = sal_recorder_row(rec, row), *b = sal_recorder_row(rec, row + 1);
    return sal_recorder_interpolate(rec, row, b ? (t - a[0]) / (b[0] - a[0]) : 0, column);
}

static void compare(const sal_recorder *rec, int channel, int column) {
    sal_delay_buffer *past = NULL;
    CHECK(sal_recorder_history(rec, channel, NULL, &past) == SAL_OK);
    const int width = sal_delay_buffer_config(past)->width;
    CHECK(width == channels[channel].size);
    for (double t = 0; t < stop; t += 0.01) {
        double value[2];
        CHECK(sal_delay_buffer_read(past, NULL, t, NULL, value, NULL, NULL) == SAL_OK);
        for (int i = 0; i < width; i++)
            CHECK_NEAR(value[i], recorded(rec, t, column + i), 1e-12);
    }
    sal_delay_buffer_free(past);
}

static void has_the_values_of_the_recorder(void) {
    script s = {0};
    sal_system *ball = NULL;
    sal_simulator *sim = new_sim(&s, NULL, "tsitouras5", false, &ball);
    sal_recorder *rec = record(sim, NAN);
    compare(rec, HEIGHT, 2);
    compare(rec, DISCRETE, 3);
    compare(rec, OUTPUT, 5);
    sal_delay_buffer *past = NULL;
    CHECK(sal_recorder_history(rec, CHANNELS, NULL, &past) == SAL_EINVAL && !past);
    CHECK(sal_recorder_history(rec, -1, NULL, &past) == SAL_EINVAL && !past);
    sal_recorder_free(rec);
    sal_simulator_free(sim);
    sal_system_free(ball);
}

static void holds_discrete_numbers_between_samples(void) {
    script s = {0};
    sal_system *ball = NULL;
    sal_simulator *sim = new_sim(&s, NULL, "tsitouras5", false, &ball);
    sal_recorder *rec = record(sim, 0.2);
    compare(rec, DISCRETE, 3);
    sal_recorder_free(rec);
    sal_simulator_free(sim);
    sal_system_free(ball);
}

static void gives_memory_back_whichever_allocation_fails(void) {
    script s = {0};
    sal_system *ball = NULL;
    sal_simulator *sim = new_sim(&s, NULL, "tsitouras5", false, &ball);
    sal_recorder *rec = record(sim, NAN);
    sal_status status = SAL_ENOMEM;
    for (long k = 0; status == SAL_ENOMEM; k++) {
        test_allocator p = {.requests_left = k};
        const sal_allocator mem = {test_allocate, &p};
        sal_delay_buffer *past = NULL;
        status = sal_recorder_history(rec, HEIGHT, &mem, &past);
        CHECK(status == SAL_OK || (status == SAL_ENOMEM && !past));
        sal_delay_buffer_free(past);
        CHECK(p.bytes_lent == 0);
    }
    sal_recorder_free(rec);
    sal_simulator_free(sim);
    sal_system_free(ball);
}

int main(void) {
    has_the_values_of_the_recorder();
    holds_discrete_numbers_between_samples();
    gives_memory_back_whichever_allocation_fails();
    return check_summary();
}
