#include "drill.h"

#include <stdio.h>

#include "loop.h"

enum { ROUNDS = 4000, PERIOD = 1000, TOLERANCE = 50 }; /* us */

/* us of work in a round: 0.4 ms; 2.5 ms in every hundredth, which misses one deadline by half a millisecond; and once
 * 10.3 ms, after which the loop catches up. 2.04 ms in round 650 are late by 0.04 ms, which is tolerated.
 * The arm bounces in rounds that are on time, since the half of a step that ends there has an earlier deadline. */
static int planned_work(int round) {
    if (round == 650)
        return 2040;
    if (round == 1050)
        return 10300;
    return round % 100 == 0 ? 2500 : 400;
}

typedef struct virtual_clock {
    double now; /* s */
} virtual_clock;

static double now(void *user) {
    const virtual_clock *clock = user;
    return clock->now;
}

static void pass(void *user, double seconds) {
    virtual_clock *clock = user;
    clock->now += seconds;
}

static void work(void *user, int round) {
    pass(user, planned_work(round) / 1e6);
}

typedef struct deadlines {
    int missed, worst; /* how many; us */
} deadlines;

/* What the plan says about deadlines, in whole microseconds: a round begins at its tick, or when the last is done. */
static deadlines planned_deadlines(void) {
    deadlines p = {0};
    int begin = 0;
    for (int round = 1; round <= ROUNDS; round++) {
        const int lag = begin - round * PERIOD, done = begin + planned_work(round), tick = round * PERIOD;
        begin = done > tick ? done : tick;
        p.missed += lag > TOLERANCE;
        p.worst = lag > TOLERANCE && lag > p.worst ? lag : p.worst;
    }
    return p;
}

static int complain(const char *what) {
    fprintf(stderr, "robot_1khz: %s\n", what);
    return 1;
}

/* 0, or 1 and a sentence. */
static int compare(const loop_result *result, const deadlines *plan) {
    const double off = result->pacing.worst_lag - plan->worst / 1e6;
    if (result->pacing.overruns != plan->missed || !(off > -1e-9 && off < 1e-9))
        return complain("the missed deadlines are not those of the plan");
    if (result->pacing.steps != ROUNDS + result->bounces)
        return complain("a round is not one step, and two where the arm bounces");
    if (result->bounces == 0 || !(result->angle > 1.19 && result->angle < 1.21))
        return complain("the arm does not bounce, or does not reach its target");
    if (result->late_calls != 0)
        return complain("the loop has asked for memory after its start");
    return 0;
}

int drill(void) {
    virtual_clock clock = {0};
    loop_result result;
    const loop_clock driven = {now, pass, work, &clock};
    const deadlines plan = planned_deadlines();
    if (loop_run(&driven, ROUNDS, TOLERANCE / 1e6, &result) != SAL_OK)
        return complain(result.trouble);
    printf("%d rounds of 1 ms, %d missed deadlines, %d by the plan, worst %.2f ms\n", ROUNDS,
           (int)result.pacing.overruns, plan.missed, 1e3 * result.pacing.worst_lag);
    printf("%d bounces, angle %.6f rad\n", result.bounces, result.angle);
    printf("%lu bytes of the arena, none after the start\n", (unsigned long)result.memory);
    printf("hash %016llx\n", (unsigned long long)result.hash);
    return compare(&result, &plan);
}
