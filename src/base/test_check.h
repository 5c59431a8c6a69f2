/* A minimal test library: CHECK counts, `check_summary` prints the last line and returns the exit status. */
#ifndef SAL_TEST_CHECK_H
#define SAL_TEST_CHECK_H

#include <stdio.h>
#include <stdlib.h>

static int check_passed, check_failed;

#define CHECK(condition) \
    do { \
        if (condition) { \
            check_passed++; \
        } else { \
            check_failed++; \
            printf("%s:%d: not true: %s\n", __FILE__, __LINE__, #condition); \
        } \
    } while (0)

/* The same; prints the number if the check fails. */
#define CHECK_NEAR(value, wanted, tolerance) \
    do { \
        const double check_value = (value), check_wanted = (wanted); \
        const double check_off = check_value - check_wanted, check_room = (tolerance); \
        if (check_off <= check_room && -check_off <= check_room) { \
            check_passed++; \
        } else { \
            check_failed++; \
            printf("%s:%d: %s is %.17g, not %.17g within %g\n", __FILE__, __LINE__, #value, check_value, check_wanted, \
                   check_room); \
        } \
    } while (0)

/* How many of n cases a test tries: all, or one in SALTUS_CASES, where each takes that much longer. */
static inline int check_share(int n) {
    const char *given = getenv("SALTUS_CASES");
    const int share = given ? atoi(given) : 1;
    return share > 1 ? (n + share - 1) / share : n;
}

static int check_summary(void) {
    printf("%d passed, %d failed\n", check_passed, check_failed);
    return check_failed != 0;
}

#endif
