/*
 * names.h: the API server's rules for names, each as the list of what it would say.
 *
 * Upstream: apimachinery pkg/util/validation/validation.go.
 */
#pragma once

#include "../rules/profile.h"

enum { KP_NAME_FAULTS_MAX = 6 };

/* What is wrong with a name: static texts, in the server's order; count 0: nothing. */
struct kp_name_faults {
    const char *texts[KP_NAME_FAULTS_MAX];
    size_t count;
};

struct kp_name_faults kp_name_dns_label(const struct kp_profile *profile, struct kp_text name);
struct kp_name_faults kp_name_dns_subdomain(const struct kp_profile *profile, struct kp_text name);
/* IANA service names: of container ports, and of probes' ports (V-021). */
struct kp_name_faults kp_name_port(const struct kp_profile *profile, struct kp_text name);
struct kp_name_faults kp_name_env(const struct kp_profile *profile, struct kp_text name);
struct kp_name_faults kp_name_http_header(struct kp_text name);
/* prefix/name, of condition types and label keys. */
struct kp_name_faults kp_name_qualified(const struct kp_profile *profile, struct kp_text name);
