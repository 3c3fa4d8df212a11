/*
 * complaint.h: what the API server has against a field: `field: Type: value: detail`.
 */
#pragma once

#include "../rules/profile.h"

/* One step of a field path; the steps live on the validator's stack. */
struct kp_path {
    const struct kp_path *up;
    const char *name; /* NULL: an index */
    size_t index;
};

enum kp_complaint_type {
    KP_COMPLAINT_REQUIRED,
    KP_COMPLAINT_INVALID,
    KP_COMPLAINT_FORBIDDEN,
    KP_COMPLAINT_UNSUPPORTED,
    KP_COMPLAINT_DUPLICATE,
    KP_COMPLAINT_NOT_FOUND,
    KP_COMPLAINT_TOO_LONG,
    KP_COMPLAINT_TOO_MANY
};

enum kp_value_kind {
    KP_VALUE_NONE,
    KP_VALUE_NUMBER,
    KP_VALUE_STRING,
    KP_VALUE_NAMED, /* of a type of its own: printed as JSON by newer servers */
    KP_VALUE_RAW    /* printed as it stands */
};

/* Borrowed for the call that hands it over. */
struct kp_complaint {
    const struct kp_path *path;
    enum kp_complaint_type type;
    enum kp_value_kind value;
    int64_t number;
    struct kp_text text;
    const char *detail; /* "%d" in it stands for detail_number */
    int64_t detail_number;
    const char *const *supported; /* UNSUPPORTED: the values, ended by NULL */
};

struct kp_complaint_sink {
    void (*put)(void *ctx, const struct kp_complaint *complaint);
    void *ctx;
};

/* spec.containers[0].name */
void kp_path_put(struct kp_buf *buf, const struct kp_path *path);
/* The part behind the value. */
void kp_complaint_put_detail(struct kp_buf *buf, const struct kp_complaint *complaint);
/* The whole line. */
void kp_complaint_put(struct kp_buf *buf, const struct kp_profile *profile,
                      const struct kp_complaint *complaint);
/* Upstream's ErrorType: "FieldValueInvalid". */
const char *kp_complaint_type_name(enum kp_complaint_type type);
