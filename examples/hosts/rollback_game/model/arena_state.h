/* The numbers of the arena and its events, for the files of the model. */
#ifndef ARENA_STATE_H
#define ARENA_STATE_H

#include "arena.h"

/* Elements of the discrete state. */
enum {
    ACTIVE, /* of each shot */
    BOUNCES = ACTIVE + SHOTS,
    EXPIRES = BOUNCES + SHOTS,  /* s; INFINITY: no shot */
    RELOADED = EXPIRES + SHOTS, /* s, of each ship */
    READY = RELOADED + SHIPS,
    SCORE = READY + SHIPS,
    HURT_UNTIL = SCORE + SHIPS /* s */
};

enum { BUTTONS_TURN, BUTTONS_THRUST, BUTTONS_FIRE, BUTTONS }; /* numbers of each ship in the input */

#define RELOAD 0.4   /* s */
#define LIFETIME 1.5 /* s, of a shot: at most SHOTS_EACH reloads */

typedef enum { WALL, TOUCH, HIT, SHOOT, RELOADS, EXPIRY } event_kind;

/* What an event is about: body `a`, in a touch also body `b`. */
typedef struct arena_event {
    event_kind kind;
    int a, b;
} arena_event;

enum { TOUCHES = (SHIPS + ROCKS) * (SHIPS + ROCKS - 1) / 2, EVENTS = BODIES + TOUCHES + SHOTS + 2 * SHIPS + SHOTS };

/* Events in order of declaration. */
const arena_event *arena_events(void);

static inline bool is_shot(int body) {
    return body >= FIRST_SHOT;
}

static inline bool is_rock(int body) {
    return body >= FIRST_ROCK && body < FIRST_SHOT;
}

static inline int owner_of(int body) {
    return (body - FIRST_SHOT) / SHOTS_EACH;
}

/* Whether a body takes part in the game now. */
static inline bool is_there(const sal_context *ctx, int body) {
    return !is_shot(body) || sal_context_get(ctx, SAL_XD)[ACTIVE + body - FIRST_SHOT] != 0;
}

/* The functions of the class that concern events: collisions.c. */
sal_status arena_witness(const sal_system *self, const sal_context *ctx, int event, double *value);
sal_status arena_when(const sal_system *self, const sal_context *ctx, int event, bool *active);
sal_status arena_holds(const sal_system *self, const sal_context *ctx, int event, bool *holds);
sal_outcome arena_update(const sal_system *self, const sal_context *ctx, const sal_event *event, sal_context *next,
                         sal_note *note);

#endif
