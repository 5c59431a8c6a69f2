/* A game server rewinds a moving target to what the shooter saw. A delay buffer records the target's past, and the
 * shooter's latency is the delay. A teleport is a jump in the buffer.
 *
 *   cc lag_compensation.c $(pkg-config --cflags --libs saltus) -lm && ./a.out */
#include <math.h>
#include <stdio.h>

#include "saltus/delay_buffer.h"

enum { X, Y, AXES };

/* The target runs in a circle of 10 m, one turn in 4 s. */
static void target_at(double t, double *place, double *speed) {
    const double turn = 1.5707963267948966 * t;
    place[X] = 10 * cos(turn);
    place[Y] = 10 * sin(turn);
    speed[X] = -1.5707963267948966 * place[Y];
    speed[Y] = 1.5707963267948966 * place[X];
}

static void shoot(const sal_delay_buffer *past, double t, double latency) {
    double seen[AXES], now[AXES], speed[AXES], truth[AXES];
    sal_past_source source = SAL_PAST_FIRST_VALUE;
    if (sal_delay_buffer_read(past, NULL, t - latency, NULL, seen, NULL, &source) != SAL_OK)
        return;
    if (source == SAL_PAST_FORGOTTEN) {
        printf("a shot of %.0f ms ago: too late, refused\n", 1000 * latency);
        return;
    }
    target_at(t, now, speed);
    target_at(t - latency, truth, speed);
    printf("a shot of %.0f ms ago: the target was %.2f m from where it is, rewound to within %.3f m\n", 1000 * latency,
           hypot(seen[X] - now[X], seen[Y] - now[Y]), hypot(seen[X] - truth[X], seen[Y] - truth[Y]));
}

int main(void) {
    sal_delay_config config = sal_delay_config_default();
    config.width = AXES;
    config.delay = 0.5; /* the largest latency */
    sal_delay_buffer *past = NULL;
    if (sal_delay_buffer_new(NULL, &config, &past) != SAL_OK)
        return 1;

    double place[AXES], speed[AXES], t = 0;
    for (int tick = 0; tick <= 40; tick++) { /* twenty ticks a second */
        t = tick / 20.;
        target_at(t, place, speed);
        sal_delay_buffer_append(past, t, place, speed);
    }
    shoot(past, t, 0.037);
    shoot(past, t, 0.214);
    shoot(past, t, 1.5);

    const double home[AXES] = {0, 0}, still[AXES] = {0, 0};
    sal_delay_buffer_append(past, t, home, still); /* a teleport: a second point at the same time */
    sal_delay_buffer_append(past, t + 0.05, home, still);
    sal_delay_buffer_read(past, NULL, t - 0.001, NULL, place, NULL, NULL);
    printf("a millisecond before the teleport: (%.2f, %.2f)\n", place[X], place[Y]);
    sal_delay_buffer_read(past, NULL, t, NULL, place, NULL, NULL);
    printf("at the teleport: (%.2f, %.2f); %d points are in the buffer\n", place[X], place[Y],
           sal_delay_buffer_points(past));
    sal_delay_buffer_free(past);
    return 0;
}
