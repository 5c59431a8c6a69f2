#include "window.h"

#include <SDL.h>
#include <stdio.h>

#include "drawing.h"
#include "match.h"

enum { SEED = 7, WIDTH = 1280, HEIGHT = 720 };

static unsigned pressed_keys(void) {
    static const struct {
        SDL_Scancode key;
        button button;
    } map[] = {{SDL_SCANCODE_LEFT, TURN_LEFT},
               {SDL_SCANCODE_RIGHT, TURN_RIGHT},
               {SDL_SCANCODE_UP, THRUST},
               {SDL_SCANCODE_SPACE, FIRE}};
    const Uint8 *down = SDL_GetKeyboardState(NULL);
    unsigned buttons = 0;
    for (size_t i = 0; i < sizeof map / sizeof map[0]; i++)
        if (down[map[i].key])
            buttons |= map[i].button;
    return buttons;
}

static bool is_closed(void) {
    bool closed = false;
    for (SDL_Event event; SDL_PollEvent(&event);)
        closed = closed || event.type == SDL_QUIT ||
                 (event.type == SDL_KEYDOWN && event.key.keysym.scancode == SDL_SCANCODE_ESCAPE);
    return closed;
}

/* Both peers play the frames that are due. The person is the first player. */
static sal_status catch_up(match *m, double now) {
    sal_status status = SAL_OK;
    while (status == SAL_OK && m->next[match_next(m)] <= now) {
        const int player = match_next(m);
        const timeline *game = m->peer[player].game;
        arena_view view;
        timeline_look(game, &view);
        status = match_visit(m, player == 0 ? pressed_keys() : bot_choose(&m->bot[1], timeline_frame(game), &view));
    }
    return status;
}

static sal_status play(match *m, SDL_Renderer *out, double seconds, int *drawn) {
    sal_status status = SAL_OK;
    const Uint64 start = SDL_GetTicks64();
    for (double now = 0; status == SAL_OK && now < seconds && !is_closed(); SDL_Delay(5)) {
        now = (double)(SDL_GetTicks64() - start) / 1000;
        status = catch_up(m, now);
        arena_view view;
        timeline_look(m->peer[0].game, &view);
        draw_arena(out, &view, WIDTH / ARENA_WIDTH);
        SDL_RenderPresent(out);
        ++*drawn;
    }
    return status;
}

static bool play_in(SDL_Renderer *out, double seconds) {
    match *m = SDL_calloc(1, sizeof *m);
    if (!m)
        return false;
    int drawn = 0;
    sal_status status = match_start(m, 1, SEED);
    if (status == SAL_OK)
        status = play(m, out, seconds, &drawn);
    if (status == SAL_OK)
        printf("%d frames, %d drawings, %d rollbacks, deepest %d\n", timeline_frame(m->peer[0].game), drawn,
               m->peer[0].count.rollbacks, m->peer[0].count.deepest);
    else
        fprintf(stderr, "%s\n", sal_status_text(status));
    match_end(m);
    SDL_free(m);
    return status == SAL_OK;
}

bool window_play(double seconds) {
    SDL_Window *window = NULL;
    SDL_Renderer *out = NULL;
    bool good = SDL_Init(SDL_INIT_VIDEO) == 0 && SDL_CreateWindowAndRenderer(WIDTH, HEIGHT, 0, &window, &out) == 0;
    if (good)
        good = play_in(out, seconds);
    else
        fprintf(stderr, "%s\n", SDL_GetError());
    if (out)
        SDL_DestroyRenderer(out);
    if (window)
        SDL_DestroyWindow(window);
    SDL_Quit();
    return good;
}
