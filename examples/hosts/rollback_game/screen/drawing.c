#include "drawing.h"

#include <SDL.h>
#include <math.h>

#define TURN 6.283185307179586 /* rad */

typedef struct brush {
    SDL_Renderer *out;
    float scale; /* pixels per metre */
} brush;

typedef struct point {
    double x, y;
} point;

static const SDL_Color ship_color[SHIPS] = {{90, 200, 250, 255}, {255, 160, 80, 255}};
static const SDL_Color rock_color = {92, 98, 120, 255}, rock_edge = {150, 158, 184, 255};
static const SDL_Color night = {13, 16, 28, 255}, rim = {58, 66, 96, 255}, white = {255, 255, 255, 255};

static SDL_Color fade(SDL_Color color, double share) {
    color.a = (Uint8)(255 * share);
    return color;
}

static SDL_Color lighter(SDL_Color color) {
    return (SDL_Color){(Uint8)(155 + color.r * 100 / 255), (Uint8)(155 + color.g * 100 / 255),
                       (Uint8)(155 + color.b * 100 / 255), 255};
}

/* ---- shapes; y points up in the arena, down on screens ---- */

static SDL_Vertex vertex(const brush *b, point p, SDL_Color color) {
    return (SDL_Vertex){{(float)p.x * b->scale, (float)(ARENA_HEIGHT - p.y) * b->scale}, color, {0, 0}};
}

static void fill_triangle(const brush *b, const point p[3], SDL_Color first, SDL_Color others) {
    const SDL_Vertex corners[] = {vertex(b, p[0], first), vertex(b, p[1], others), vertex(b, p[2], others)};
    SDL_RenderGeometry(b->out, NULL, corners, 3, NULL, 0);
}

static void fill_fan(const brush *b, point middle, const point *edge, int count, SDL_Color inside, SDL_Color outside) {
    for (int i = 0; i < count; i++)
        fill_triangle(b, (point[]){middle, edge[i], edge[(i + 1) % count]}, inside, outside);
}

enum { ROUND = 40 };

static void fill_disc(const brush *b, point middle, double radius, SDL_Color inside, SDL_Color outside) {
    point edge[ROUND];
    for (int i = 0; i < ROUND; i++)
        edge[i] = (point){middle.x + radius * cos(TURN * i / ROUND), middle.y + radius * sin(TURN * i / ROUND)};
    fill_fan(b, middle, edge, ROUND, inside, outside);
}

static void fill_box(const brush *b, double x, double y, double width, double height, SDL_Color color) {
    const SDL_FRect box = {(float)x * b->scale, (float)(ARENA_HEIGHT - y - height) * b->scale, (float)width * b->scale,
                           (float)height * b->scale};
    SDL_SetRenderDrawColor(b->out, color.r, color.g, color.b, color.a);
    SDL_RenderFillRectF(b->out, &box);
}

/* ---- what there is ---- */

static void draw_stars(const brush *b) {
    for (int i = 0; i < 90; i++) {
        const uint64_t where = sal_hash(&i, sizeof i, 5);
        const double x = (double)(where & 0xffff) / 65536 * ARENA_WIDTH;
        const double y = (double)(where >> 16 & 0xffff) / 65536 * ARENA_HEIGHT;
        const double size = 0.02 + (double)(where >> 32 & 3) / 100;
        fill_box(b, x, y, size, size, (SDL_Color){200, 210, 255, (Uint8)(50 + (where >> 40 & 63))});
    }
}

static void draw_well(const brush *b) {
    const point middle = {ARENA_WIDTH / 2, ARENA_HEIGHT / 2};
    const SDL_Color glow = {124, 92, 220, 255};
    fill_disc(b, middle, 2.6, fade(glow, 0.45), fade(glow, 0));
    fill_disc(b, middle, 0.9, fade(glow, 0.8), fade(glow, 0.1));
    fill_disc(b, middle, 0.28, (SDL_Color){6, 4, 14, 255}, (SDL_Color){40, 26, 84, 255});
}

