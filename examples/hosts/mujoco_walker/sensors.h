/* What the controller knows of the walker, and what it commands. Sides: 0 left, 1 right. */
#ifndef SENSORS_H
#define SENSORS_H

enum {
    PITCH, /* of the torso, rad; positive leans back */
    PITCH_RATE,
    HIP, /* angle of each, rad */
    HIP_RATE = HIP + 2,
    SOLE = HIP_RATE + 2, /* force on each, N */
    FOOT = SOLE + 2,     /* place of each along the way, m */
    BODY = FOOT + 2,     /* place of the centre of mass along the way, m */
    BODY_SPEED,
    TORSO_HEIGHT, /* of the hips, m */
    SENSORS
};

enum {
    HIP_TORQUE,                   /* of each, N m */
    KNEE_ANGLE = HIP_TORQUE + 2,  /* of each, rad */
    ANKLE_ANGLE = KNEE_ANGLE + 2, /* of each, rad */
    COMMANDS = ANKLE_ANGLE + 2
};

#endif
