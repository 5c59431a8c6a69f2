/* Columns without a common row form a group (Curtis, Powell, Reid, On the estimation of sparse Jacobian matrices, J.
 * Inst. Maths Applics 13, 1974). The order is reverse Cuthill-McKee (George, Liu, Computer Solution of Large Sparse
 * Positive Definite Systems, 1981, chapter 4), or the given order if that is no wider. */
#include "sparsity_pattern.h"

#include <string.h>

static int *take(int **room, size_t count) {
    int *taken = *room;
    *room += count;
    return taken;
}

size_t sal__pattern_room(size_t n, size_t elements) {
    return 2 * elements + 2 * (n + 1) + (n + 1) + 4 * n;
}

void sal__pattern_lay_out(sal__pattern *p, int n, int capacity, int *room) {
    const size_t count = (size_t)n;
    *p = (sal__pattern){.n = n, .capacity = capacity};
    p->starts = take(&room, count + 1);
    p->row_starts = take(&room, count + 1);
    p->group_starts = take(&room, count + 1);
    p->members = take(&room, count);
    p->position = take(&room, count);
    p->mark = take(&room, count);
    p->queue = take(&room, count);
    p->rows = take(&room, (size_t)capacity);
    p->columns = take(&room, (size_t)capacity);
}

void sal__pattern_open(sal__pattern *p) {
    p->starts[0] = 0;
    if (p->n > 0)
        p->starts[1] = 0;
}

bool sal__pattern_add(sal__pattern *p, int column, int row) {
    int *end = &p->starts[column + 1];
    if (*end == p->capacity)
        return false;
    p->rows[(*end)++] = row;
    return true;
}

void sal__pattern_end_column(sal__pattern *p, int column) {
    if (column + 1 < p->n)
        p->starts[column + 2] = p->starts[column + 1];
}

/* Makes the lists by rows from those by columns. */
static void turn(sal__pattern *p) {
    const int n = p->n;
    memset(p->row_starts, 0, ((size_t)n + 1) * sizeof *p->row_starts);
    for (int k = 0; k < p->starts[n]; k++)
        p->row_starts[p->rows[k] + 1]++;
    for (int i = 0; i < n; i++) {
        p->row_starts[i + 1] += p->row_starts[i];
        p->queue[i] = p->row_starts[i];
    }
    for (int j = 0; j < n; j++)
        for (int k = p->starts[j]; k < p->starts[j + 1]; k++)
            p->columns[p->queue[p->rows[k]]++] = j;
}

/* ---- groups ---- */

static bool meets(const sal__pattern *p, int column, int group) {
    for (int k = p->starts[column]; k < p->starts[column + 1]; k++)
        if (p->mark[p->rows[k]] == group)
            return true;
    return false;
}

/* Collects the columns of `left`, in turn, that share no row with the ones before; the others remain. */
static int form_group(sal__pattern *p, int *left, int count, int *end) {
    int stay = 0;
    for (int c = 0; c < count; c++) {
        const int column = left[c];
        if (meets(p, column, p->group_count)) {
            left[stay++] = column;
            continue;
        }
        p->members[(*end)++] = column;
        for (int k = p->starts[column]; k < p->starts[column + 1]; k++)
            p->mark[p->rows[k]] = p->group_count;
    }
    return stay;
}

static void form_groups(sal__pattern *p) {
    int left = p->n, end = 0;
    for (int i = 0; i < p->n; i++) {
        p->queue[i] = i;
        p->mark[i] = -1;
    }
    p->group_count = 0;
    p->group_starts[0] = 0;
    while (left > 0) {
        left = form_group(p, p->queue, left, &end);
        p->group_starts[++p->group_count] = end;
    }
}

/* ---- the order of the band ---- */

static int degree(const sal__pattern *p, int i) {
    return p->starts[i + 1] - p->starts[i] + p->row_starts[i + 1] - p->row_starts[i];
}

static int join(sal__pattern *p, int i, int stamp, int count) {
    if (p->mark[i] == stamp)
        return count;
    p->mark[i] = stamp;
    p->queue[count] = i;
    return count + 1;
}

/* Neighbours of lower degree first. */
static void sort_by_degree(const sal__pattern *p, int *list, int count) {
    for (int i = 1; i < count; i++) {
        const int moved = list[i];
        int at = i;
        for (; at > 0 && degree(p, list[at - 1]) > degree(p, moved); at--)
            list[at] = list[at - 1];
        list[at] = moved;
    }
}

/* Breadth-first search from the root into queue[from] and on; returns the end of the queue. */
static int spread(sal__pattern *p, int root, int stamp, int from) {
    int count = join(p, root, stamp, from);
    for (int head = from; head < count; head++) {
        const int i = p->queue[head], first = count;
        for (int k = p->starts[i]; k < p->starts[i + 1]; k++)
            count = join(p, p->rows[k], stamp, count);
        for (int k = p->row_starts[i]; k < p->row_starts[i + 1]; k++)
            count = join(p, p->columns[k], stamp, count);
        sort_by_degree(p, p->queue + first, count - first);
    }
    return count;
}

/* Orders each connected part from a peripheral node: the last one reached from the last one reached from any node. */
static void find_order(sal__pattern *p) {
    int done = 0, stamp = 1;
    for (int i = 0; i < p->n; i++)
        p->mark[i] = p->position[i] = 0;
    for (int i = 0; i < p->n; i++) {
        if (p->position[i] != 0)
            continue;
        int end = spread(p, i, stamp++, done);
        end = spread(p, p->queue[end - 1], stamp++, done);
        end = spread(p, p->queue[end - 1], stamp++, done);
        for (; done < end; done++)
            p->position[p->queue[done]] = 1;
    }
    for (int k = 0; k < p->n; k++)
        p->position[p->queue[k]] = p->n - 1 - k;
}

static void measure_band(sal__pattern *p) {
    p->lower = p->upper = 0;
    for (int j = 0; j < p->n; j++)
        for (int k = p->starts[j]; k < p->starts[j + 1]; k++) {
            const int below = p->position[p->rows[k]] - p->position[j];
            if (below > p->lower)
                p->lower = below;
            if (-below > p->upper)
                p->upper = -below;
        }
}

static void keep_given_order(sal__pattern *p) {
    for (int i = 0; i < p->n; i++)
        p->position[i] = i;
    measure_band(p);
}

void sal__pattern_close(sal__pattern *p) {
    turn(p);
    form_groups(p);
    keep_given_order(p);
    const int lower = p->lower, upper = p->upper;
    find_order(p);
    measure_band(p);
    p->reordered = p->lower + p->upper < lower + upper;
    if (!p->reordered)
        keep_given_order(p);
}