static void draw_walls(const brush *b) {
    const double thin = 0.06;
    fill_box(b, 0, 0, ARENA_WIDTH, thin, rim);
    fill_box(b, 0, ARENA_HEIGHT - thin, ARENA_WIDTH, thin, rim);
    fill_box(b, 0, 0, thin, ARENA_HEIGHT, rim);
    fill_box(b, ARENA_WIDTH - thin, 0, thin, ARENA_HEIGHT, rim);
}

/* The outline is a little uneven, and turns with the path of the rock. */
static void draw_rock(const brush *b, const arena_view *view, int rock) {
    enum { CORNERS = 11 };
    const point middle = {view->place[rock][0], view->place[rock][1]};
    const double turned = 0.5 * (middle.x + middle.y);
    point edge[CORNERS], inner[CORNERS];
    for (int i = 0; i < CORNERS; i++) {
        const int key = 16 * rock + i;
        const double angle = turned + TURN * i / CORNERS;
        const double r = arena_radius(rock) * (0.9 + 0.13 * (double)(sal_hash(&key, sizeof key, 1) & 255) / 255);
        edge[i] = (point){middle.x + r * cos(angle), middle.y + r * sin(angle)};
        inner[i] = (point){middle.x + 0.9 * r * cos(angle), middle.y + 0.9 * r * sin(angle)};
    }
    fill_fan(b, middle, edge, CORNERS, rock_edge, rock_edge);
    fill_fan(b, (point){middle.x - 0.12, middle.y + 0.12}, inner, CORNERS, (SDL_Color){116, 124, 150, 255}, rock_color);
}

/* A point `ahead` and `aside` of a ship, in radii. */
static point at_ship(const arena_view *view, int ship, double ahead, double aside) {
    const double *h = view->heading[ship], r = arena_radius(ship);
    return (point){view->place[ship][0] + r * (ahead * h[0] - aside * h[1]),
                   view->place[ship][1] + r * (ahead * h[1] + aside * h[0])};
}

static void draw_ship(const brush *b, const arena_view *view, int ship) {
    const SDL_Color plain = ship_color[ship], color = view->hurt[ship] ? lighter(plain) : plain;
    const SDL_Color dark = {(Uint8)(color.r / 2), (Uint8)(color.g / 2), (Uint8)(color.b / 2), 255};
    const point nose = at_ship(view, ship, 1.2, 0), notch = at_ship(view, ship, -0.45, 0);
    const point left = at_ship(view, ship, -0.85, 0.8), right = at_ship(view, ship, -0.85, -0.8);
    fill_disc(b, at_ship(view, ship, 0, 0), 2.1 * arena_radius(ship), fade(color, view->hurt[ship] ? 0.5 : 0.16),
              fade(color, 0));
    if (view->thrusts[ship]) {
        const SDL_Color fire = {255, 214, 120, 240};
        const point flame = at_ship(view, ship, -1.9, 0);
        fill_triangle(b, (point[]){notch, at_ship(view, ship, -0.7, 0.35), flame}, fire, fade(fire, 0.25));
        fill_triangle(b, (point[]){notch, at_ship(view, ship, -0.7, -0.35), flame}, fire, fade(fire, 0.25));
    }
    fill_triangle(b, (point[]){nose, left, notch}, color, color);
    fill_triangle(b, (point[]){nose, right, notch}, dark, color);
}

static void draw_shot(const brush *b, const arena_view *view, int shot) {
    const SDL_Color color = ship_color[(shot - FIRST_SHOT) / SHOTS_EACH];
    const point here = {view->place[shot][0], view->place[shot][1]};
    const double *v = view->speed[shot], speed = hypot(v[0], v[1]) + 1e-9, wide = 0.07 / speed, trail = 0.13;
    const point tail = {here.x - trail * v[0], here.y - trail * v[1]};
    const point left = {here.x - wide * v[1], here.y + wide * v[0]},
                right = {here.x + wide * v[1], here.y - wide * v[0]};
    fill_triangle(b, (point[]){tail, left, right}, fade(color, 0), color);
    fill_disc(b, here, 0.24, fade(color, 0.5), fade(color, 0));
    fill_disc(b, here, arena_radius(shot), white, color);
}

