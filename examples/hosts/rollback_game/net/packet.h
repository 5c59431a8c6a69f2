/* What peers send each other in every frame: all buttons that the other may not have yet, so that a lost packet costs
 * nothing once the next one arrives. Bytes are in one order on every machine. */
#ifndef PACKET_H
#define PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PACKET_INPUTS = 64 };

typedef struct packet {
    int frame;        /* that the sender plays next */
    int lead;         /* frames by which the sender is ahead of what it knows of the other */
    int acknowledged; /* the sender has the other's buttons of all frames before this one */
    int checked;      /* a frame that is confirmed at the sender, and */
    uint64_t hash;    /* the hash of the state before it */
    int first, count; /* buttons of frames first, first + 1 ... */
    uint8_t buttons[PACKET_INPUTS];
} packet;

/* Returns the size, at most 32 + PACKET_INPUTS bytes. */
size_t packet_write(const packet *p, unsigned char *bytes);
/* Returns false for bytes that are no packet. */
bool packet_read(packet *p, const unsigned char *bytes, size_t size);

#endif
