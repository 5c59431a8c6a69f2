/* The kernel: alternates between the stories that are ready and one advance of the simulator. */
#include <math.h>

#include "engine/simulator.h"
#include "journal.h"

/* Positions on the stack of a run. */
enum { AT_KERNEL = L_AT_KERNEL, AT_STOP, AT_ONE_STEP, AT_SIMULATOR, AT_CLOSURES, AT_HANDLER, TOP = AT_HANDLER };

/* kernel = core.stories(simulator, host) */
int l_new_kernel(lua_State *L) {
    l_simulator *core = l_check_simulator(L, 1);
    luaL_checktype(L, 2, LUA_TTABLE);
    lua_settop(L, 2);
    l_kernel *k = l_new_object(L, &l_kernel_class, sizeof *k, UV_KERNEL_COUNT);
    k->class = &l_kernel_class;
    l_hold(L, 1, UV_KERNEL_SIMULATOR);
    l_hold(L, 2, UV_KERNEL_HOST);
    lua_newtable(L);
    lua_setiuservalue(L, 3, UV_KERNEL_STORIES);
    lua_newtable(L);
    lua_setiuservalue(L, 3, UV_KERNEL_WAITING);
    lua_createtable(L, 0, 2); /* of its stories */
    lua_getfield(L, 2, "index");
    lua_setfield(L, -2, "__index");
    l_set_string(L, "__name", L_STORY);
    lua_pushvalue(L, 3);
    lua_setfield(L, -2, "__kernel");
    lua_newtable(L);
    lua_setiuservalue(L, 3, UV_KERNEL_MET);
    lua_setiuservalue(L, 3, UV_KERNEL_META);
    k->core = core;
    k->now = sal_context_time(sal_simulator_context(core->sim));
    k->draws.seed = core->sim->contexts.current->seed;
    sal__host_set_stories(core->sim, true);
    if (sal__observe_events(core->sim, l_hear, k, &k->observer) != SAL_OK)
        return luaL_error(L, "too many observers");
    k->is_observing = true;
    return 1;
}

/* kernel:close(), and for the collector */
static int l_close(lua_State *L) {
    l_kernel *k = l_check_kernel(L, 1);
    if (k->is_observing && k->core->sim)
        sal_simulator_unobserve(k->core->sim, k->observer);
    k->is_observing = false;
    l_timers_free(k);
    l_ready_free(k);
    l_journal_free(k);
    k->timers = (l_timers){0};
    k->ready = (l_ready_queue){0};
    k->awaited = k->heard = (l_event_list){0};
    return 0;
}

/* ---- a run ---- */

static void see_time(lua_State *L, l_kernel *k) {
    const double now = k->core->sim->contexts.current->time;
    if (now == k->now)
        return;
    k->instant++;
    k->now = now;
    l_note_time(L, k, now);
}

/* As l_enter and l_leave, whose values are on the stack for the whole run. */
static l_frame enter(lua_State *L, l_kernel *k) {
    const l_frame outer = k->core->frame;
    k->core->frame = (l_frame){L, AT_SIMULATOR, AT_CLOSURES, AT_HANDLER, l_begin_run(k->core->runs, k->core->sim)};
    k->core->lua_call_count++;
    l_look_for_hook(k->core);
    return outer;
}

/* With a deadline now, only the updates of this instant: what they do is still in time. */
static bool stop_after_updates(l_kernel *k) {
    const bool stops = l_deadline_is_due(k) && !k->has_more_events;
    k->has_more_events = false;
    if (stops)
        l_halt(k);
    return stops;
}

static sal_status advance_engine(const l_kernel *k, double t, sal_report *report) {
    sal_simulator *sim = k->core->sim;
    if (k->is_one_step)
        return sal_simulator_step(sim, t, report);
    if (k->is_frame && sal_simulator_is_initialized(sim)) /* interrupts end it between its steps */
        return sal__advance_to(sim, t, false, report);
    return sal_simulator_advance_to(sim, t, report);
}

static sal_status advance(lua_State *L, l_kernel *k, double t, sal_report *report) {
    sal_simulator *sim = k->core->sim;
    const bool stops = stop_after_updates(k);
    const l_frame outer = enter(L, k);
    const sal_status status = advance_engine(k, t, report);
    l_leave(k->core, outer);
    lua_settop(L, TOP);
    see_time(L, k);
    if (stops && status == SAL_OK && report->reason == SAL_AT_HALT) {
        k->has_more_events = sal_simulator_next_time(sim) <= k->now;
        k->is_late = !k->has_more_events;
    }
    return status;
}