/* ---- the score ---- */

/* Segments of a digit: top, upper left, upper right, middle, lower left, lower right, bottom. */
static const unsigned char segments[10] = {0x77, 0x24, 0x5d, 0x6d, 0x2e, 0x6b, 0x7b, 0x25, 0x7f, 0x6f};

static void draw_digit(const brush *b, int digit, double x, double y, SDL_Color color) {
    static const float box[7][4] = {{0, 1, 1, 0}, {0, .5f, 0, 1}, {1, .5f, 0, 1}, {0, .5f, 1, 0},
                                    {0, 0, 0, 1}, {1, 0, 0, 1},   {0, 0, 1, 0}};
    const double high = 0.56, wide = 0.26, thick = 0.07;
    for (int i = 0; i < 7; i++)
        if (segments[digit] >> i & 1)
            fill_box(b, x + wide * box[i][0], y + high * box[i][1], wide * box[i][2] + thick,
                     high / 2 * box[i][3] + thick, color);
}

static void draw_score(const brush *b, const arena_view *view, int ship) {
    const int shown = view->score[ship] % 1000;
    const int digits = shown >= 100 ? 3 : shown >= 10 ? 2 : 1;
    const double pitch = 0.48, y = ARENA_HEIGHT - 1.05;
    double x = ship == 0 ? 0.5 : ARENA_WIDTH - 0.35 - pitch * digits;
    for (int i = 0, unit = digits == 3 ? 100 : digits == 2 ? 10 : 1; i < digits; i++, unit /= 10, x += pitch)
        draw_digit(b, shown / unit % 10, x, y, ship_color[ship]);
}

void draw_arena(SDL_Renderer *out, const arena_view *view, double scale) {
    const brush b = {out, (float)scale};
    SDL_SetRenderDrawBlendMode(out, SDL_BLENDMODE_BLEND);
    SDL_SetRenderDrawColor(out, night.r, night.g, night.b, 255);
    SDL_RenderClear(out);
    draw_stars(&b);
    draw_well(&b);
    draw_walls(&b);
    for (int ship = 0; ship < SHIPS; ship++)
        draw_score(&b, view, ship);
    for (int body = FIRST_ROCK; body < FIRST_SHOT; body++)
        draw_rock(&b, view, body);
    for (int body = FIRST_SHOT; body < BODIES; body++)
        if (view->there[body])
            draw_shot(&b, view, body);
    for (int ship = 0; ship < SHIPS; ship++)
        draw_ship(&b, view, ship);
}

/* ---- a picture without a display ---- */

enum { WIDTH = 1280, HEIGHT = 720, FINER = 2 }; /* drawn twice as large: edges become smooth */

static bool draw_surface(const arena_view *view, SDL_Surface *large, SDL_Surface *picture) {
    SDL_Renderer *out = SDL_CreateSoftwareRenderer(large);
    if (!out)
        return false;
    draw_arena(out, view, FINER * WIDTH / ARENA_WIDTH);
    SDL_RenderPresent(out);
    SDL_DestroyRenderer(out);
    return SDL_SoftStretchLinear(large, NULL, picture, NULL) == 0;
}

bool draw_picture(const arena_view *view, const char *path) {
    SDL_Surface *large = SDL_CreateRGBSurfaceWithFormat(0, FINER * WIDTH, FINER * HEIGHT, 32, SDL_PIXELFORMAT_ARGB8888);
    SDL_Surface *picture = SDL_CreateRGBSurfaceWithFormat(0, WIDTH, HEIGHT, 32, SDL_PIXELFORMAT_ARGB8888);
    const bool drawn = large && picture && draw_surface(view, large, picture) && SDL_SaveBMP(picture, path) == 0;
    SDL_FreeSurface(large);
    SDL_FreeSurface(picture);
    return drawn;
}
