/* The model of the game: two ships, four rocks and eight shots in a walled field. A heavy well in the middle bends the
 * paths of ships and shots. Ships and rocks bounce off walls and off each other; a shot bounces off one wall and ends
 * at the second.
 *
 * The model computes with + - * / and sqrt alone, so that two peers have the same bits on any machine. */
#ifndef ARENA_H
#define ARENA_H

#include <saltus/saltus.h>

enum { SHIPS = 2, ROCKS = 4, SHOTS_EACH = 4, SHOTS = SHIPS * SHOTS_EACH };
enum { FIRST_ROCK = SHIPS, FIRST_SHOT = SHIPS + ROCKS, BODIES = FIRST_SHOT + SHOTS };
enum { FRAMES_PER_SECOND = 60 };

typedef enum { TURN_LEFT = 1, TURN_RIGHT = 2, THRUST = 4, FIRE = 8 } button;

#define ARENA_WIDTH 16.0 /* m */
#define ARENA_HEIGHT 9.0

/* Makes the system, which the caller owns. */
sal_status arena_new(sal_system **out);

/* Writes the buttons that a ship holds during the next frame. */
void arena_press(sal_context *ctx, int ship, unsigned buttons);

double arena_radius(int body);

/* What drawings and bots see. */
typedef struct arena_view {
    double time;
    double place[BODIES][2], speed[BODIES][2], heading[SHIPS][2];
    bool there[BODIES], hurt[SHIPS], thrusts[SHIPS];
    int score[SHIPS];
} arena_view;

void arena_look(const sal_context *ctx, arena_view *view);

#endif
