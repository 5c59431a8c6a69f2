/* Reads the history: finds the interval and interpolates in it. */
#include <math.h>
#include <string.h>

#include "delay_buffer_impl.h"
#include "numerics/powers.h"

static double time_of(const sal_delay_buffer *b, int64_t k) {
    return *sal__delay_row(b, k);
}

/* Whether the interval that begins at point k begins too late for s. */
static bool begins_after(const sal_delay_buffer *b, int64_t k, double s, bool before) {
    const double t = time_of(b, k);
    return before ? t >= s : t > s;
}

/* Returns the last point that begins at or before s, or the first point: tries the reader's position first, then
 * bisects. */
static int64_t find(const sal_delay_buffer *b, int64_t at, double s, bool before) {
    if (at >= b->first && at + 1 < b->next && !begins_after(b, at, s, before) && begins_after(b, at + 1, s, before))
        return at;
    int64_t low = b->first, high = b->next;
    SAL__BISECT(int64_t, low, high, !begins_after(b, middle, s, before))
    return low;
}

/* One end of an interval. */
typedef struct end {
    double t;
    const double *value, *rate; /* rate NULL: not known */
} end;

static end end_at(const sal_delay_buffer *b, int64_t k) {
    double *row = sal__delay_row(b, k);
    const double *rate = sal__delay_rate(b, row);
    return (end){*row, row + SAL__DELAY_VALUE, isnan(*rate) ? NULL : rate};
}

static void hold(int n, const double *from, double *value, double *rate) {
    for (int i = 0; value && i < n; i++)
        value[i] = from[i];
    for (int i = 0; rate && i < n; i++)
        rate[i] = 0;
}

static void line(int n, const end *a, const end *z, double s, double *value, double *rate) {
    const double length = z->t - a->t, share = (s - a->t) / length;
    for (int i = 0; value && i < n; i++)
        value[i] = a->value[i] + share * (z->value[i] - a->value[i]);
    for (int i = 0; rate && i < n; i++)
        rate[i] = (z->value[i] - a->value[i]) / length;
}

static void hermite(int n, const end *a, const end *z, double s, double *value, double *rate) {
    const double h = z->t - a->t, u = (s - a->t) / h;
    for (int i = 0; i < n; i++) {
        const double rise = z->value[i] - a->value[i], from = h * a->rate[i], to = h * z->rate[i];
        const double c2 = 3 * rise - 2 * from - to, c3 = from + to - 2 * rise;
        if (value)
            value[i] = a->value[i] + u * (from + u * (c2 + u * c3));
        if (rate)
            rate[i] = (from + u * (2 * c2 + 3 * u * c3)) / h;
    }
}

/* Lagrange's cubic through points k - 1 to k + 2, and its derivative: weight j is
 * the product of (s - t_m) / (t_j - t_m) over m other than j. */
static void through_four(const sal_delay_buffer *b, int64_t k, double s, double *value, double *rate) {
    const int n = b->config.width;
    double t[4], weight[4], slope[4];
    const double *v[4];
    for (int j = 0; j < 4; j++) {
        const double *row = sal__delay_row(b, k - 1 + j);
        t[j] = row[0];
        v[j] = row + SAL__DELAY_VALUE;
    }
    for (int j = 0; j < 4; j++) {
        double above = 1, below = 1, sum = 0;
        for (int m = 0; m < 4; m++) {
            if (m == j)
                continue;
            sum = sum * (s - t[m]) + above;
            above *= s - t[m];
            below *= t[j] - t[m];
        }
        weight[j] = above / below;
        slope[j] = sum / below;
    }
    for (int i = 0; value && i < n; i++)
        value[i] = weight[0] * v[0][i] + weight[1] * v[1][i] + weight[2] * v[2][i] + weight[3] * v[3][i];
    for (int i = 0; rate && i < n; i++)
        rate[i] = slope[0] * v[0][i] + slope[1] * v[1][i] + slope[2] * v[2][i] + slope[3] * v[3][i];
}

/* Whether there are two points on either side of the interval, and the signal has not jumped. */
static bool has_four(const sal_delay_buffer *b, int64_t k) {
    return k > b->first && k + 2 < b->next && !b->has_jumped;
}

/* Whether the interval has its own curve. */
static bool is_piece(const sal_delay_buffer *b, int64_t k) {
    return b->config.degree && sal__delay_piece_in_row(b, sal__delay_row(b, k))[1] > 0;
}

