/* The game on the real clock. */
#ifndef LIVE_H
#define LIVE_H

#include <stdbool.h>

/* Two processes, each with a bot, play for `seconds` over UDP. The packets that arrive pass through the bad network
 * first. Both print the counts; returns false for a failure of either. */
bool live_play(double seconds);

#endif
