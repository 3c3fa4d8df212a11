/*
 * fire_server.h: the fault servers of one case: a thread that listens on loopback, plays the
 * scripts, one connection after the other, and notes what arrives.
 */
#pragma once

#include "conformance/fire/fire.h"
#include "conformance/table/fire_text.h"

struct cf_fire_servers;

/*
 * Take free ports; nothing is accepted yet.
 *
 * names:    its ports are set.
 * Returns:  NULL: errno says why.
 */
struct cf_fire_servers *cf_fire_servers_new(const struct cf_fire *fire,
                                            struct cf_fire_names *names);
/* Serve.  arena: of the filled-in scripts; lives until the end.  slower: a factor of all pauses. */
bool cf_fire_servers_start(struct cf_fire_servers *servers, struct cf_arena *arena,
                           const struct cf_fire_names *names, int slower);
/*
 * Serve what is there already, stop and give everything back.  servers may be NULL.
 *
 * open:     how many connections were still open long after.
 * Returns:  what arrived: the lines of each connection, an empty line between two.
 */
struct kp_text cf_fire_servers_end(struct cf_fire_servers *servers, struct cf_arena *arena,
                                   size_t *open);