/* Initializes without a step: an advance that is interrupted before its first one. Feeds go on, as in any advance. */
static sal_status initialize(lua_State *L, l_kernel *k, sal_report *report) {
    if (sal_simulator_is_initialized(k->core->sim))
        return SAL_OK;
    sal_simulator_interrupt(k->core->sim);
    const sal_status status = advance(L, k, sal_context_time(sal_simulator_context(k->core->sim)), report);
    report->reason = status == SAL_OK && report->reason == SAL_AT_INTERRUPT ? SAL_AT_BOUNDARY : report->reason;
    return status;
}

static int most_resumes(const l_kernel *k) {
    return sal_simulator_config_of(k->core->sim)->max_events_per_instant;
}

/* Pushes why the stories end the run: "endless" and the story; "failed", the story, the error object and its traceback.
 * 0 values: they do not. */
static int resume_ready(lua_State *L, l_kernel *k) {
    for (l_story *story; k->ready.count > 0 && !k->is_stopping && (story = l_ready_first(L, k, AT_KERNEL));) {
        if (story->instant == k->instant && story->resume_count >= most_resumes(k)) {
            lua_pushliteral(L, "endless");
            l_push_anchored(L, AT_KERNEL, story);
            return 2;
        }
        l_ready_take(k);
        if (!l_resume_story(L, k, AT_KERNEL, story)) {
            l_note(L, k, L_NOTE_FAILED);
            lua_pushliteral(L, "failed");
            l_push_anchored(L, AT_KERNEL, story);
            lua_rotate(L, -4, 2);
            l_drop_reference(L, AT_KERNEL, story);
            return 4;
        }
        l_drop_reference(L, AT_KERNEL, story);
    }
    return 0;
}

static void wake_due(lua_State *L, l_kernel *k) {
    if (l_timer_wake_due(L, k, AT_KERNEL, false))
        l_note(L, k, L_NOTE_DUE);
}

/* False: a watch of the host fired too. */
static bool wake_watching(lua_State *L, l_kernel *k) {
    const int64_t *handle = NULL;
    const int count = sal_simulator_fired_watches(k->core->sim, &handle);
    bool all = true;
    for (int i = 0; i < count; i++) {
        l_note_numbers(L, k, L_NOTE_WATCH, 1, (uint64_t)handle[i], 0);
        all = l_wake_watch(L, k, AT_KERNEL, handle[i]) > 0 && all;
    }
    return all;
}

/* Whether the host, an observer or a handler asked for a halt that the advance did not leave to the next one. */
static bool was_halted_by_others(const l_kernel *k) {
    const sal__run_state *run_state = &k->core->sim->run_state;
    return !run_state->is_halted && run_state->halt_count > k->expected_halts;
}

/* What an advance found: first the timers that are due, then what was heard and seen, then deadlines that were missed.
 * False if it ends the run. */
static bool wake(lua_State *L, l_kernel *k, sal_status status, sal_report *report) {
    wake_due(L, k);
    l_wake_heard(L, k, AT_KERNEL);
    const bool is_ours = report->reason != SAL_AT_WATCH || wake_watching(L, k);
    if (k->is_late && l_timer_wake_due(L, k, AT_KERNEL, true))
        l_note(L, k, L_NOTE_LATE);
    k->is_late = false;
    if (report->reason == SAL_AT_WATCH && is_ours && was_halted_by_others(k))
        report->reason = SAL_AT_HALT; /* of the two, this is the host's */
    const sal_reason reason = report->reason;
    return status == SAL_OK && is_ours &&
           (reason == SAL_AT_BOUNDARY || reason == SAL_AT_WATCH || (reason == SAL_AT_HALT && !was_halted_by_others(k)));
}

/* Those that are due, and those that they wake, until none is ready. */
static int tell(lua_State *L, l_kernel *k) {
    for (;; wake_due(L, k)) {
        const int ended = resume_ready(L, k);
        if (ended > 0)
            return ended;
        if (k->is_stopping) {
            lua_pushliteral(L, "stopped");
            return 1;
        }
        if (l_timer_next(L, k, AT_KERNEL) > k->now || l_deadline_is_due(k))
            return 0;
    }
}

/* Logs see what stories wrote. */
static sal_status observe_writes(lua_State *L, l_kernel *k, sal_report *report) {
    if (!sal__run_has_unobserved_writes(k->core->sim))
        return SAL_OK;
    const int top = lua_gettop(L);
    const l_frame outer = enter(L, k);
    const sal_status status = sal__run_observe_writes(k->core->sim);
    l_leave(k->core, outer);
    lua_settop(L, top);
    if (status != SAL_OK)
        report->reason = SAL_AT_FAILURE;
    return status;
}

/* Is this the end of the call? A single step may end at a watch of a story, which ends no call of the host. */
static bool is_complete(sal_report *report, bool at_stop, bool one_step, bool time_passed) {
    if (report->reason == SAL_AT_BOUNDARY)
        return at_stop || one_step;
    if (report->reason != SAL_AT_WATCH || !one_step || !time_passed)
        return false;
    report->reason = SAL_AT_BOUNDARY;
    return true;
}

