/* The delay buffer alone, three values with derivatives: ns for appending a point and
 * reading once, and for reading alone. Usage: delay POINTS. Prints `key value` lines. */
#include "clock.h"

#include <math.h>
#include <stdio.h>

#include "saltus/delay_buffer.h"

enum { WIDTH = 3 };

static void signal_at(double t, double *value, double *rate) {
    for (int i = 0; i < WIDTH; i++) {
        value[i] = t + i;
        rate[i] = 1;
    }
}

static sal_delay_buffer *filled(int points) {
    sal_delay_config config = sal_delay_config_default();
    config.width = WIDTH;
    config.delay = points;
    sal_delay_buffer *b = NULL;
    if (sal_delay_buffer_new(NULL, &config, &b) != SAL_OK)
        exit(1);
    double value[WIDTH], rate[WIDTH];
    for (int i = -points; i <= 0; i++) {
        signal_at(i, value, rate);
        sal_delay_buffer_append(b, i, value, rate);
    }
    return b;
}

static double best(double a, double b) {
    return b < a ? b : a;
}

int main(int count, char **argument) {
    const int points = count > 1 ? atoi(argument[1]) : 1000, laps = 7 * patience(), times = 200000;
    sal_delay_buffer *b = filled(points);
    sal_delay_reader reader = {0, false};
    double value[WIDTH], rate[WIDTH], out[WIDTH], t = 0, sum = 0, both = INFINITY, alone = INFINITY;
    for (int lap = 0; lap < laps; lap++) {
        double start = now();
        for (int i = 0; i < times; i++) {
            t += 1;
            signal_at(t, value, rate);
            sal_delay_buffer_append(b, t, value, rate);
            sal_delay_buffer_read(b, &reader, t - points + 0.5, NULL, out, NULL, NULL);
            sum += out[0];
        }
        both = best(both, now() - start);
        start = now();
        for (int i = 0; i < times; i++) {
            sal_delay_buffer_read(b, &reader, t - points + 0.3 * (i & 7), NULL, out, NULL, NULL);
            sum += out[1];
        }
        alone = best(alone, now() - start);
    }
    printf("append_read %g\nread %g\npoints %d\nsum %g\n", both / times * 1e9, alone / times * 1e9,
           sal_delay_buffer_points(b), sum);
    sal_delay_buffer_free(b);
    return 0;
}
