/* The name that a wrong one probably means. lua/saltus/util/suggest.lua finds those of scripts. */
#include "near_name.h"

#include <string.h>

enum { LONGEST = 40 }; /* longer names are not compared */

static char lower(char c) {
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static int least(int a, int b) {
    return a < b ? a : b;
}

/* Optimal string alignment distance: insertions, deletions, substitutions and swaps of neighbours. */
static int distance(const char *a, int m, const char *b, int n) {
    int row[LONGEST + 1][LONGEST + 1];
    for (int i = 0; i <= m; i++)
        for (int j = 0; j <= n; j++) {
            if (i == 0 || j == 0) {
                row[i][j] = i + j;
                continue;
            }
            const char p = lower(a[i - 1]), q = lower(b[j - 1]);
            row[i][j] = least(least(row[i - 1][j], row[i][j - 1]) + 1, row[i - 1][j - 1] + (p != q));
            if (i > 1 && j > 1 && p == lower(b[j - 2]) && lower(a[i - 2]) == q)
                row[i][j] = least(row[i][j], row[i - 2][j - 2] + 1);
        }
    return row[m][n];
}

const char *sal__near_name(const char *name, const char *(*candidate)(const void *user, int i), const void *user) {
    const char *best = NULL, *other = NULL;
    const size_t m = strlen(name);
    int best_distance = 3;
    for (int i = 0; m <= LONGEST && (other = candidate(user, i)) != NULL; i++) {
        const size_t n = strlen(other);
        if (n > LONGEST)
            continue;
        const int d = distance(name, (int)m, other, (int)n), shorter = (int)(m < n ? m : n);
        if (d < best_distance && d <= (shorter <= 4 ? 1 : 2) && d < (int)m) {
            best = other;
            best_distance = d;
        }
    }
    return best;
}