/* A halt that is due as a call begins is of others. */
static void begin_halts(l_kernel *k) {
    const sal__run_state *run_state = &k->core->sim->run_state;
    k->expected_halts = run_state->halt_count - (run_state->is_halted ? 1 : 0);
}

/* Most instants of stories are nothing else. */
static inline bool pass_time(lua_State *L, l_kernel *k, double t) {
    if (k->is_one_step || l_must_stop(k->core->runs) || !sal__pass_time(k->core->sim, t, NULL))
        return false;
    see_time(L, k);
    return true;
}

bool l_pass_wait(lua_State *L, l_kernel *k, double t, int index) {
    l_story *story = k->current;
    if (k->is_stopping || k->is_traced || k->journal.is_retelling || story->timer_count > 0 || !(t < k->stop) ||
        sal__run_has_unobserved_writes(k->core->sim))
        return false;
    l_note_room(L, k);
    if (!pass_time(L, k, t))
        return false;
    l_note(L, k, L_NOTE_DUE);
    story->index = index;
    story->waker = 0;
    l_begin_turn(L, k, story);
    return true;
}

int l_run_stories_to(lua_State *L, l_kernel *k, double stop, sal_status *status, sal_report *report) {
    *report = (sal_report){.reason = SAL_AT_BOUNDARY};
    k->stop = stop;
    begin_halts(k);
    see_time(L, k);
    *status = initialize(L, k, report);
    wake(L, k, *status, report);
    if (*status != SAL_OK || report->reason != SAL_AT_BOUNDARY)
        return 0;
    for (bool is_there = false; *status == SAL_OK;) {
        const int ended = tell(L, k);
        *status = observe_writes(L, k, report);
        if (ended > 0)
            return ended;
        if (is_there || *status != SAL_OK)
            break;
        const double from = k->now, due = l_timer_next(L, k, AT_KERNEL), next = due < stop ? due : stop;
        if (next < stop && pass_time(L, k, next)) {
            wake_due(L, k);
            continue;
        }
        *status = advance(L, k, next, report);
        if (!wake(L, k, *status, report))
            break;
        is_there = is_complete(report, next >= stop, k->is_one_step, k->now > from);
    }
    return 0;
}

int l_push_story_report(lua_State *L, sal_status status, const sal_report *report) {
    lua_pushliteral(L, "engine");
    return 1 + l_push_report(L, status, report);
}

static int run(lua_State *L) {
    l_kernel *k = l_check_kernel(L, AT_KERNEL);
    sal_status status = SAL_OK;
    sal_report report;
    k->is_one_step = lua_toboolean(L, AT_ONE_STEP);
    const int ended = l_run_stories_to(L, k, lua_tonumber(L, AT_STOP), &status, &report);
    return ended > 0 ? ended : l_push_story_report(L, status, &report);
}

int l_call_stories(lua_State *L, l_kernel *k, int args) {
    l_kernel *outer = l_begin_stories(k->core->runs, k);
    k->is_hooked = l_must_stop(k->core->runs);
    const int failed = lua_pcall(L, args, LUA_MULTRET, 0);
    l_end_stories(k->core->runs, outer);
    return failed;
}

int l_call_with_stories(lua_State *L, l_kernel *k, lua_CFunction body) {
    if (k->is_running)
        return l_fail_at_user(L, L_AT_KERNEL, "a story cannot advance the run; it waits");
    luaL_checkstack(L, 450, "callbacks");
    lua_settop(L, AT_ONE_STEP);
    lua_getiuservalue(L, AT_KERNEL, UV_KERNEL_SIMULATOR);
    lua_getiuservalue(L, AT_SIMULATOR, UV_CLOSURES);
    lua_getiuservalue(L, AT_SIMULATOR, UV_HANDLER);
    lua_pushcfunction(L, body);
    lua_insert(L, 1);
    k->is_running = true;
    k->is_stopping = k->is_one_step = k->is_frame = false;
    const int failed = l_call_stories(L, k, TOP);
    k->is_running = false;
    k->current = NULL;
    return failed;
}

/* kernel:run(t, one_step): "engine" and results as core:advance_to, "stopped", or as resume_ready */
static int l_run_stories(lua_State *L) {
    l_kernel *k = l_check_kernel(L, AT_KERNEL);
    luaL_checknumber(L, AT_STOP);
    return l_call_with_stories(L, k, run) ? lua_error(L) : lua_gettop(L);
}

static const luaL_Reg methods[] = {
    {"run", l_run_stories}, {"run_frame", l_run_story_frame}, {"close", l_close}, {NULL, NULL}};

static const luaL_Reg meta[] = {{"__gc", l_close}, {NULL, NULL}};

const l_class l_kernel_class = {
    L_KERNEL, meta, {methods, l_kernel_access_methods, l_journal_methods, l_retell_methods}};
