/*
 * health.h: the two messages of grpc.health.v1.Health/Check, as protobuf-go writes and reads them.
 *
 * Upstream: grpc, grpc/health/v1/health.proto; protobuf-go, encoding/protowire and
 * internal/impl/decode.go.
 */
#pragma once

#include "core/base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The bytes of a HealthCheckRequest for `service`; none at all for no service. */
size_t kp_health_request_len(struct kp_text service);
void kp_health_put_request(struct kp_buf *buf, struct kp_text service);

/*
 * Read a HealthCheckResponse.
 *
 * status:  the enum's number, also one that has no name; 0 where the message does not say.
 * Returns: false: the bytes are no message.
 */
bool kp_health_read_response(struct kp_text bytes, int32_t *status);
