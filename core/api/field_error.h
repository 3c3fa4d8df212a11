/*
 * field_error.h: what the API server has against a field: `field: Type: value: detail`.
 */
#pragma once

#include "../rules/profile.h"

/* One step of a field path; the steps live on the validator's stack. */
struct kp_path {
    const struct kp_path *up;
    const char *name; /* NULL: an index */
    size_t index;
};

enum kp_field_error_type {
    KP_FIELD_ERROR_REQUIRED,
    KP_FIELD_ERROR_INVALID,
    KP_FIELD_ERROR_FORBIDDEN,
    KP_FIELD_ERROR_NOT_SUPPORTED,
    KP_FIELD_ERROR_DUPLICATE,
    KP_FIELD_ERROR_NOT_FOUND,
    KP_FIELD_ERROR_TOO_LONG,
    KP_FIELD_ERROR_TOO_MANY
};

enum kp_value_kind {
    KP_VALUE_NONE,
    KP_VALUE_NUMBER,
    KP_VALUE_STRING,
    KP_VALUE_NAMED, /* of a type of its own: printed as JSON by newer servers */
    KP_VALUE_RAW    /* printed as it stands */
};

/* Borrowed for the call that hands it over. */
struct kp_field_error {
    const struct kp_path *path;
    enum kp_field_error_type type;
    enum kp_value_kind value;
    int64_t number;
    struct kp_text text;
    const char *detail; /* "%d" in it stands for detail_number */
    int64_t detail_number;
    const char *const *supported; /* UNSUPPORTED: the values, ended by NULL */
};

struct kp_field_error_sink {
    void (*put)(void *ctx, const struct kp_field_error *error);
    void *ctx;
};

/* spec.containers[0].name */
void kp_path_put(struct kp_buf *buf, const struct kp_path *path);
/* The part behind the value. */
void kp_field_error_put_detail(struct kp_buf *buf, const struct kp_field_error *error);
/* The whole line. */
void kp_field_error_put(struct kp_buf *buf, const struct kp_profile *profile,
                        const struct kp_field_error *error);
/* Upstream's ErrorType: "FieldValueInvalid". */
const char *kp_field_error_type_name(enum kp_field_error_type type);
