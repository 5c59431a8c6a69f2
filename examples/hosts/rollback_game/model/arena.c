/* What the arena consists of, and how it flows between events. */
#include "arena_state.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double radius[] = {0.42, 0.42, 0.55, 0.45, 0.65, 0.5};

double arena_radius(int body) {
    return is_shot(body) ? 0.09 : radius[body];
}

/* ---- the flow ---- */

#define THRUST_FORCE 9.0 /* m/s^2 */
#define DRAG 0.8         /* 1/s, of ships */
#define TURN_RATE 3.5    /* rad/s */
#define CRUISE 1.6       /* m/s, of rocks */
#define DRIFT 0.2        /* s/m^2 */
#define WELL 12.0        /* m^3/s^2 */
#define WELL_SIZE 0.9    /* m: inside, the well is flat */

static void add_gravity(const double *place, double *dot) {
    const double x = place[0] - ARENA_WIDTH / 2, y = place[1] - ARENA_HEIGHT / 2;
    const double square = x * x + y * y + WELL_SIZE * WELL_SIZE;
    const double pull = WELL / (square * sqrt(square));
    dot[0] -= pull * x;
    dot[1] -= pull * y;
}

static void add_engine(const double *speed, const double *heading, const double *buttons, double *dot) {
    for (int k = 0; k < 2; k++)
        dot[k] += THRUST_FORCE * buttons[BUTTONS_THRUST] * heading[k] - DRAG * speed[k];
}

/* A rock drifts: its speed returns to CRUISE. The well is too weak for it. */
static void add_drift(const double *speed, double *dot) {
    const double change = DRIFT * (CRUISE * CRUISE - speed[0] * speed[0] - speed[1] * speed[1]);
    dot[0] += change * speed[0];
    dot[1] += change * speed[1];
}

static sal_status rates(const sal_system *self, const sal_context *ctx, const sal_rates *dot) {
    (void)self;
    const double *place = sal_context_get(ctx, SAL_Q), *speed = sal_context_get(ctx, SAL_V);
    const double *heading = sal_context_get(ctx, SAL_Z), *buttons = NULL;
    const sal_status status = sal_context_input(ctx, 0, &buttons);
    if (status != SAL_OK)
        return status;

    memcpy(dot->q, speed, 2 * BODIES * sizeof *speed);
    memset(dot->v, 0, 2 * BODIES * sizeof *speed);
    for (int body = 0; body < BODIES; body++)
        if (is_rock(body))
            add_drift(speed + 2 * body, dot->v + 2 * body);
        else if (is_there(ctx, body))
            add_gravity(place + 2 * body, dot->v + 2 * body);
    for (int ship = 0; ship < SHIPS; ship++) {
        const double *pressed = buttons + BUTTONS * ship, *ahead = heading + 2 * ship;
        add_engine(speed + 2 * ship, ahead, pressed, dot->v + 2 * ship);
        /* A direction turns as a vector: no sine, and its length remains 1. */
        dot->z[2 * ship] = -TURN_RATE * pressed[BUTTONS_TURN] * ahead[1];
        dot->z[2 * ship + 1] = TURN_RATE * pressed[BUTTONS_TURN] * ahead[0];
    }
    return SAL_OK;
}

/* ---- the declaration ---- */

static const sal_system_class arena_class = {.name = "arena",
                                             .derivatives = rates,
                                             .witness = arena_witness,
                                             .when = arena_when,
                                             .holds = arena_holds,
                                             .update = arena_update};

static const double first_places[2 * BODIES] = {2.5, 2.5, 13.5, 6.5, 8, 1.6, 8, 7.4, 4, 6.5, 12, 2.5};
static const double first_speeds[2 * BODIES] = {0, 0, 0, 0, 1.6, 0, -1.6, 0, 0.9, -1.3, -0.9, 1.3};
static const double first_headings[2 * SHIPS] = {1, 0, -1, 0};

static sal_status add_discrete(sal_system *arena) {
    double expires[SHOTS], reloaded[SHIPS], ready[SHIPS];
    for (int i = 0; i < SHOTS; i++)
        expires[i] = INFINITY;
    for (int i = 0; i < SHIPS; i++) {
        reloaded[i] = INFINITY;
        ready[i] = 1;
    }
    sal_status status = sal_system_add_values(arena, SAL_XD, "active", SHOTS, NULL);
    if (status == SAL_OK)
        status = sal_system_add_values(arena, SAL_XD, "bounces", SHOTS, NULL);
    if (status == SAL_OK)
        status = sal_system_add_values(arena, SAL_XD, "expires", SHOTS, expires);
    if (status == SAL_OK)
        status = sal_system_add_values(arena, SAL_XD, "reloaded", SHIPS, reloaded);
    if (status == SAL_OK)
        status = sal_system_add_values(arena, SAL_XD, "ready", SHIPS, ready);
    if (status == SAL_OK)
        status = sal_system_add_values(arena, SAL_XD, "score", SHIPS, NULL);
    if (status == SAL_OK)
        status = sal_system_add_values(arena, SAL_XD, "hurt_until", SHIPS, NULL);
    return status;
}

