/* Suggestions for names that are not known. */
#ifndef SAL_NEAR_NAME_H
#define SAL_NEAR_NAME_H

/* Returns the candidate that a wrong name probably means: the one next to it by at most two letters, or that differs in
 * case. `candidate` is called with 0, 1 ... until it returns NULL. NULL: none is near. */
const char *sal__near_name(const char *name, const char *(*candidate)(const void *user, int i), const void *user);

#endif
