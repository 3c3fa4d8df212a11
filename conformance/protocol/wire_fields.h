/* wire_fields.h: the fields of effects.def and events.def, written and read. */
#pragma once

#include "conformance/protocol/wire.h"

#include <stddef.h>

enum cf_field_type {
    CF_FIELD_CONTAINER, /* an index, on the wire the name; -1 and "": none */
    CF_FIELD_TEXT,
    CF_FIELD_ID, /* a text that is not empty */
    CF_FIELD_MESSAGE,
    CF_FIELD_STATE, /* a pointer to a state, on the wire its text */
    CF_FIELD_BOOL,
    CF_FIELD_INT,
    CF_FIELD_MS, /* nanoseconds, on the wire milliseconds */
    CF_FIELD_WORD,
    CF_FIELD_POD /* the pod of an update */
};

enum cf_presence {
    CF_NEEDED,  /* a message without it is refused */
    CF_WRITTEN, /* written always; where it is absent, empty */
    CF_OPTIONAL /* left out where it is empty */
};

struct cf_field {
    const char *name; /* NULL: the end of the list */
    enum cf_field_type type;
    enum cf_presence presence;
    size_t at, size;              /* of the member in the record */
    size_t flag;                  /* of a bool beside it: it is there; 0: there is none */
    int64_t min, max;             /* of a number, as it stands on the wire */
    const struct cf_words *words; /* of a word */
};

/* For the rows of the two files; RECORD is the struct that they are about. */
#define AT_OF(record, member)                                                                      \
    .at = offsetof(record, member), .size = sizeof(((record *)NULL)->member)
#define AT(member) AT_OF(RECORD, member)
#define FIELD(name, presence, type, ...) {#name, CF_FIELD_##type, CF_##presence, __VA_ARGS__},
#define CONTAINER(presence) FIELD(container, presence, CONTAINER, AT(container))
#define TEXT(presence, name, member) FIELD(name, presence, TEXT, AT(member))
#define TEXT_OF(record, presence, name, member)                                                    \
    FIELD(name, presence, TEXT, AT_OF(struct record, member))
#define TEXT_IF(name, member, has)                                                                 \
    FIELD(name, OPTIONAL, TEXT, AT(member), .flag = offsetof(RECORD, has))
#define ID(presence, name, member) FIELD(name, presence, ID, AT(member))
#define MESSAGE(presence, name, member) FIELD(name, presence, MESSAGE, AT(member))
#define STATE(presence, name, member) FIELD(name, presence, STATE, AT(member))
#define BOOL(presence, name, member) FIELD(name, presence, BOOL, AT(member))
#define INT(presence, name, member, low, high)                                                     \
    FIELD(name, presence, INT, AT(member), .min = low, .max = high)
#define MS(presence, name, member, low)                                                            \
    FIELD(name, presence, MS, AT(member), .min = low, .max = CF_TIME_MS_MAX)
#define MS_IF(name, member, has)                                                                   \
    FIELD(name, OPTIONAL, MS, AT(member), .flag = offsetof(RECORD, has), .min = -CF_TIME_MS_MAX,   \
          .max = CF_TIME_MS_MAX)
#define WORD(presence, name, member, list)                                                         \
    FIELD(name, presence, WORD, AT(member), .words = &cf_##list##_words)
#define WORD_OF(record, presence, name, member, list)                                              \
    FIELD(name, presence, WORD, AT_OF(struct record, member), .words = &cf_##list##_words)
#define POD(presence, name, member) FIELD(name, presence, POD, AT(member))
#define NO_FIELDS

/* Append the fields as members of an object.  pod: whose containers the record speaks of. */
void cf_put_fields(struct cf_out *out, const struct cf_field *fields, const void *record,
                   const struct kp_pod *pod);
/* Read them into a record that is all zero, but for a container of -1.  updates: NULL if no field
 * is a pod. */
bool cf_read_fields(struct cf_reader *reader, const struct cf_node *node,
                    const struct cf_field *fields, const struct kp_pod *pod,
                    const struct cf_pod_reader *updates, void *record);
/* Has the object no members but these, `e` and (if it names its pod) `pod`; none twice, none null?
 */
bool cf_check_fields(struct cf_reader *reader, const struct cf_node *node,
                     const struct cf_field *fields, const char *what, bool names_pod);
