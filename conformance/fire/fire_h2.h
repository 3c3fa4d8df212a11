/* fire_h2.h: a fault server's half of an HTTP/2 connection, on nghttp2; only fire_h2.c knows it. */
#pragma once

#include "conformance/fire/fire.h"
#include "conformance/fire/fire_link.h"

/*
 * Speak HTTP/2 until the other side closes or the server is told to stop.
 *
 * steps:    the first for the first request, and so on; later requests are not answered.  Words:
 *           reply STATUS [NAME "VALUE"]... ["BODY"]      a whole reply
 *           headers STATUS [NAME "VALUE"]...             a reply of headers alone, stream ended
 *           part STATUS "BODY" CODE                      some of a body, then RST_STREAM
 *           stall STATUS "BODY"                          some of a body, then nothing
 *           serving NUMBER                               the answer of grpc.health.v1.Health/Check
 *           message [NAME "VALUE"]... "BYTES" [NAME "VALUE"]...
 *                                                        these bytes in its place, between more
 *                                                        of the head and trailers (none:
 *                                                        grpc-status 0)
 *           status CODE "MESSAGE"                        a gRPC status
 *           reset CODE | goaway LAST CODE | hold
 * saw:      gets each request's header lines, sorted, and `data` with its bytes in hexadecimal.
 */
void cf_fire_h2(struct cf_fire_link *link, const struct cf_fire_step *steps, size_t count,
                struct cf_out *saw);
