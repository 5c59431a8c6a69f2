/* A frame of a group: all members go to one time, then messages are delivered and links are carried. */
#include "group_impl.h"

#include <math.h>

/* What came of the frame so far. */
typedef struct frame {
    double t;
    sal_group_report *report;
    sal_status status; /* of `report->first` */
    bool first_failed;
} frame;

/* The report names the first in the order of members; those that failed come before others. */
static void note_behind(sal_group *group, frame *f, sal_status status, const sal_report *run) {
    const sal_member member = group->self;
    const bool failed = status != SAL_OK;
    sal__group_slot *slot = sal__group_find(group, member);
    f->report->behind += !slot->is_behind;
    slot->is_behind = true;
    if (f->report->first != 0 && (f->first_failed > failed || (f->first_failed == failed && f->report->first < member)))
        return;
    f->report->first = member;
    f->report->run = *run;
    f->status = status;
    f->first_failed = failed;
}

static void advance_member(sal_group *group, int slot, frame *f) {
    sal_report run;
    sal__group_let_run(group, sal__member_at(group, slot));
    group->slots.item[slot].is_behind = false;
    const sal_status status = sal_simulator_advance_to(group->slots.item[slot].sim, f->t, &run);
    if (status != SAL_OK)
        sal__group_withdraw(group);
    if (status != SAL_OK || run.reason != SAL_AT_BOUNDARY)
        note_behind(group, f, status, &run);
    group->self = 0;
}

/* A member that is behind gets its messages when it has arrived. If an update fails while a message is delivered, all
 * are undone and it is delivered again: its event must not run without it. */
static bool deliver(void *user, sal_group *group, const sal_message *m) {
    frame *f = user;
    const sal__group_slot *to = sal__group_find(group, m->to);
    sal_report run;
    int64_t handle = 0;
    if (!to)
        return true;
    if (to->sim->contexts.current->time < f->t)
        return false;
    sal__group_let_run(group, m->to);
    sal_status status = sal_simulator_schedule(to->sim, m->part, m->event, f->t, &handle);
    if (status == SAL_OK)
        status = sal_simulator_advance_pending_events(to->sim, &run);
    else
        sal__report_clear(&run, f->t, f->t);
    if (status != SAL_OK)
        sal__group_withdraw(group);
    if (status != SAL_OK || (run.reason != SAL_AT_BOUNDARY && run.reason != SAL_AT_INTERRUPT))
        note_behind(group, f, status, &run);
    group->self = 0;
    return !sal__schedule_take_back(to->sim, handle);
}

/* A member that failed before is reported rather than an output. */
static void carry_links(sal_group *group, frame *f) {
    const sal__group_link *failed = NULL;
    const sal_status status = sal__group_carry_links(group, &failed);
    if (status == SAL_OK || f->first_failed)
        return;
    sal_report *run = &f->report->run;
    f->status = status;
    f->report->first = failed->from;
    sal__report_clear(run, f->t, f->t);
    run->reason = SAL_AT_FAILURE;
    run->status = status;
    run->part = failed->from_part;
    sal_note why = {.text = ""};
    sal__explain_read(sal__group_find(group, failed->from)->sim, status, "the output", &why);
    sal__write_pieces(run->note.text, sizeof run->note.text, SAL__PIECES("a link has no value: ", why.text));
}

sal_status sal_group_advance_to(sal_group *group, double t, sal_group_report *report) {
    sal_group_report mine;
    report = report ? report : &mine;
    report->behind = 0;
    report->first = 0;
    sal__report_clear(&report->run, group->time, t);
    if (sal__group_check_idle(group) != SAL_OK)
        return sal__report_refusal(group->blank, &report->run, SAL_ESTATE,
                                   "called by a member; call it after the frame has ended");
    if (!isfinite(t) || t < group->time)
        return sal__report_refusal(group->blank, &report->run, SAL_ETIME,
                                   "the time to advance to is in the past or not finite");
    frame f = {.t = t, .report = report};
    for (int i = 0; i < group->slots.count; i++)
        if (group->slots.item[i].is_used)
            advance_member(group, i, &f);
    group->time = t;
    sal__group_deliver(group, deliver, &f);
    if (group->links.list.count > 0)
        carry_links(group, &f);
    return f.status;
}
