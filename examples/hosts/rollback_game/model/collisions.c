/* The events of the arena: bounces, hits, shots. Distances are witnesses, so that a bounce happens between two frames
 * where it belongs. Handlers read and write `next`: it has the writes of earlier handlers of the same instant. */
#include "arena_state.h"

#include <math.h>

/* ---- the list of events ---- */

#define SHOT_EVENTS(kind) \
    {kind, FIRST_SHOT + 0, 0}, {kind, FIRST_SHOT + 1, 0}, {kind, FIRST_SHOT + 2, 0}, {kind, FIRST_SHOT + 3, 0}, \
        {kind, FIRST_SHOT + 4, 0}, {kind, FIRST_SHOT + 5, 0}, {kind, FIRST_SHOT + 6, 0}, { \
        kind, FIRST_SHOT + 7, 0 \
    }

static const arena_event events[EVENTS] = {
    {WALL, 0, 0},      {WALL, 1, 0},  {WALL, 2, 0},  {WALL, 3, 0},    {WALL, 4, 0},    {WALL, 5, 0},
    SHOT_EVENTS(WALL),                                                               /**/
    {TOUCH, 0, 1},     {TOUCH, 0, 2}, {TOUCH, 0, 3}, {TOUCH, 0, 4},   {TOUCH, 0, 5}, /**/
    {TOUCH, 1, 2},     {TOUCH, 1, 3}, {TOUCH, 1, 4}, {TOUCH, 1, 5},                  /**/
    {TOUCH, 2, 3},     {TOUCH, 2, 4}, {TOUCH, 2, 5},                                 /**/
    {TOUCH, 3, 4},     {TOUCH, 3, 5},                                                /**/
    {TOUCH, 4, 5},                                                                   /**/
    SHOT_EVENTS(HIT),  {SHOOT, 0, 0}, {SHOOT, 1, 0}, {RELOADS, 0, 0}, {RELOADS, 1, 0}, SHOT_EVENTS(EXPIRY)};

const arena_event *arena_events(void) {
    return events;
}

/* ---- distances ---- */

typedef enum { LEFT, RIGHT, BOTTOM, TOP } wall;

/* To the nearest wall. */
static double wall_gap(const double *place, double radius, wall *nearest) {
    const double gap[] = {place[0], ARENA_WIDTH - place[0], place[1], ARENA_HEIGHT - place[1]};
    *nearest = LEFT;
    for (wall i = RIGHT; i <= TOP; i++)
        if (gap[i] < gap[*nearest])
            *nearest = i;
    return gap[*nearest] - radius;
}

static double gap_between(const double *q, int a, int b) {
    const double x = q[2 * b] - q[2 * a], y = q[2 * b + 1] - q[2 * a + 1];
    return sqrt(x * x + y * y) - arena_radius(a) - arena_radius(b);
}

/* From a shot to what it may hit first: a rock or the other ship. */
static double target_gap(const double *q, int shot, int *nearest) {
    *nearest = 1 - owner_of(shot);
    double gap = gap_between(q, shot, *nearest);
    for (int rock = FIRST_ROCK; rock < FIRST_SHOT; rock++) {
        const double to_rock = gap_between(q, shot, rock);
        if (to_rock < gap) {
            gap = to_rock;
            *nearest = rock;
        }
    }
    return gap;
}

sal_status arena_witness(const sal_system *self, const sal_context *ctx, int event, double *value) {
    (void)self;
    const arena_event *e = &events[event];
    const double *q = sal_context_get(ctx, SAL_Q);
    wall nearest_wall;
    int nearest;
    *value = e->kind == WALL    ? wall_gap(q + 2 * e->a, arena_radius(e->a), &nearest_wall)
             : e->kind == TOUCH ? gap_between(q, e->a, e->b)
                                : target_gap(q, e->a, &nearest);
    return SAL_OK;
}

sal_status arena_when(const sal_system *self, const sal_context *ctx, int event, bool *active) {
    (void)self;
    *active = is_there(ctx, events[event].a);
    return SAL_OK;
}

sal_status arena_holds(const sal_system *self, const sal_context *ctx, int event, bool *holds) {
    (void)self;
    const int ship = events[event].a;
    const double *buttons = NULL;
    const sal_status status = sal_context_input(ctx, 0, &buttons);
    if (status == SAL_OK)
        *holds = buttons[BUTTONS * ship + BUTTONS_FIRE] > 0 && sal_context_get(ctx, SAL_XD)[READY + ship] > 0;
    return status;
}

/* ---- bounces ---- */

#define RESTITUTION 0.8
#define KICK 1.0        /* m/s: the least speed after a bounce, so that a ship that pushes does not come to rest */
#define STRONG_KICK 4.0 /* of bodies so tight between others that their bounces accumulate */

static double rebound(double towards, double kick) {
    return fmax(RESTITUTION * towards, kick);
}