void sal__delay_piece(const sal_delay_buffer *b, const double *piece, double s, int at, int count, double *value,
                      double *rate) {
    const int n = b->config.width, degree = b->config.degree;
    const double length = piece[1], theta = (s - piece[0]) / length;
    const double *x0 = piece + 2 + at, *c = x0 + n;
    for (int i = 0; value && i < count; i++)
        value[i] = x0[i] + sal__powers_value(c + i, n, degree, theta);
    for (int i = 0; rate && i < count; i++)
        rate[i] = sal__powers_slope(c + i, n, degree, theta) / length;
}

/* Computes the interval from point k to the next at s, inside or beyond it. */
static void interval(const sal_delay_buffer *b, int64_t k, double s, double *value, double *rate) {
    const int n = b->config.width;
    if (is_piece(b, k)) {
        sal__delay_piece(b, sal__delay_piece_in_row(b, sal__delay_row(b, k)), s, 0, n, value, rate);
        return;
    }
    const end a = end_at(b, k), z = end_at(b, k + 1);
    if (!b->config.linear_only && a.rate && z.rate)
        hermite(n, &a, &z, s, value, rate);
    else if (!b->config.linear_only && has_four(b, k))
        through_four(b, k, s, value, rate);
    else
        line(n, &a, &z, s, value, rate);
}

/* Reads beyond the newest point, up to the current point if it can be used. */
static bool close_with(const sal_delay_buffer *b, const sal_delay_current *current, double s, double *value,
                       double *rate) {
    const end a = end_at(b, b->next - 1), z = {current->t, current->value, current->rate};
    const bool curved = !b->config.linear_only && a.rate && z.rate;
    if (!(z.t > a.t) || s > z.t || !(curved || b->config.can_use_current))
        return false;
    if (curved)
        hermite(b->config.width, &a, &z, s, value, rate);
    else
        line(b->config.width, &a, &z, s, value, rate);
    return true;
}

/* Extrapolates the last interval; a single point, or one after a jump, by its own rate. */
static void extend(const sal_delay_buffer *b, double s, double *value, double *rate) {
    const int64_t last = b->next - 1;
    const int n = b->config.width;
    const end z = end_at(b, last);
    if (last > b->first && time_of(b, last - 1) < z.t) {
        interval(b, last - 1, s, value, rate);
        return;
    }
    hold(n, z.value, value, rate);
    for (int i = 0; value && z.rate && !b->config.linear_only && i < n; i++)
        value[i] += (s - z.t) * z.rate[i];
    for (int i = 0; rate && z.rate && !b->config.linear_only && i < n; i++)
        rate[i] = z.rate[i];
}

/* Reads point k. If its rate is unknown, or may differ on its two sides, the rate is that of the interval that
 * begins at `begin`. */
static void point(const sal_delay_buffer *b, int64_t k, int64_t begin, double s, double *value, double *rate) {
    const end at = end_at(b, k);
    if (value)
        memcpy(value, at.value, (size_t)b->config.width * sizeof(double));
    if (!rate)
        return;
    if (at.rate && !b->config.linear_only && !is_piece(b, begin))
        memcpy(rate, at.rate, (size_t)b->config.width * sizeof(double));
    else if (begin + 1 < b->next)
        interval(b, begin, s, NULL, rate);
    else
        hold(b->config.width, at.value, NULL, rate);
}

static sal_past_source beyond(const sal_delay_buffer *b, double s, const sal_delay_current *current, double *value,
                              double *rate) {
    const int64_t last = b->next - 1;
    if (s == time_of(b, last)) {
        const bool alone = last == b->first || time_of(b, last - 1) == s;
        point(b, last, alone ? last : last - 1, s, value, rate);
        return SAL_PAST_INTERPOLATED;
    }
    if (current && close_with(b, current, s, value, rate))
        return SAL_PAST_CURRENT;
    extend(b, s, value, rate);
    return SAL_PAST_EXTENDED;
}

static sal_past_source read(const sal_delay_buffer *b, sal_delay_reader *reader, double s,
                            const sal_delay_current *current, double *value, double *rate) {
    const double oldest = time_of(b, b->first);
    if (s < oldest || (s == oldest && reader->before)) {
        hold(b->config.width, end_at(b, b->first).value, value, rate);
        return b->has_dropped_points ? SAL_PAST_FORGOTTEN : SAL_PAST_FIRST_VALUE;
    }
    const int64_t k = find(b, reader->at, s, reader->before);
    reader->at = k;
    if (k + 1 == b->next)
        return beyond(b, s, current, value, rate);
    const double t = time_of(b, k);
    if (s == t || s == time_of(b, k + 1))
        point(b, s == t ? k : k + 1, k, s, value, rate);
    else
        interval(b, k, s, value, rate);
    return s == oldest && !b->has_dropped_points ? SAL_PAST_FIRST_VALUE : SAL_PAST_INTERPOLATED;
}

