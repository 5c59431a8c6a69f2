/* A drill on a virtual clock: the robot's work takes as long as its plan says, so the missed deadlines are known. */
#ifndef DRILL_H
#define DRILL_H

/* Runs it and prints what came of it. Returns 0, or 1 if a count is not the one of the plan. */
int drill(void);

#endif
