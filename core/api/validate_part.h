/* validate_part.h: what validate.c and validate_probe.c share. */
#pragma once

#include "../base/keyset.h"
#include "names.h"
#include "validate.h"

struct kp_validator {
    const struct kp_profile *profile;
    const struct kp_mem *mem;
    const struct kp_pod *pod;
    struct kp_field_error_sink sink;
    bool has_errors;
    bool no_memory;
};

void kp_field_error_add(struct kp_validator *validator, const struct kp_field_error *error);
void kp_field_required(struct kp_validator *validator, const struct kp_path *up, const char *field,
                       const char *detail);
void kp_field_forbidden(struct kp_validator *validator, const struct kp_path *up, const char *field,
                        const char *detail);
void kp_field_invalid_number(struct kp_validator *validator, const struct kp_path *up,
                             const char *field, int64_t number, const char *detail);
void kp_field_invalid_text(struct kp_validator *validator, const struct kp_path *up,
                           const char *field, struct kp_text text, const char *detail);
void kp_field_invalid_each(struct kp_validator *validator, const struct kp_path *up,
                           const char *field, struct kp_text text,
                           const struct kp_name_faults *faults);
void kp_field_not_supported(struct kp_validator *validator, const struct kp_path *up,
                            const char *field, struct kp_text value, const char *const *supported);

/* Is the text one of a list ended by NULL? */
bool kp_is_supported(struct kp_text text, const char *const *supported);

void kp_field_duplicate(struct kp_validator *validator, const struct kp_path *up, const char *field,
                        struct kp_text value);

/* A set for so many keys; where there is no memory, an empty one, and the validator knows. */
struct kp_keyset kp_keys_for(struct kp_validator *validator, size_t count);

/* Unique names, numbers in range, a known protocol (V-024). */
void kp_validate_ports(struct kp_validator *validator, const struct kp_path *container_path,
                       const struct kp_container *container);
void kp_check_host_ports(struct kp_validator *validator, const struct kp_path *list,
                         const struct kp_container *containers, size_t count);
void kp_check_host_network(struct kp_validator *validator, const struct kp_path *list,
                           const struct kp_container *containers, size_t count);
void kp_check_sctp(struct kp_validator *validator);

/* 1 to 65535 (V-020). */
void kp_validate_port_number(struct kp_validator *validator, const struct kp_path *up,
                             const char *field, int64_t number);

/* A probe at up.field; may be NULL.  The type adds V-003..V-005 from 1.25 on. */
void kp_validate_probe(struct kp_validator *validator, const struct kp_path *up, const char *field,
                       const struct kp_probe *probe);
void kp_validate_hook(struct kp_validator *validator, const struct kp_path *up, const char *field,
                      const struct kp_handler *hook);
/* 1 for liveness (V-003) and startup (V-004). */
void kp_validate_success_threshold(struct kp_validator *validator, const struct kp_path *up,
                                   const char *field, const struct kp_probe *probe);
/* A readiness probe has no terminationGracePeriodSeconds (V-005). */
void kp_validate_readiness_grace(struct kp_validator *validator, const struct kp_path *up,
                                 const struct kp_probe *probe);

/* restartPolicy and its rules: of an init container (V-029), of a regular one (V-031). */
void kp_validate_init_restart(struct kp_validator *validator, const struct kp_path *up,
                              const struct kp_container *container);
void kp_validate_regular_restart(struct kp_validator *validator, const struct kp_path *up,
                                 const struct kp_container *container);
