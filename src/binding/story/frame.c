/* Frames of a run with stories: the steps of engine/frame/frame.c, with the stories that they wake. */
#include "engine/simulator.h"
#include "story.h"

enum { AT_FRAME = L_AT_KERNEL + 1 };

typedef struct l_story_frame {
    sal_frame_config config;
    double dt;
    sal__frame_steps steps;
    sal_frame done;
    bool has_begun;
} l_story_frame;

/* What stories do to a run ends the frame, as what handlers do. */
static sal_status advance_step(lua_State *L, l_kernel *k, double t, int *ended, sal_report *report) {
    sal_status status = SAL_OK;
    *ended = l_run_stories_to(L, k, t, &status, report);
    if (*ended > 0)
        report->reason = SAL_AT_TERMINATION;
    return status;
}

/* body(kernel, frame) */
static int run_frame(lua_State *L) {
    l_kernel *k = l_check_kernel(L, L_AT_KERNEL);
    l_story_frame *frame = lua_touserdata(L, AT_FRAME);
    sal_simulator *sim = k->core->sim;
    sal_report report;
    sal_status status = sal__frame_begin(sim, frame->dt, &frame->config, &frame->steps, &report);
    frame->has_begun = status == SAL_OK;
    k->is_frame = true;
    int ended = 0;
    for (double t = 0; frame->has_begun && sal__frame_next(sim, &frame->steps, &t, &report);) {
        status = advance_step(L, k, t, &ended, &report);
        if (!sal__frame_add(sim, &frame->steps, status, &report))
            break;
    }
    return ended > 0 ? ended : l_push_story_report(L, status, &report);
}

/* fraction of a step left, seconds left, seconds dropped, and results as kernel:run = kernel:run_frame(dt, step,
 * max_steps, max_evaluations, max_seconds) */
int l_run_story_frame(lua_State *L) {
    l_kernel *k = l_check_kernel(L, L_AT_KERNEL);
    l_story_frame frame = {.config = sal_frame_config_default(), .dt = luaL_checknumber(L, 2)};
    frame.config.step = luaL_checknumber(L, 3);
    frame.config.max_steps = (int)luaL_checkinteger(L, 4);
    frame.config.max_evaluations = luaL_checkinteger(L, 5);
    frame.config.max_seconds = luaL_checknumber(L, 6);
    lua_settop(L, L_AT_KERNEL);
    lua_pushlightuserdata(L, &frame);
    const int failed = l_call_with_stories(L, k, run_frame);
    if (frame.has_begun)
        frame.done = sal__frame_end(k->core->sim, &frame.steps);
    if (failed)
        return lua_error(L);
    lua_pushnumber(L, frame.done.is_whole ? frame.done.alpha : 0);
    lua_pushnumber(L, frame.done.left);
    lua_pushnumber(L, frame.done.dropped);
    lua_rotate(L, 1, 3);
    return lua_gettop(L);
}
