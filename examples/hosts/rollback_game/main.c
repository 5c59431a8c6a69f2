/* A game over a network, with rollback.
 *
 *   make && ./rollback_game play */
#include <SDL.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "screen/drawing.h"
#include "live.h"
#include "match.h"
#include "rollbacks.h"
#include "screen/window.h"

enum { SEED = 7 };

static void print_peer(const peer *p) {
    printf("player %d: %d rollbacks, deepest %d, %" PRId64 " frames played again, %d waits\n", p->player,
           p->count.rollbacks, p->count.deepest, p->count.replayed, p->count.waits);
}

static bool print_match(const match *m, int frames, uint64_t seed) {
    uint64_t replayed = 0;
    if (match_replay(m, seed, &replayed) != SAL_OK)
        return false;
    const uint64_t last = m->record[0].hash[frames - 1];
    const int difference = match_difference(m);
    printf("%d frames, %" PRIu64 " packets, %" PRId64 " lost\n", frames, m->net.sent, m->net.lost);
    for (int player = 0; player < SHIPS; player++)
        print_peer(&m->peer[player]);
    if (difference >= 0)
        printf("the peers differ at frame %d\n", difference);
    else
        printf("the peers have the same hash after each of %d frames\n", frames);
    printf("last        %016" PRIx64 "\nno network  %016" PRIx64 "\n", last, replayed);
    return difference < 0 && last == replayed && m->peer[0].differs_at < 0 && m->peer[1].differs_at < 0;
}

/* Plays a match of bots and hands it to `use`. */
static bool with_match(int frames, uint64_t seed, bool (*use)(const match *m, int frames, uint64_t seed)) {
    match *m = calloc(1, sizeof *m);
    if (!m)
        return false;
    sal_status status = match_start(m, frames, seed);
    if (status == SAL_OK)
        status = match_play(m, frames);
    if (status != SAL_OK)
        fprintf(stderr, "%s\n", sal_status_text(status));
    const bool good = status == SAL_OK && use(m, frames, seed);
    match_end(m);
    free(m);
    return good;
}

static const char *picture_path;

static bool draw_match(const match *m, int frames, uint64_t seed) {
    (void)frames, (void)seed;
    arena_view view;
    timeline_look(m->peer[0].game, &view);
    if (draw_picture(&view, picture_path))
        return true;
    fprintf(stderr, "%s: %s\n", picture_path, SDL_GetError());
    return false;
}

static int usage(void) {
    fputs("rollback_game play [SECONDS]           the arrow keys and space, against a bot\n"
          "rollback_game match [FRAMES [SEED]]    two bots on a virtual clock\n"
          "rollback_game udp [SECONDS]            two bots in two processes, over UDP, on the real clock\n"
          "rollback_game rollbacks [COUNT]        rollbacks of 8 frames against a straight run\n"
          "rollback_game picture FILE.bmp [FRAME] draw a match of bots without a display\n",
          stderr);
    return 2;
}

/* A positive number, or `otherwise` where it is missing. */
static double number(const char *word, double otherwise) {
    const double value = word ? strtod(word, NULL) : otherwise;
    if (value > 0 && value <= 1e7)
        return value;
    fprintf(stderr, "%s is not a positive number\n", word);
    exit(2);
}

int main(int argc, char **argv) {
    const char *command = argc > 1 ? argv[1] : "";
    char **word = argv + 2; /* ends with NULL */
    if (strcmp(command, "play") == 0)
        return !window_play(number(word[0], 1e7));
    if (strcmp(command, "match") == 0)
        return !with_match((int)number(word[0], 36000), (uint64_t)(argc > 3 ? number(word[1], SEED) : SEED),
                           print_match);
    if (strcmp(command, "rollbacks") == 0)
        return !rollbacks_test((int)number(word[0], 10000));
    if (strcmp(command, "udp") == 0)
        return !live_play(number(word[0], 20));
    if (strcmp(command, "picture") == 0 && argc >= 3) {
        picture_path = word[0];
        return !with_match((int)number(word[1], 1000), SEED, draw_match);
    }
    return usage();
}
