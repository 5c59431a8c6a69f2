#include "packet.h"

#include <string.h>

enum { MARK = 0x534c5456, HEAD = 32 };

static void put(unsigned char *bytes, uint64_t value, int size) {
    for (int i = 0; i < size; i++)
        bytes[i] = (unsigned char)(value >> (8 * i));
}

static uint64_t get(const unsigned char *bytes, int size) {
    uint64_t value = 0;
    for (int i = 0; i < size; i++)
        value |= (uint64_t)bytes[i] << (8 * i);
    return value;
}

size_t packet_write(const packet *p, unsigned char *bytes) {
    put(bytes, MARK, 4);
    put(bytes + 4, (uint32_t)p->frame, 4);
    put(bytes + 8, (uint32_t)p->acknowledged, 4);
    put(bytes + 12, (uint32_t)p->checked, 4);
    put(bytes + 16, p->hash, 8);
    put(bytes + 24, (uint32_t)p->first, 4);
    put(bytes + 28, (uint16_t)p->lead, 2);
    put(bytes + 30, (uint16_t)p->count, 2);
    memcpy(bytes + HEAD, p->buttons, (size_t)p->count);
    return HEAD + (size_t)p->count;
}

static int get_int(const unsigned char *bytes) {
    return (int32_t)get(bytes, 4);
}

bool packet_read(packet *p, const unsigned char *bytes, size_t size) {
    if (size < HEAD || get(bytes, 4) != MARK)
        return false;
    *p = (packet){.frame = get_int(bytes + 4),
                  .acknowledged = get_int(bytes + 8),
                  .checked = get_int(bytes + 12),
                  .hash = get(bytes + 16, 8),
                  .first = get_int(bytes + 24),
                  .lead = (int16_t)get(bytes + 28, 2),
                  .count = (int)get(bytes + 30, 2)};
    if (p->count > PACKET_INPUTS || size != HEAD + (size_t)p->count || p->first < 0)
        return false;
    memcpy(p->buttons, bytes + HEAD, (size_t)p->count);
    return true;
}
