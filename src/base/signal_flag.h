/* A flag that threads and signal handlers may raise while another thread reads it. */
#ifndef SAL_SIGNAL_FLAG_H
#define SAL_SIGNAL_FLAG_H

#include <stdbool.h>

#if defined(__STDC_NO_ATOMICS__) || defined(__TINYC__)
/* One that is raised twice at once is raised; one that is raised while it is lowered may be lost. */
#include <signal.h>

typedef volatile sig_atomic_t sal__signal_flag;

static inline void sal__raise(sal__signal_flag *flag) {
    *flag = 1;
}
static inline bool sal__is_raised(const sal__signal_flag *flag) {
    return *flag != 0;
}
static inline bool sal__lower(sal__signal_flag *flag) { /* returns whether it was raised */
    if (!*flag)
        return false;
    *flag = 0;
    return true;
}
#else
#include <stdatomic.h>

typedef atomic_bool sal__signal_flag;
/* Atomics with locks cannot be used in a signal handler. */
_Static_assert(ATOMIC_BOOL_LOCK_FREE == 2, "sal_simulator_interrupt needs lock-free flags");

static inline void sal__raise(sal__signal_flag *flag) {
    atomic_store(flag, true);
}
static inline bool sal__is_raised(const sal__signal_flag *flag) {
    return atomic_load_explicit(flag, memory_order_relaxed);
}
static inline bool sal__lower(sal__signal_flag *flag) {
    return sal__is_raised(flag) && atomic_exchange(flag, false);
}
#endif

#endif
