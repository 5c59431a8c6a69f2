/* A bad network: it loses one packet in five, and delivers the others after 50 to 150 ms, so also out of order. Losses
 * and delays are hashes of a seed. The clock is the caller's: a virtual one, or the real one. */
#ifndef NETWORK_H
#define NETWORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PACKET_ROOM = 128, IN_FLIGHT = 256 };

typedef struct flight {
    bool used;
    int to;
    double arrives; /* s */
    size_t size;
    unsigned char bytes[PACKET_ROOM];
} flight;

typedef struct network {
    uint64_t seed, sent;
    int64_t lost;
    flight flights[IN_FLIGHT];
} network;

void network_start(network *net, uint64_t seed);
/* A packet sets out for `to`. */
void network_send(network *net, int to, double now, const unsigned char *bytes, size_t size);
/* Takes the first packet that has arrived; returns its size, and 0 where there is none. */
size_t network_receive(network *net, int to, double now, unsigned char *bytes);

#endif
