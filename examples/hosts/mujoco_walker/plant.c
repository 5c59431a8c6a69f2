#include "plant.h"

#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The joints of walker.xml, as indices of qpos and qvel. */
enum { Q_FORWARD, Q_HEIGHT, Q_PITCH, Q_LEFT_HIP, Q_RIGHT_HIP = Q_LEFT_HIP + 3 };

/* Its sensors, as indices of sensordata. */
enum { S_SOLE, S_BODY = 2, S_BODY_SPEED = 5, S_LEFT_FOOT = 8, S_RIGHT_FOOT = 11 };

#define SPEED_AT_START 0.4 /* m/s */

struct plant {
    mjModel *model;
    mjData *data;
    double height_at_start;
};

static void show_warning(const char *text) {
    fprintf(stderr, "MuJoCo: %s\n", text);
}

static plant *fail(plant *p, const char *why) {
    fprintf(stderr, "%s\n", why);
    plant_free(p);
    return NULL;
}

plant *plant_new(const char *xml) {
    char why[500] = "no memory";
    mju_user_warning = show_warning; /* otherwise MuJoCo writes a file */
    plant *p = calloc(1, sizeof *p);
    if (!p)
        return fail(p, why);
    p->model = mj_loadXML(xml, NULL, why, sizeof why);
    p->data = p->model ? mj_makeData(p->model) : NULL;
    if (!p->data)
        return fail(p, why);
    p->data->qvel[Q_FORWARD] = SPEED_AT_START;
    mj_forward(p->model, p->data);
    p->height_at_start = p->model->body_pos[3 * mj_name2id(p->model, mjOBJ_BODY, "torso") + 2];
    return p;
}

void plant_free(plant *p) {
    if (!p)
        return;
    if (p->data)
        mj_deleteData(p->data);
    if (p->model)
        mj_deleteModel(p->model);
    free(p);
}

double plant_time(const plant *p) {
    return p->data->time;
}

void plant_read(const plant *p, double sensors[SENSORS]) {
    const double *q = p->data->qpos, *v = p->data->qvel, *s = p->data->sensordata;
    sensors[PITCH] = q[Q_PITCH];
    sensors[PITCH_RATE] = v[Q_PITCH];
    sensors[HIP] = q[Q_LEFT_HIP];
    sensors[HIP + 1] = q[Q_RIGHT_HIP];
    sensors[HIP_RATE] = v[Q_LEFT_HIP];
    sensors[HIP_RATE + 1] = v[Q_RIGHT_HIP];
    sensors[SOLE] = s[S_SOLE];
    sensors[SOLE + 1] = s[S_SOLE + 1];
    sensors[FOOT] = s[S_LEFT_FOOT];
    sensors[FOOT + 1] = s[S_RIGHT_FOOT];
    sensors[BODY] = s[S_BODY];
    sensors[BODY_SPEED] = s[S_BODY_SPEED];
    sensors[TORSO_HEIGHT] = p->height_at_start + q[Q_HEIGHT];
}

void plant_advance_to(plant *p, double t, const double commands[COMMANDS], double push) {
    memcpy(p->data->ctrl, commands, COMMANDS * sizeof *commands);
    p->data->qfrc_applied[Q_FORWARD] = push;
    while (p->data->time < t - 0.5 * p->model->opt.timestep)
        mj_step(p->model, p->data);
    mj_forward(p->model, p->data); /* sensors at this time */
}

static void point_of(const plant *p, const char *body, const double offset[3], double out[2]) {
    const int id = mj_name2id(p->model, mjOBJ_BODY, body);
    double turned[3];
    mju_rotVecMat(turned, offset, p->data->xmat + 9 * id);
    out[0] = p->data->xpos[3 * id] + turned[0];
    out[1] = p->data->xpos[3 * id + 2] + turned[2];
}

void plant_points(const plant *p, double leg[2][PLANT_LEG][2], double top[2]) {
    static const char *const part[2][3] = {{"left_thigh", "left_shank", "left_foot"},
                                           {"right_thigh", "right_shank", "right_foot"}};
    const double none[3] = {0}, toe[3] = {0.14, 0, -0.05}, head[3] = {0, 0, 0.5};
    for (int side = 0; side < 2; side++) {
        for (int i = 0; i < 3; i++)
            point_of(p, part[side][i], none, leg[side][i]);
        point_of(p, part[side][2], toe, leg[side][3]);
    }
    point_of(p, "torso", head, top);
}
