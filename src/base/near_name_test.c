/* Which name is suggested. */
#include <string.h>

#include "near_name.h"
#include "test_check.h"

static const char *candidate(const void *user, int i) {
    return ((const char *const *)user)[i];
}

static void near_names_are_found(void) {
    static const char *const names[] = {"height", "speed", "u", "level_of_a_tank_with_a_name_of_fifty_letters_in_all",
                                        NULL};
    const char *found = sal__near_name("heigth", candidate, names);
    CHECK(found && strcmp(found, "height") == 0);
    found = sal__near_name("Speed", candidate, names);
    CHECK(found && strcmp(found, "speed") == 0);
    CHECK(!sal__near_name("x", candidate, names) && !sal__near_name("pressure", candidate, names));
    CHECK(!sal__near_name("", candidate, names));
    CHECK(!sal__near_name("level_of_a_tank_with_a_name_of_fifty_letters_in_al", candidate, names));
}

int main(void) {
    near_names_are_found();
    return check_summary();
}
