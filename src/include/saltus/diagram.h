/* Diagrams: systems wired by ports. A diagram is a system too: make a context
 * of it, simulate it. Parts keep the order in which they were added; that order
 * decides ties between their events.
 *
 * The first context of a diagram builds it: SAL_ELOOP when outputs need each other
 * in a circle (an algebraic loop). */
#ifndef SALTUS_DIAGRAM_H
#define SALTUS_DIAGRAM_H

#include "system.h"

#ifdef __cplusplus
extern "C" {
#endif

SAL_API sal_status sal_diagram_new(const sal_allocator *allocator, const char *name, sal_system **out);
/* The part is borrowed and may be added again under another name. Of a diagram, its
 * parts are added with their wires, as they are then: "name.part", at *index and after. */
SAL_API sal_status sal_diagram_add(sal_system *diagram, sal_system *part, const char *name, int *index);
/* The part of that path, -1 when there is none. */
SAL_API int sal_diagram_find_part(const sal_system *diagram, const char *path);
SAL_API int sal_diagram_parts(const sal_system *diagram);
/* The system that is this part, as a report or a recorded event counts parts; NULL when there is
 * none. A system without parts is its own part 0. */
SAL_API const sal_system *sal_diagram_part(const sal_system *diagram, int part);
/* Ports as sal_system_find_output and sal_system_find_input tell them. EINVAL when a port does not exist, the sizes
 * differ, or the input is fed already. */
SAL_API sal_status sal_diagram_connect(sal_system *diagram, int from_part, int output, int to_part, int input);
SAL_API const char *sal_diagram_part_name(const sal_system *diagram, int part);

typedef struct sal_port {
    int part, port;
} sal_port;

/* The outputs of the loop for which a build failed, each needed by the next and the
 * last by the first: up to `room` of them. Answers how many there are; 0: none. */
SAL_API int sal_diagram_loop(const sal_system *diagram, sal_port *outputs, int room);

#ifdef __cplusplus
}
#endif
#endif
