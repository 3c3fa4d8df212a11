/* own_socket.h: a connection of this process to itself. */
#ifndef KP_OWN_SOCKET_H
#define KP_OWN_SOCKET_H

#include <sys/un.h>

/* A socket to be connected to, which the caller closes; -1: there are no descriptors.  name: the
 * one that the kernel has given it, behind a zero byte. */
int kp_own_listen(struct sockaddr_un *name);
/* Who has connected, which the caller closes; -1: nobody of this process. */
int kp_own_accept(int listener);

#endif
