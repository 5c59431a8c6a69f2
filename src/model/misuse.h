/* What functions of a model do that they may not: for a report in words. Part of model.h. */
#ifndef SAL_MISUSE_H
#define SAL_MISUSE_H

#include "saltus/context.h"

/* The last read that failed. */
typedef enum { SAL__READ_INPUT, SAL__READ_OUTPUT, SAL__READ_PAST } sal__read_kind;
typedef struct sal__failed_read {
    sal_status status; /* SAL_OK: none */
    sal__read_kind kind;
    int part, index; /* who read, and which port or past */
    double at, time; /* of a past: the time that was asked for; the time of the read */
} sal__failed_read;

/* What failed since sal__forget_failures: the last read, and the first output. */
typedef struct sal__failures {
    sal__failed_read read;
    int part, port; /* of the output; -1: none */
    sal_status status;
} sal__failures;

/* What may be written to a context while functions of the model run. Other writes go to memory that nobody reads, and
 * are noted. */
enum { SAL__TIME = SAL_PARTITIONS, SAL__SEED, SAL__DRAWS, SAL__SLOTS }; /* after the partitions */
typedef struct sal__write_guard {
    int part;         /* whose numbers; -1: nobody's */
    unsigned allowed; /* a bit for each partition, SAL__DRAWS and SAL__SLOTS */
    double *refuge;   /* as many numbers as any part has in a partition */
    bool is_broken;   /* a write was refused: the first one was of this part, to */
    int broken_part, broken_at;
} sal__write_guard;

#endif
