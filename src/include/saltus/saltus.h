/* All of Saltus: include this one, or only what you use. */
#ifndef SALTUS_H
#define SALTUS_H

#include "status.h"
#include "math.h"

#include "integrator.h"
#include "polynomial.h"
#include "delay_buffer.h"

#include "context.h"
#include "system.h"
#include "diagram.h"

#include "simulator.h"
#include "group.h"
#include "recorder.h"
#include "blocks.h"

#endif
