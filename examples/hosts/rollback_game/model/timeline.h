/* The game by frames, with the states of the last frames, to which it can return. */
#ifndef TIMELINE_H
#define TIMELINE_H

#include "arena.h"

enum { FRAMES_BACK = 8 };

typedef struct timeline timeline;

/* Makes a game that stands before frame 0; the caller owns it. All memory is allocated here. */
sal_status timeline_new(uint64_t seed, timeline **out);
void timeline_free(timeline *game);

/* The frame that is played next. */
int timeline_frame(const timeline *game);
/* Plays a frame with the buttons of both ships. */
sal_status timeline_play(timeline *game, const unsigned buttons[SHIPS]);
/* Goes back to before `frame`, at most FRAMES_BACK frames. */
sal_status timeline_return_to(timeline *game, int frame);
/* The hash of the state before `frame`: the present one, or one of the last FRAMES_BACK. */
uint64_t timeline_hash(const timeline *game, int frame);
void timeline_look(const timeline *game, arena_view *view);
/* What the last failure was about. */
const char *timeline_trouble(const timeline *game);

#endif
