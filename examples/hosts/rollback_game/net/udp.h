/* Two UDP sockets on the loopback interface that send to each other and never block. */
#ifndef UDP_H
#define UDP_H

#include <stdbool.h>
#include <stddef.h>

/* Opens both, at ports that are free; false, and nothing is open, where that fails. */
bool udp_open_pair(int socket[2]);
void udp_close(int socket);
void udp_send(int socket, const unsigned char *bytes, size_t size);
/* Returns the size of a packet; 0 where there is none. */
size_t udp_receive(int socket, unsigned char *bytes, size_t room);

#endif
