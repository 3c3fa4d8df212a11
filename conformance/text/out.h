/* out.h: a growing run of bytes, and how JSON is written into it. */
#pragma once

#include "core/base/text.h"
#include "core/model/spec.h"

/* Zero it to begin; cf_out_deinit gives the storage back.  Out of memory ends the process. */
struct cf_out {
    char *bytes;
    size_t len;
    size_t cap;
};

void cf_out_deinit(struct cf_out *out);
/* Forget what was written, keep the storage. */
void cf_out_clear(struct cf_out *out);
/* Room for `more` bytes at out->bytes + out->len; the caller adds to len what it used. */
void cf_out_reserve(struct cf_out *out, size_t more);
void cf_out_put(struct cf_out *out, struct kp_text text);
void cf_out_put_string(struct cf_out *out, const char *zero_terminated);
void cf_out_put_char(struct cf_out *out, char c);
void cf_out_put_int(struct cf_out *out, int64_t number);
void cf_out_printf(struct cf_out *out, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* What was written; borrowed until the next write. */
struct kp_text cf_out_text(const struct cf_out *out);

/* A JSON string.  Bytes that are no UTF-8 become U+FFFD, one for one byte, as Go writes them. */
void cf_out_put_json(struct cf_out *out, struct kp_text text);

/*
 * Members of an object, each with its comma: `{"a":1` then cf_json_int(out, "b", 2) makes
 * `{"a":1,"b":2`.  No comma after an opening brace or bracket.  Names are literals: not escaped.
 */
void cf_json_key(struct cf_out *out, const char *name);
/* A member that is an object or a list, and its brace or bracket: '{', '['. */
void cf_json_open(struct cf_out *out, const char *name, char bracket);
void cf_json_text(struct cf_out *out, const char *name, struct kp_text value);
void cf_json_string(struct cf_out *out, const char *name, const char *value);
void cf_json_int(struct cf_out *out, const char *name, int64_t value);
/* Nanoseconds as milliseconds; KP_NEVER as null. */
void cf_json_ms(struct cf_out *out, const char *name, int64_t ns);
void cf_json_bool(struct cf_out *out, const char *name, bool value);
void cf_json_texts(struct cf_out *out, const char *name, struct kp_text_list values);
/* The comma between the items of a list, where one is due. */
void cf_json_comma(struct cf_out *out);

/*
 * The length of the UTF-8 sequence at the start of `text` (1..4); 0: it is none (also for
 * surrogates, overlong forms and an empty text).
 */
size_t cf_utf8_length(struct kp_text text);
