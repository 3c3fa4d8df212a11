/* grpc_timeout.h: the time that a call has, as its header grpc-timeout says it. */
#pragma once

#include "core/base/text.h"

#include <stdint.h>

/*
 * In the least unit in which it has eight digits at most, rounded up.
 *
 * left_ns:  0 or more.
 * Upstream: grpc-go, internal/grpcutil encode_duration.go EncodeDuration.
 */
void kp_grpc_put_timeout(struct kp_buf *buf, int64_t left_ns);
