/* The game in a window: the keyboard against a bot, over the bad network. */
#ifndef WINDOW_H
#define WINDOW_H

#include <stdbool.h>

/* Plays until the window is closed, or for `seconds`. Prints the counts; returns false for a failure. */
bool window_play(double seconds);

#endif
