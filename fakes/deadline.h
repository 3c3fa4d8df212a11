/*
 * deadline.h: what ends an attempt that nobody answers, and what the kubelet reports of it.
 *
 * HTTP, TCP and gRPC attempts end at timeoutSeconds (P-110, P-121, P-129).  An exec ends there from
 * 1.20 on (P-084); up to 1.19 (P-083), and where ExecProbeTimeout is off (P-085), nothing ends it.
 */
#pragma once

#include "core/model/trace.h"
#include "core/rules/profile.h"

#define FAKE_POD_IP "10.244.0.5" /* of every pod in a world that has no network */

/* How long an attempt may take; KP_NEVER: as long as it likes. */
int64_t fake_deadline_ns(const struct kp_profile *profile, const struct kp_probe *probe);

/*
 * What the handler of that version answers at the deadline.
 *
 * text:     gets its words, for all but an exec, of which the kubelet finds its own (P-086).
 * Upstream: Go net/http client.go; pkg/probe/tcp, pkg/probe/grpc.
 */
enum kp_answer fake_deadline_answer(const struct kp_profile *profile,
                                    const struct kp_container *container,
                                    const struct kp_probe *probe, struct kp_buf *text);

/*
 * What the handler says where nobody listens yet, and how long that takes: gRPC tries until its
 * deadline (P-129), and of an exec its own words are not known.
 */
int64_t fake_refused(const struct kp_profile *profile, const struct kp_container *container,
                     const struct kp_probe *probe, struct kp_buf *text);
