/* A player without hands: it looks at its own screen some eight times a second, turns towards where the other ship will
 * be, and shoots when that is ahead. */
#ifndef BOT_H
#define BOT_H

#include "model/arena.h"

typedef struct bot {
    uint64_t seed;
    int ship, decides_at, turns_until; /* frames */
    unsigned buttons;
} bot;

/* Returns the buttons that it holds in this frame. */
unsigned bot_choose(bot *b, int frame, const arena_view *view);

#endif
