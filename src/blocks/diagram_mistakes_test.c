/* Mistakes with the parts of a diagram and their connections. */
#include "test_tank.h"

static const sal_system_class empty_class = {.name = "empty"};

static const char *part_name_empty(sal_status *status) {
    sal_system *d = plant();
    *status = sal_diagram_add(d, made[1], "", NULL);
    return said(d);
}

/* A program that looks at no status before the build is told of the first refusal. */
static const char *statuses_ignored(sal_status *status) {
    sal_system *d = plant(), *sys = made[1];
    sal_system_add_values(sys, SAL_PARAM, "area", -1, NULL);
    sal_system_add_values(sys, SAL_PARAM, "level", 1, NULL);
    *status = sal_system_build(d, &note);
    return note.text;
}

static const char *part_refused(sal_status *status) {
    sal_system *d = plant();
    sal_system_add_values(made[1], SAL_PARAM, "area", -1, NULL);
    *status = sal_system_build(d, NULL);
    return said(d);
}

static const char *part_of_a_system(sal_status *status) {
    sal_system *sys = tank();
    *status = sal_diagram_add(sys, system_of(&empty_class), "pump", NULL);
    return said(sys);
}

static const char *value_of_a_diagram(sal_status *status) {
    sal_system *d = plant();
    *status = sal_system_add_values(d, SAL_PARAM, "area", 1, NULL);
    return said(d);
}

static const char *part_null(sal_status *status) {
    sal_system *d = plant();
    *status = sal_diagram_add(d, NULL, "pump", NULL);
    return said(d);
}

static const char *part_name_taken(sal_status *status) {
    sal_system *d = plant();
    *status = sal_diagram_add(d, made[1], "tank", NULL);
    return said(d);
}

static const char *sizes_differ(sal_status *status) {
    sal_system *d = plant();
    *status = sal_diagram_connect(d, 1, 0, 0, 0);
    return said(d);
}

static const char *port_misspelt(sal_status *status) {
    sal_system *d = plant();
    *status = sal_diagram_connect(d, 0, sal_system_find_output(made[1], "flwo"), 1, 0);
    return said(d);
}

static const char *no_such_part(sal_status *status) {
    sal_system *d = plant();
    *status = sal_diagram_connect(d, 0, 0, sal_diagram_find_part(d, "pump"), 0);
    return said(d);
}

static sal_system *two_tanks(void) {
    sal_system *d = plant();
    sal_diagram_add(d, made[1], "other", NULL);
    return d;
}

static const char *connected_twice(sal_status *status) {
    sal_system *d = two_tanks();
    CHECK(sal_diagram_connect(d, 0, 0, 2, 0) == SAL_OK);
    *status = sal_diagram_connect(d, 2, 0, 2, 0);
    return said(d);
}

static const char *loop(sal_status *status) {
    sal_system *d = two_tanks();
    CHECK(sal_diagram_connect(d, 0, 0, 2, 0) == SAL_OK && sal_diagram_connect(d, 2, 0, 0, 0) == SAL_OK);
    *status = sal_simulator_new(NULL, d, NULL, NULL, &sim);
    return said(d);
}

static const char *no_parts(sal_status *status) {
    sal_system *d = NULL;
    sal_diagram_new(NULL, "plant", &d);
    *status = sal_system_build(keep(d), &note);
    return note.text;
}

static const char *option_misspelt(sal_status *status) {
    sal_system *sys = NULL;
    const sal_block_value values[] = {{.option = "gian", .numbers = (double[]){2}, .count = 1}};
    *status = sal_block_new(NULL, "gain", "tank", values, 1, &note, &sys);
    return note.text;
}

static const char *kind_misspelt(sal_status *status) {
    sal_system *sys = NULL;
    *status = sal_block_new(NULL, "intergal", "tank", NULL, 0, &note, &sys);
    return note.text;
}

static const mistake mistakes[] = {
    {part_name_empty, SAL_EINVAL, "plant: ", "the name of a part is empty", "give it one"},
    {statuses_ignored, SAL_EINVAL, "tank: ", "\"area\" has the size -1", "at least 1"},
    {part_of_a_system, SAL_EINVAL, "tank: ", "parts", "sal_diagram_new"},
    {value_of_a_diagram, SAL_EINVAL, "plant: ", "values", "sal_system_new"},
    {part_null, SAL_EINVAL, "plant: ", "part \"pump\" is NULL", "status of the call"},
    {part_name_taken, SAL_EINVAL, "plant: ", "\"tank\"", "choose another"},
    {sizes_differ, SAL_EINVAL, "plant: ", "\"gain.output\" has 2 numbers", "of one size"},
    {port_misspelt, SAL_EINVAL, "plant: ", "\"tank\" has no output -1", "sal_system_find_output"},
    {no_such_part, SAL_EINVAL, "plant: ", "no part -1", "sal_diagram_find_part"},
    {connected_twice, SAL_EINVAL, "plant: ", "\"other.inflow\"", "sum block"},
    {loop, SAL_ELOOP, "plant: ", "tank.flow", "put a state"},
    {no_parts, SAL_EINVAL, "plant: ", "no parts", "sal_diagram_add"},
    {part_refused, SAL_EINVAL, "plant: tank: ", "\"area\" has the size -1", "at least 1 number"},
    {option_misspelt, SAL_EINVAL, "", "option gian", "did you mean \"gain\"?"},
    {kind_misspelt, SAL_EINVAL, "", "\"intergal\"", "did you mean \"integral\"?"},
};

int main(void) {
    each_is_named_in_words(sizeof mistakes / sizeof *mistakes, mistakes);
    return check_summary();
}