/* Fast path for most reads: inside the interval of the last read, or the next one, both ends with derivatives.
 * Without it a read takes three times as long. */
static inline bool read_on(const sal_delay_buffer *b, sal_delay_reader *reader, double s, double *value) {
    int64_t k = reader->at;
    if (b->config.linear_only || b->config.degree || k < b->first || k + 2 >= b->next)
        return false;
    const double *a = sal__delay_row(b, k), *z = sal__delay_row(b, k + 1);
    if (s > z[0]) {
        a = z;
        z = sal__delay_row(b, ++k + 1);
    }
    const int n = b->config.width;
    if (!(a[0] < s && s < z[0]) || isnan(a[1 + n]) || isnan(z[1 + n]))
        return false;
    reader->at = k;
    const double h = z[0] - a[0], u = (s - a[0]) / h;
    for (int i = 1; i <= n; i++) {
        const double rise = z[i] - a[i], from = h * a[n + i], to = h * z[n + i];
        value[i - 1] = a[i] + u * (from + u * ((3 * rise - 2 * from - to) + u * (from + to - 2 * rise)));
    }
    return true;
}

sal_status sal_delay_buffer_read(const sal_delay_buffer *b, sal_delay_reader *reader, double s,
                                 const sal_delay_current *current, double *value, double *rate,
                                 sal_past_source *source) {
    if (b->next == b->first)
        return SAL_ESTATE;
    if (reader && value && !rate && read_on(b, reader, s, value)) {
        if (source)
            *source = SAL_PAST_INTERPOLATED;
        return SAL_OK;
    }
    sal_delay_reader nobody = {b->next, false};
    const sal_past_source from = read(b, reader ? reader : &nobody, s, current, value, rate);
    if (source)
        *source = from;
    return SAL_OK;
}

/* Returns the piece, between discontinuities, whose slope is extended to s. A short piece is unusable far away,
 * because its rounding error grows with the cube of the distance. */
static int64_t piece_to_extend(const sal_delay_buffer *b, int64_t k, double s, double after, double until) {
    enum { FAR = 30, MOST = 32 };
    const bool later = s > time_of(b, k);
    for (int i = 0; i < MOST && k + 1 < b->next; i++) {
        const double from = time_of(b, k), to = time_of(b, k + 1), way = later ? s - to : from - s;
        const int64_t next = later ? k - 1 : k + 1;
        const bool ends = later ? k == b->first || from <= after : k + 2 >= b->next || to >= until;
        if (way <= FAR * (to - from) || ends || !is_piece(b, next))
            break;
        k = next;
    }
    return k;
}

void sal__delay_read_branch(const sal_delay_buffer *b, sal_delay_reader *reader, double s, double after, double until,
                            int at, int count, double *value, double *rate) {
    const double inside = s < after ? after : s > until ? until : s;
    int64_t k = find(b, reader->at, inside, inside >= until);
    reader->at = k;
    if (k + 1 == b->next && k > b->first && s != time_of(b, k))
        k--; /* beyond the newest point, extend its last piece */
    if (is_piece(b, k)) {
        k = rate ? piece_to_extend(b, k, s, after, until) : k;
        sal__delay_piece(b, sal__delay_piece_in_row(b, sal__delay_row(b, k)), s, at, count, value, rate);
        return;
    }
    double *row = sal__delay_row(b, k);
    const double *known = sal__delay_rate(b, row) + at;
    if (value)
        memcpy(value, row + SAL__DELAY_VALUE + at, (size_t)count * sizeof(double));
    for (int i = 0; rate && i < count; i++)
        rate[i] = isnan(known[i]) ? 0 : known[i];
}

/* Newton's forward differences, expanded into powers of theta. */
void sal__delay_fit(int degree, int stride, const double *v, double *c) {
    double d[SAL__DELAY_DEGREES + 1], p[SAL__DELAY_DEGREES + 1] = {0};
    for (int j = 0; j <= degree; j++)
        d[j] = v[j * stride];
    for (int k = 1; k <= degree; k++)
        for (int j = degree; j >= k; j--)
            d[j] = (d[j] - d[j - 1]) / k;
    for (int k = degree; k >= 0; k--) { /* p = d[k] + (u - k) p, u = theta degree */
        for (int j = degree; j > 0; j--)
            p[j] = p[j - 1] - k * p[j];
        p[0] = d[k] - k * p[0];
    }
    double scale = 1;
    for (int j = 1; j <= degree; j++) {
        scale *= degree;
        c[(j - 1) * stride] = p[j] * scale;
    }
}
