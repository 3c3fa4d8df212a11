/*
 * pod_api.h: the fields of the Pod API as a table: what decoding, the dropping of unknown fields
 * and printing all go by.
 */
#pragma once

#include "core/base/text.h"

enum cf_api_type {
    CF_API_NONE,
#define TYPE(name) CF_API_##name,
#define FIELD(type, name, kind, shape, of, go_type, empty, since, until, embedded)
#include "conformance/pod/pod_api.def"
#include "conformance/pod/pod_api_volumes.def"
#undef TYPE
#undef FIELD
    CF_API_TYPES
};

enum cf_api_kind {
    CF_API_STRING,
    CF_API_BOOL,
    CF_API_INT32,
    CF_API_INT64,
    CF_API_INTSTR,
    CF_API_QUANTITY,
    CF_API_TIME,
    CF_API_RAW, /* passed through unread */
    CF_API_STRUCT
};

enum cf_api_shape { CF_API_ONE, CF_API_PTR, CF_API_LIST, CF_API_MAP };

/* What the encoder does with a field that has its zero value. */
enum cf_api_empty {
    CF_API_KEEP, /* no omitempty */
    CF_API_OMIT, /* omitempty: structs are written all the same */
    CF_API_ZERO  /* omitzero: structs too are left out */
};

struct cf_api_field {
    enum cf_api_type owner;
    const char *name;
    enum cf_api_kind kind;
    enum cf_api_shape shape;
    enum cf_api_type of; /* CF_API_STRUCT: which */
    const char *go_type; /* of an item of a LIST, else of the field */
    enum cf_api_empty empty;
    int since; /* Kubernetes minors that have it */
    int until;
    const char *embedded; /* Go's embedded struct that holds it, or "" */
};

/* The rows of a struct, of all minors; the row behind the last has another owner. */
const struct cf_api_field *cf_api_fields(enum cf_api_type type);
/* The field of that JSON name, case-sensitively, in that minor; NULL: there is none (V-040). */
const struct cf_api_field *cf_api_find(enum cf_api_type type, struct kp_text name, int minor);
/* Whether that minor has the field. */
bool cf_api_has(const struct cf_api_field *field, int minor);
/* Go's name of a struct: "HTTPGetAction". */
const char *cf_api_type_name(enum cf_api_type type);
