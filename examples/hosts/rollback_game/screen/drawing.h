/* Draws the arena with SDL. The same picture goes to a window or, without any display, to a file. */
#ifndef DRAWING_H
#define DRAWING_H

#include "model/arena.h"

typedef struct SDL_Renderer SDL_Renderer;

/* Draws a frame of `scale` pixels per metre. */
void draw_arena(SDL_Renderer *out, const arena_view *view, double scale);

/* Draws into memory and writes a BMP file of 1280 x 720 pixels; false, and SDL_GetError(), where that fails. */
bool draw_picture(const arena_view *view, const char *path);

#endif
