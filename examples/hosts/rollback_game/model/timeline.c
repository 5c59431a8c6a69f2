#include "timeline.h"

#include <stdlib.h>
#include <string.h>

/* The state before a frame. */
typedef struct moment {
    void *bytes;
    size_t size, room;
    uint64_t hash;
} moment;

enum { MOMENTS = FRAMES_BACK + 1 };

struct timeline {
    sal_system *arena;
    sal_simulator *sim;
    int frame;
    moment past[MOMENTS]; /* that before frame f at f % MOMENTS */
    sal_report report;
};

/* A frame is one step: players see 1/60 s, and hashes need the same steps at both peers. */
static sal_simulator_config config_with(uint64_t seed) {
    sal_simulator_config config = sal_simulator_config_default();
    config.seed = seed;
    config.integrator.method = sal_method_find("tsitouras5");
    config.integrator.fixed_step = true;
    config.integrator.max_step = 1.01 / FRAMES_PER_SECOND;
    return config;
}

static sal_status start(timeline *game, uint64_t seed) {
    const sal_simulator_config config = config_with(seed);
    sal_status status = arena_new(&game->arena);
    if (status == SAL_OK)
        status = sal_simulator_new(NULL, game->arena, NULL, &config, &game->sim);
    if (status == SAL_OK)
        status = sal_simulator_initialize(game->sim, false, &game->report);
    return status;
}

sal_status timeline_new(uint64_t seed, timeline **out) {
    timeline *game = calloc(1, sizeof *game);
    if (!game)
        return SAL_ENOMEM;
    const sal_status status = start(game, seed);
    if (status == SAL_OK)
        *out = game;
    else
        timeline_free(game);
    return status;
}

void timeline_free(timeline *game) {
    if (!game)
        return;
    for (int i = 0; i < MOMENTS; i++)
        free(game->past[i].bytes);
    sal_simulator_free(game->sim);
    sal_system_free(game->arena);
    free(game);
}

int timeline_frame(const timeline *game) {
    return game->frame;
}

static sal_status keep(timeline *game) {
    moment *now = &game->past[game->frame % MOMENTS];
    now->size = sal_simulator_save_size(game->sim);
    if (now->size > now->room) {
        void *bytes = realloc(now->bytes, now->size);
        if (!bytes)
            return SAL_ENOMEM;
        now->bytes = bytes;
        now->room = now->size;
    }
    now->hash = sal_simulator_hash(game->sim);
    return sal_simulator_save(game->sim, now->bytes, now->size);
}

sal_status timeline_play(timeline *game, const unsigned buttons[SHIPS]) {
    sal_status status = keep(game);
    if (status != SAL_OK)
        return status;
    for (int ship = 0; ship < SHIPS; ship++)
        arena_press(sal_simulator_context(game->sim), ship, buttons[ship]);
    status = sal_simulator_advance_to(game->sim, (game->frame + 1) / (double)FRAMES_PER_SECOND, &game->report);
    game->frame += status == SAL_OK;
    return status;
}

sal_status timeline_return_to(timeline *game, int frame) {
    const moment *then = &game->past[frame % MOMENTS];
    const sal_status status = sal_simulator_load(game->sim, then->bytes, then->size);
    if (status == SAL_OK)
        game->frame = frame;
    return status;
}

uint64_t timeline_hash(const timeline *game, int frame) {
    return frame == game->frame ? sal_simulator_hash(game->sim) : game->past[frame % MOMENTS].hash;
}

void timeline_look(const timeline *game, arena_view *view) {
    arena_look(sal_simulator_context(game->sim), view);
}

const char *timeline_trouble(const timeline *game) {
    return game->report.note.text;
}
