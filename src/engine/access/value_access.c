/* One number of a run by its path, and a clone of the run. */
#include <math.h>

#include "base/near_name.h"
#include "model/path.h"
#include "numerics/integrator/integrator_snapshot.h"
#include "engine/simulator.h"

/* ---- values by path ---- */

static sal_status find(sal_simulator *sim, const char *path, sal__path_end *end) {
    sal_note why = {.text = ""};
    if (sal__check_usable(sim) != SAL_OK)
        return sal__refuse_state(sim);
    const sal_status status = sal__find_path(sim->system, path, end, &why);
    return status == SAL_OK ? status : SAL__REFUSE_CALL(sim, status, why.text);
}

static sal_context *part_of(const sal_simulator *sim, const sal__path_end *end) {
    return &sim->contexts.current->part_context[end->part];
}

static const sal__input_slot *input_of(const sal_simulator *sim, const sal__path_end *end) {
    const sal__part *part = &sim->plan->part[end->part];
    return &sim->plan->input_slot[part->input_at + sal_system_find_input(part->system, end->value->name)];
}

static bool is_connected(const sal_simulator *sim, const sal__path_end *end) {
    return end->value->partition == SAL_INPUT && input_of(sim, end)->source >= 0;
}

/* Computes an output, or the input that is connected to one. */
static sal_status compute(sal_simulator *sim, const sal__path_end *end, double *value) {
    const double *numbers = NULL;
    const sal_context *part = part_of(sim, end);
    sal_status status = sal__begin_reading(sim);
    if (status == SAL_OK)
        status =
            sal__end_reading(sim, end->value ? sal__input(part, (int)(input_of(sim, end) - part->input_slot), &numbers)
                                             : sal_context_output(part, end->output, &numbers));
    if (status != SAL_OK)
        return SAL__REFUSE_CALL(sim, status, "the value cannot be computed: ", sal_status_text(status));
    *value = numbers[end->element];
    return SAL_OK;
}

sal_status sal_simulator_value(sal_simulator *sim, const char *path, double *value) {
    sal__path_end end;
    const sal_status status = value ? find(sim, path, &end) : sal__refuse_no_result(sim);
    if (status != SAL_OK)
        return status;
    if (!end.value || is_connected(sim, &end))
        return compute(sim, &end, value);
    *value = sal_context_get(part_of(sim, &end), end.value->partition)[end.value->at + end.element];
    return SAL_OK;
}

static sal_status check_number(sal_simulator *sim, const char *path, const sal__value *v, double number) {
    const int modes = v->mode_count;
    if (modes > 0 && !(number >= 1 && number <= modes && number == floor(number)))
        return SAL__REFUSE_CALL(sim, SAL_EINVAL, "the mode \"", path, "\" cannot be ", sal__real_number(number, 6).text,
                                "; its words have the numbers from 1 to ", sal__whole_number(modes).text);
    if (isnan(number) || (v->partition <= SAL_Z && isinf(number)))
        return SAL__REFUSE_CALL(sim, SAL_EINVAL, "\"", path, "\" cannot be ", sal__real_number(number, 6).text,
                                v->partition <= SAL_Z ? "; a state is finite" : "; write a number");
    return SAL_OK;
}

static sal_status find_writable(sal_simulator *sim, const char *path, sal__path_end *end) {
    const sal_status status = find(sim, path, end);
    if (status != SAL_OK)
        return status;
    if (!end->value)
        return SAL__REFUSE_CALL(sim, SAL_EINVAL, "\"", path,
                                "\" is an output: it is computed; write what it depends on");
    if (is_connected(sim, end))
        return SAL__REFUSE_CALL(sim, SAL_EINVAL, "\"", path,
                                "\" is connected: its value comes from an output; write what that depends on");
    return SAL_OK;
}

static void write(sal_simulator *sim, const sal__path_end *end, double number) {
    sal_context_edit(part_of(sim, end), end->value->partition)[end->value->at + end->element] = number;
}

sal_status sal_simulator_set_value(sal_simulator *sim, const char *path, double value) {
    sal__path_end end;
    sal_status status = find_writable(sim, path, &end);
    if (status == SAL_OK)
        status = check_number(sim, path, end.value, value);
    if (status == SAL_OK)
        write(sim, &end, value);
    return status;
}

/* ---- modes by word ---- */