static sal_status add_values(sal_system *arena) {
    sal_status status = sal_system_add_values(arena, SAL_Q, "place", 2 * BODIES, first_places);
    if (status == SAL_OK)
        status = sal_system_add_values(arena, SAL_V, "speed", 2 * BODIES, first_speeds);
    if (status == SAL_OK)
        status = sal_system_add_values(arena, SAL_Z, "heading", 2 * SHIPS, first_headings);
    if (status == SAL_OK)
        status = sal_system_add_values(arena, SAL_INPUT, "buttons", BUTTONS * SHIPS, NULL);
    return status == SAL_OK ? add_discrete(arena) : status;
}

static sal_event_config config_of(const arena_event *event) {
    sal_event_config config = sal_event_config_default();
    config.kind = SAL_UNRESTRICTED;
    switch (event->kind) {
    case WALL:
    case TOUCH:
    case HIT:
        config.trigger = SAL_ON_WITNESS;
        config.direction = SAL_FALLING;
        config.guarded = is_shot(event->a);
        config.on_zeno = event->kind != HIT;
        break;
    case SHOOT:
        config.trigger = SAL_ON_CHANGE;
        config.finders = -1; /* only buttons and the reload change it */
        break;
    case RELOADS:
        config.trigger = SAL_ON_TIME;
        config.time_variable = RELOADED + event->a;
        break;
    case EXPIRY:
        config.trigger = SAL_ON_TIME;
        config.time_variable = EXPIRES + event->a - FIRST_SHOT;
        break;
    }
    return config;
}

/* "touch 0 3" is that of bodies 0 and 3. */
static sal_status add_event(sal_system *arena, const arena_event *event) {
    static const char *const word[] = {"wall", "touch", "hit", "shoot", "reload", "expiry"};
    sal_event_config config = config_of(event);
    char name[32];
    if (event->kind == TOUCH)
        snprintf(name, sizeof name, "%s %d %d", word[event->kind], event->a, event->b);
    else
        snprintf(name, sizeof name, "%s %d", word[event->kind], event->a);
    config.name = name;
    return sal_system_add_event(arena, &config, NULL);
}

sal_status arena_new(sal_system **out) {
    sal_system *arena = NULL;
    sal_status status = sal_system_new(NULL, &arena_class, "arena", NULL, &arena);
    if (status == SAL_OK)
        status = add_values(arena);
    for (int i = 0; status == SAL_OK && i < EVENTS; i++)
        status = add_event(arena, &arena_events()[i]);
    if (status == SAL_OK)
        *out = arena;
    else
        sal_system_free(arena);
    return status;
}

/* ---- from and to the host ---- */

void arena_press(sal_context *ctx, int ship, unsigned buttons) {
    double *pressed = sal_context_edit(ctx, SAL_INPUT) + BUTTONS * ship;
    pressed[BUTTONS_TURN] = ((buttons & TURN_LEFT) != 0) - ((buttons & TURN_RIGHT) != 0);
    pressed[BUTTONS_THRUST] = (buttons & THRUST) != 0;
    pressed[BUTTONS_FIRE] = (buttons & FIRE) != 0;
}

void arena_look(const sal_context *ctx, arena_view *view) {
    const double *xd = sal_context_get(ctx, SAL_XD), *buttons = sal_context_get(ctx, SAL_INPUT);
    view->time = sal_context_time(ctx);
    memcpy(view->place, sal_context_get(ctx, SAL_Q), sizeof view->place);
    memcpy(view->speed, sal_context_get(ctx, SAL_V), sizeof view->speed);
    memcpy(view->heading, sal_context_get(ctx, SAL_Z), sizeof view->heading);
    for (int body = 0; body < BODIES; body++)
        view->there[body] = is_there(ctx, body);
    for (int ship = 0; ship < SHIPS; ship++) {
        view->score[ship] = (int)xd[SCORE + ship];
        view->hurt[ship] = view->time < xd[HURT_UNTIL + ship];
        view->thrusts[ship] = buttons[BUTTONS * ship + BUTTONS_THRUST] > 0;
    }
}
