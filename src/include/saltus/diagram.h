/* Diagrams: systems connected by ports. A diagram is a system too: make a context of it, simulate it. Parts are in the
 * order in which they were added; this order decides between simultaneous events.
 *
 * The first context of a diagram builds it. If outputs need each other in a circle, they are an algebraic loop, and
 * this build returns SAL_ELOOP. */
#ifndef SALTUS_DIAGRAM_H
#define SALTUS_DIAGRAM_H

#include "system.h"

SAL_BEGIN_DECLARATIONS

/* Makes an empty diagram, which the caller frees with sal_system_free. ENOMEM; EINVAL for a name with control
 * characters. */
SAL_API sal_status sal_diagram_new(const sal_allocator *allocator, const char *name, sal_system **out);
/* Adds a part; *index is its index. The diagram borrows the part, which may be added again under another name. If
 * the part is a diagram, its present parts are added with their connections, as "name.part", from *index on. EINVAL
 * for a name that is used, or a diagram that is built; ENOMEM. */
SAL_API sal_status sal_diagram_add(sal_system *diagram, sal_system *part, const char *name, int *index);
/* Returns the index of the part with that path, or -1. */
SAL_API int sal_diagram_find_part(const sal_system *diagram, const char *path);
/* Returns the number of parts; 1 for a system that is no diagram. */
SAL_API int sal_diagram_parts(const sal_system *diagram);
/* Return the system of a part, and its name; NULL if there is no such part. Parts are numbered as in reports and
 * recorded events. The name of a part of a part is a path, such as "arm.motor". A system without parts is its own part
 * 0, named "". The diagram owns the name. */
SAL_API const sal_system *sal_diagram_part(const sal_system *diagram, int part);
SAL_API const char *sal_diagram_part_name(const sal_system *diagram, int part);
/* Connects an output to an input; ports as sal_system_find_output and sal_system_find_input return them. EINVAL if a
 * port does not exist, the sizes differ, or the input is connected already; ENOMEM. */
SAL_API sal_status sal_diagram_connect(sal_system *diagram, int from_part, int output, int to_part, int input);

typedef struct sal_port {
    int part, port;
} sal_port;

/* Writes the outputs of the algebraic loop for which the last build failed, at most `room` of them. Each is needed by
 * the next one, the last by the first. Returns how many outputs the loop has; 0: no loop. */
SAL_API int sal_diagram_loop(const sal_system *diagram, sal_port *outputs, int room);

SAL_END_DECLARATIONS
#endif
