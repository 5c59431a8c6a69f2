#include "bot.h"

#include <math.h>

#define SHOT_SPEED 8.0 /* m/s */
#define TURN_RATE 3.5  /* rad/s */

/* Where the other ship will be when a shot arrives, as seen from here. */
static void aim(const arena_view *view, int ship, double *to) {
    const double *here = view->place[ship], *there = view->place[1 - ship];
    const double flight = hypot(there[0] - here[0], there[1] - here[1]) / SHOT_SPEED;
    for (int k = 0; k < 2; k++)
        to[k] = there[k] - here[k] + flight * (view->speed[1 - ship][k] - view->speed[ship][k]);
}

/* Out of the well, and out of a tangle with the other ship. */
static bool must_leave(const arena_view *view, int ship, double *to) {
    const double *here = view->place[ship], *there = view->place[1 - ship];
    to[0] = here[0] - ARENA_WIDTH / 2;
    to[1] = here[1] - ARENA_HEIGHT / 2;
    if (hypot(to[0], to[1]) < 2.8)
        return true;
    to[0] = there[1] - here[1]; /* to the side */
    to[1] = here[0] - there[0];
    return hypot(to[0], to[1]) < 2;
}

static double angle_to(const double *ahead, const double *to) {
    return atan2(ahead[0] * to[1] - ahead[1] * to[0], ahead[0] * to[0] + ahead[1] * to[1]);
}

static void decide(bot *b, int frame, const arena_view *view) {
    const uint64_t chance = sal_hash(&frame, sizeof frame, b->seed);
    double to[2];
    const bool leaves = must_leave(view, b->ship, to);
    if (!leaves)
        aim(view, b->ship, to);
    const double angle = angle_to(view->heading[b->ship], to);
    b->buttons = fabs(angle) < 0.05 ? 0 : angle > 0 ? TURN_LEFT : TURN_RIGHT;
    b->turns_until = frame + (int)(fabs(angle) / TURN_RATE * FRAMES_PER_SECOND);
    if (leaves ? fabs(angle) < 1.2 : chance % 8 < (hypot(to[0], to[1]) > 6 ? 5 : 1))
        b->buttons |= THRUST;
    if (!leaves && fabs(angle) < 0.3 && chance >> 16 & 1)
        b->buttons |= FIRE;
    b->decides_at = frame + 5 + (int)(chance >> 8 & 7);
}

unsigned bot_choose(bot *b, int frame, const arena_view *view) {
    if (frame >= b->decides_at)
        decide(b, frame, view);
    return frame < b->turns_until ? b->buttons : b->buttons & ~(unsigned)(TURN_LEFT | TURN_RIGHT);
}
