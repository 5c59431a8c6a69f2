/* Nonzero elements of a Jacobian, and what follows from them: groups of columns that share one difference, and an
 * order of the unknowns in which the matrix is a narrow band. The owner supplies all memory. */
#ifndef SAL_SPARSITY_PATTERN_H
#define SAL_SPARSITY_PATTERN_H

#include <stdbool.h>
#include <stddef.h>

typedef struct sal__pattern {
    int n;
    int capacity;                /* capacity, in elements */
    int *starts, *rows;          /* column j holds the rows rows[starts[j]] to rows[starts[j + 1] - 1] */
    int *row_starts, *columns;   /* the same by rows */
    int *members, *group_starts; /* group g is the columns members[group_starts[g]] and on */
    int group_count;
    int *position;    /* position of unknown i in the order of the band */
    bool reordered;   /* it is not the given one */
    int lower, upper; /* half-bandwidths in that order */
    int *mark, *queue;
} sal__pattern;

/* Number of ints for a pattern of n unknowns and that many elements; and a pattern laid out in them. */
size_t sal__pattern_room(size_t n, size_t elements);
void sal__pattern_lay_out(sal__pattern *p, int n, int capacity, int *room);

/* Build a pattern: open, then each column in turn with its rows, each once; false if there is no more room. */
void sal__pattern_open(sal__pattern *p);
bool sal__pattern_add(sal__pattern *p, int column, int row);
void sal__pattern_end_column(sal__pattern *p, int column);
/* After all columns: finds the groups and the order. */
void sal__pattern_close(sal__pattern *p);

#endif