static void end_shot(sal_context *next, int shot) {
    double *xd = sal_context_edit(next, SAL_XD), *v = sal_context_edit(next, SAL_V) + 2 * shot;
    xd[ACTIVE + shot - FIRST_SHOT] = 0;
    xd[EXPIRES + shot - FIRST_SHOT] = INFINITY;
    v[0] = v[1] = 0;
}

static void bounce_off_wall(sal_context *next, int body, double kick) {
    wall at;
    wall_gap(sal_context_get(next, SAL_Q) + 2 * body, arena_radius(body), &at);
    double *v = sal_context_edit(next, SAL_V) + 2 * body + (at >= BOTTOM);
    const double outwards = at == LEFT || at == BOTTOM ? -1 : 1;
    if (is_shot(body)) {
        double *left = sal_context_edit(next, SAL_XD) + BOUNCES + body - FIRST_SHOT;
        *left -= 1;
        if (*left < 0)
            end_shot(next, body);
        else
            *v = -outwards * fabs(*v);
    } else {
        *v = -outwards * rebound(outwards * *v, kick);
    }
}

static double mass_of(int body) {
    const double r = arena_radius(body);
    return is_shot(body) ? 0.05 : body < SHIPS ? 1 : 6 * r * r;
}

static void push_apart(sal_context *next, int a, int b, double kick) {
    const double *q = sal_context_get(next, SAL_Q);
    const double x = q[2 * b] - q[2 * a], y = q[2 * b + 1] - q[2 * a + 1], length = sqrt(x * x + y * y);
    const double normal[] = {x / length, y / length}, ma = mass_of(a), mb = mass_of(b);
    double *v = sal_context_edit(next, SAL_V);
    double towards = 0;
    for (int k = 0; k < 2; k++)
        towards += (v[2 * a + k] - v[2 * b + k]) * normal[k];
    const double impulse = (towards + rebound(towards, kick)) * ma * mb / (ma + mb);
    for (int k = 0; k < 2; k++) {
        v[2 * a + k] -= impulse / ma * normal[k];
        v[2 * b + k] += impulse / mb * normal[k];
    }
}

/* ---- shots ---- */

#define SHOT_SPEED 8.0 /* m/s */
#define SPREAD 0.06
#define HURT 0.5 /* s */

static void hit(sal_context *next, int shot) {
    int target;
    target_gap(sal_context_get(next, SAL_Q), shot, &target);
    push_apart(next, shot, target, KICK);
    end_shot(next, shot);
    if (target >= SHIPS)
        return;
    double *xd = sal_context_edit(next, SAL_XD);
    xd[SCORE + owner_of(shot)] += 1;
    xd[HURT_UNTIL + target] = sal_context_time(next) + HURT;
}

static int free_shot(const double *xd, int ship) {
    int i = ship * SHOTS_EACH;
    while (xd[ACTIVE + i] != 0 && i < (ship + 1) * SHOTS_EACH - 1)
        i++;
    return i;
}

/* The spread is drawn from the run's own random stream, which is saved and restored with the run. */
static void shoot(sal_context *next, int ship) {
    const double aside = SPREAD * (2 * sal_context_random(next) - 1);
    double *xd = sal_context_edit(next, SAL_XD), *q = sal_context_edit(next, SAL_Q), *v = sal_context_edit(next, SAL_V);
    const double *heading = sal_context_get(next, SAL_Z) + 2 * ship;
    const int i = free_shot(xd, ship), shot = FIRST_SHOT + i;
    const double ahead[] = {heading[0] - aside * heading[1], heading[1] + aside * heading[0]};
    for (int k = 0; k < 2; k++) {
        q[2 * shot + k] = q[2 * ship + k];
        v[2 * shot + k] = v[2 * ship + k] + SHOT_SPEED * ahead[k];
    }
    xd[ACTIVE + i] = xd[BOUNCES + i] = 1;
    xd[EXPIRES + i] = sal_context_time(next) + LIFETIME;
    xd[READY + ship] = 0;
    xd[RELOADED + ship] = sal_context_time(next) + RELOAD;
}

sal_outcome arena_update(const sal_system *self, const sal_context *ctx, const sal_event *event, sal_context *next,
                         sal_note *note) {
    (void)self, (void)ctx, (void)note;
    const arena_event *e = &events[event->index];
    const double kick = event->zeno ? STRONG_KICK : KICK;
    if (e->kind <= HIT && !is_there(next, e->a)) /* another event of this instant has ended the shot */
        return SAL_DID_NOTHING;
    switch (e->kind) {
    case WALL:
        bounce_off_wall(next, e->a, kick);
        break;
    case TOUCH:
        push_apart(next, e->a, e->b, kick);
        break;
    case HIT:
        hit(next, e->a);
        break;
    case SHOOT:
        shoot(next, e->a);
        break;
    case RELOADS:
        sal_context_edit(next, SAL_XD)[READY + e->a] = 1;
        break;
    case EXPIRY:
        end_shot(next, e->a);
        break;
    }
    return SAL_SUCCEEDED;
}
