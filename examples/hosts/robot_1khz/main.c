/* robot_1khz           the drill on a virtual clock, which fails if a deadline is counted wrongly
 * robot_1khz SECONDS   the loop on this machine's clock */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "drill.h"
#include "loop.h"

static double now(void *user) {
    struct timespec time;
    (void)user;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void rest(void *user, double seconds) {
    const double whole = floor(seconds);
    const struct timespec pause = {(time_t)whole, (long)(1e9 * (seconds - whole))};
    (void)user;
    nanosleep(&pause, NULL);
}

/* A robot would read its sensors and write to its motor here. */
static void work(void *user, int round) {
    (void)user, (void)round;
}

static int drive(int seconds) {
    const loop_clock clock = {now, rest, work, NULL};
    loop_result result;
    if (loop_run(&clock, 1000 * seconds, 50e-6, &result) != SAL_OK) {
        fprintf(stderr, "robot_1khz: %s\n", result.trouble);
        return 1;
    }
    printf("%lld steps, %lld missed deadlines, worst %.3f ms\n", (long long)result.pacing.steps,
           (long long)result.pacing.overruns, 1e3 * result.pacing.worst_lag);
    return 0;
}

int main(int count, char **word) {
    if (count < 2)
        return drill();
    const int seconds = atoi(word[1]);
    if (count == 2 && seconds > 0 && seconds <= 3600)
        return drive(seconds);
    fprintf(stderr, "robot_1khz [seconds, 1 to 3600]\n");
    return 2;
}
