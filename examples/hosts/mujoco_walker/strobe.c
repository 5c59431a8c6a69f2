#include "strobe.h"

#include <math.h>
#include <stdio.h>

#define INTERVAL 0.15 /* s */

void strobe_add(strobe *s, const plant *p) {
    if (plant_time(p) < s->next)
        return;
    s->next += INTERVAL;
    figure *f = &s->figure[s->count++ % FIGURES];
    plant_points(p, f->leg, f->top);
}

/* z points up in the world, down on screens. */
static void write_line(FILE *out, const double (*point)[2], int count, const char *color, double width) {
    fprintf(out, "<polyline stroke='%s' stroke-width='%.3f' points='", color, width);
    for (int i = 0; i < count; i++)
        fprintf(out, "%s%.4f,%.4f", i ? " " : "", point[i][0], -point[i][1]);
    fputs("'/>\n", out);
}

static void write_figure(FILE *out, const figure *f, double opacity) {
    const double trunk[2][2] = {{f->leg[0][0][0], f->leg[0][0][1]}, {f->top[0], f->top[1]}};
    fprintf(out, "<g opacity='%.2f'>\n", opacity);
    write_line(out, f->leg[1], PLANT_LEG, "#e58a3c", 0.035);
    write_line(out, trunk, 2, "#3d4663", 0.06);
    write_line(out, f->leg[0], PLANT_LEG, "#2f8fd0", 0.035);
    fprintf(out, "<circle cx='%.4f' cy='%.4f' r='0.075' fill='#3d4663'/>\n</g>\n", f->top[0], -f->top[1] - 0.1);
}

/* Older figures are paler. */
static double opacity_of(int i, int first, int count) {
    return 0.3 + 0.7 * (i - first + 1) / (count - first);
}

static void write_picture(const strobe *s, FILE *out) {
    const int first = s->count > FIGURES ? s->count - FIGURES : 0;
    const double left = s->figure[first % FIGURES].leg[0][0][0] - 0.7;
    const double width = fmax(s->figure[(s->count - 1) % FIGURES].leg[0][0][0] + 0.9 - left, 2);
    fprintf(out, "<svg xmlns='http://www.w3.org/2000/svg' viewBox='%.3f -1.75 %.3f 1.95' width='%.0f' height='%.0f'>\n",
            left, width, 250 * width, 250 * 1.95);
    fprintf(out, "<rect x='%.3f' y='-1.75' width='%.3f' height='1.95' fill='#f7f7f4'/>\n", left, width);
    fprintf(out, "<rect x='%.3f' y='0' width='%.3f' height='0.2' fill='#d9dad2'/>\n", left, width);
    fputs("<g fill='none' stroke-linecap='round' stroke-linejoin='round'>\n", out);
    for (int i = first; i < s->count; i++)
        write_figure(out, &s->figure[i % FIGURES], opacity_of(i, first, s->count));
    fputs("</g>\n", out);
    for (int metre = (int)ceil(left + 0.1); metre < left + width - 0.1; metre++)
        fprintf(out,
                "<text x='%d' y='0.13' font-family='sans-serif' font-size='0.1' text-anchor='middle' "
                "fill='#55584f'>%d m</text>\n",
                metre, metre);
    fputs("</svg>\n", out);
}

bool strobe_write(const strobe *s, const char *path) {
    FILE *out = s->count > 0 ? fopen(path, "w") : NULL;
    if (!out) {
        perror(path);
        return false;
    }
    write_picture(s, out);
    const bool written = !ferror(out);
    return fclose(out) == 0 && written;
}
