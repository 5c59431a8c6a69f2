/* Warnings about witnesses that do not fire where a reader of the model may expect it. */
#include <math.h>

#include "crossing.h"

/* Only flow crosses: what an update has moved to the other side fires nothing, which a warning says. An update that
 * moves it to zero, give or take rounding, is no such case. A part whose next_time is called after updates can see to
 * it itself, as blocks do. */
void sal__warn_about_jump(sal_simulator *sim, const sal__witness *w, double was) {
    const double rounding = 0x1p-40;
    const sal_event_config *events = w->info.system->events.item;
    if (!sal_witness_should_trigger(w->info.direction, was, w->w0) || fabs(w->w0) <= rounding * fabs(was))
        return;
    for (int i = 0; i < w->info.system->events.count; i++)
        if (events[i].trigger == SAL_ON_TIME && events[i].time_variable < 0)
            return;
    sal__warn_of_event(
        sim, w->info.event, "jump",
        "has a witness that an update has moved to the other side of zero, which fires nothing: only flow crosses; "
        "`becomes` fires where something turns true, by flow or by an update");
}

/* Leaving zero is no crossing. For a ball that is thrown up from the floor that is right; a relay that starts on the
 * wrong branch would stay there for ever. A ball that lies on the floor leaves it without a slope: then the end of the
 * step shows where it goes. */
void sal__warn_about_start(sal_simulator *sim, const sal__witness *w) {
    const double going = w->s0 != 0 ? w->s0 : w->w1;
    const bool leaves = w->info.direction == SAL_CROSSING ? fabs(going) > 0 && w->info.kind == SAL_DISCRETE
                                                          : (w->info.direction == SAL_RISING ? going : -going) > 0;
    if (leaves && w->info.kind > SAL_PUBLISH)
        sal__warn_of_event(sim, w->info.event, "start",
                           "has a witness that is exactly 0 at the start of the run; leaving 0 is no crossing, so its "
                           "handler is not called; start beside 0, or use `becomes` with at_start");
}
