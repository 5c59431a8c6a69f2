#include "network.h"

#include <saltus/saltus.h>
#include <string.h>

#define LOSS 0.2
#define LEAST_DELAY 0.05  /* s */
#define DELAY_SPREAD 0.10 /* s */

void network_start(network *net, uint64_t seed) {
    *net = (network){.seed = seed};
}

/* Uniform in [0, 1). */
static double draw(const network *net, uint64_t what) {
    const uint64_t key[] = {net->sent, what};
    return (double)(sal_hash(key, sizeof key, net->seed) >> 11) / 9007199254740992.0;
}

static flight *free_flight(network *net) {
    for (int i = 0; i < IN_FLIGHT; i++)
        if (!net->flights[i].used)
            return &net->flights[i];
    return NULL;
}

void network_send(network *net, int to, double now, const unsigned char *bytes, size_t size) {
    net->sent++;
    flight *out = free_flight(net);
    if (!out || size > PACKET_ROOM || draw(net, 0) < LOSS) {
        net->lost++;
        return;
    }
    *out = (flight){.used = true, .to = to, .arrives = now + LEAST_DELAY + DELAY_SPREAD * draw(net, 1), .size = size};
    memcpy(out->bytes, bytes, size);
}

size_t network_receive(network *net, int to, double now, unsigned char *bytes) {
    flight *first = NULL;
    for (int i = 0; i < IN_FLIGHT; i++) {
        flight *f = &net->flights[i];
        if (f->used && f->to == to && f->arrives <= now && (!first || f->arrives < first->arrives))
            first = f;
    }
    if (!first)
        return 0;
    first->used = false;
    memcpy(bytes, first->bytes, first->size);
    return first->size;
}