static sal_status check_mode(sal_simulator *sim, const char *path, const sal__path_end *end) {
    return end->value && end->value->mode_count > 0
               ? SAL_OK
               : SAL__REFUSE_CALL(sim, SAL_EINVAL, "\"", path,
                                  "\" is a number, not a mode; sal_system_set_modes gives it words");
}

sal_status sal_simulator_mode(sal_simulator *sim, const char *path, const char **word) {
    sal__path_end end;
    double number = 0;
    sal_status status = find(sim, path, &end);
    if (status == SAL_OK)
        status = check_mode(sim, path, &end);
    if (status == SAL_OK)
        status = sal_simulator_value(sim, path, &number);
    if (status == SAL_OK)
        status = check_number(sim, path, end.value, number);
    if (status == SAL_OK)
        *word = end.value->mode_words[(int)number - 1];
    return status;
}

static const char *word_at(const void *user, int i) {
    const sal__value *mode = user;
    return i < mode->mode_count ? mode->mode_words[i] : NULL;
}

sal_status sal_simulator_set_mode(sal_simulator *sim, const char *path, const char *word) {
    sal__path_end end;
    sal_status status = find_writable(sim, path, &end);
    if (status == SAL_OK)
        status = check_mode(sim, path, &end);
    if (status != SAL_OK)
        return status;
    for (int k = 0; word && k < end.value->mode_count; k++)
        if (strcmp(end.value->mode_words[k], word) == 0) {
            write(sim, &end, k + 1);
            return SAL_OK;
        }
    const char *near = word ? sal__near_name(word, word_at, end.value) : NULL;
    return SAL__REFUSE_CALL(sim, SAL_EINVAL, "the mode \"", path, "\" has no word \"", word ? word : "NULL",
                            near ? "\"; did you mean \"" : "\"; its first word is \"",
                            near ? near : end.value->mode_words[0], near ? "\"?" : "\"");
}

/* ---- clones ---- */

/* Slots are copied by functions of the host: meanwhile the run counts as read, so that they cannot move it. */

static sal_status copy_watches(sal_simulator *to, const sal_simulator *from) {
    sal_status status = SAL_OK;
    for (int i = 0; i < from->host.watches.count && status == SAL_OK; i++)
        status = sal_simulator_know_watch(to, &from->host.watches.item[i].given, from->host.watches.item[i].handle);
    return status;
}

/* The run as it stands, by way of its bytes. */
static sal_status copy_run(sal_simulator *to, sal_simulator *from) {
    const size_t size = sal_simulator_save_size(from);
    void *bytes = sal__alloc(&from->pool.mem, size);
    sal_status status = bytes ? sal_simulator_save(from, bytes, size) : SAL_ENOMEM;
    if (status == SAL_OK)
        status = sal__begin_reading(from);
    if (status == SAL_OK)
        status = sal__end_reading(from, sal_simulator_load(to, bytes, size));
    sal__free(&from->pool.mem, bytes, size);
    return status;
}

/* A context of its own, since abstract state need not have bytes. */
static sal_status make_like(sal_simulator *sim, sal_simulator **out) {
    sal_context *context = NULL;
    sal_status status = sal_context_clone(sim->contexts.current->part_context, &context);
    if (status != SAL_OK)
        return status;
    status = sal_simulator_new(&sim->pool.mem, sim->system, context, &sim->config, out);
    if (status != SAL_OK)
        sal_context_free(context);
    return status;
}

sal_status sal_simulator_clone(sal_simulator *sim, sal_simulator **out) {
    sal_simulator *copy = NULL;
    if (!out || sal__check_usable(sim) != SAL_OK)
        return out ? sal__refuse_state(sim) : SAL_EINVAL;
    sal_status status = sal__begin_reading(sim);
    if (status == SAL_OK)
        status = sal__end_reading(sim, make_like(sim, &copy));
    if (status != SAL_OK)
        return status;
    sal__integrator_adopt_settings(copy->integrator, sim->integrator);
    status = sal_simulator_set_jacobian(copy, sim->jacobian.function, sim->jacobian.user);
    if (status == SAL_OK)
        status = copy_watches(copy, sim);
    if (status == SAL_OK)
        status = copy_run(copy, sim);
    if (status != SAL_OK) {
        sal_simulator_free(copy);
        return status;
    }
    *out = copy;
    return SAL_OK;
}
