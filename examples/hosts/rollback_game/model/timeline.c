#include "timeline.h"

#include <stdlib.h>

enum { MOMENTS = FRAMES_BACK + 1 };

struct timeline {
    sal_system *arena;
    sal_simulator *sim;
    int frame;
    sal_simulator *past[MOMENTS]; /* the run before frame f at f % MOMENTS */
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
    for (int i = 0; status == SAL_OK && i < MOMENTS; i++)
        status = sal_simulator_new(NULL, game->arena, NULL, &config, &game->past[i]);
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
        sal_simulator_free(game->past[i]);
    sal_simulator_free(game->sim);
    sal_system_free(game->arena);
    free(game);
}

int timeline_frame(const timeline *game) {
    return game->frame;
}

sal_status timeline_play(timeline *game, const unsigned buttons[SHIPS]) {
    sal_status status = sal_simulator_copy(game->past[game->frame % MOMENTS], game->sim);
    if (status != SAL_OK)
        return status;
    for (int ship = 0; ship < SHIPS; ship++)
        arena_press(sal_simulator_context(game->sim), ship, buttons[ship]);
    status = sal_simulator_advance_to(game->sim, (game->frame + 1) / (double)FRAMES_PER_SECOND, &game->report);
    game->frame += status == SAL_OK;
    return status;
}

sal_status timeline_return_to(timeline *game, int frame) {
    const sal_status status = sal_simulator_copy(game->sim, game->past[frame % MOMENTS]);
    if (status == SAL_OK)
        game->frame = frame;
    return status;
}

uint64_t timeline_hash(const timeline *game, int frame) {
    return sal_simulator_hash(frame == game->frame ? game->sim : game->past[frame % MOMENTS]);
}

void timeline_look(const timeline *game, arena_view *view) {
    arena_look(sal_simulator_context(game->sim), view);
}

const char *timeline_trouble(const timeline *game) {
    return game->report.note.text;
}
