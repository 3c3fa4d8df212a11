/* text.h: borrowed byte strings, and the few ways Go prints them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A run of bytes that somebody else owns; may hold NULs.  len 0 is the empty string. */
struct kp_text {
    const char *bytes;
    size_t len;
};

#define KP_TEXT(literal) ((struct kp_text){(literal), sizeof(literal) - 1})
#define KP_TEXT_NONE ((struct kp_text){NULL, 0})
/* A text as the two arguments of printf's %.*s. */
#define KP_ARG(text) (int)(text).len, (text).bytes

static inline struct kp_text kp_text_of(const char *zero_terminated)
{
    return (struct kp_text){zero_terminated, strlen(zero_terminated)};
}

static inline bool kp_text_equal(struct kp_text a, struct kp_text b)
{
    return a.len == b.len &&
           (a.len == 0 || a.bytes == b.bytes || memcmp(a.bytes, b.bytes, a.len) == 0);
}

/* FNV-1a, and what it begins with; of several texts one goes on from the other. */
#define KP_HASH UINT64_C(14695981039346656037)
uint64_t kp_text_hash(uint64_t hash, struct kp_text text);
bool kp_text_begins(struct kp_text text, const char *prefix);
bool kp_text_ends(struct kp_text text, const char *suffix);
/* Where `part`, which is not empty, begins in the text; its length: nowhere. */
size_t kp_text_find(struct kp_text text, struct kp_text part);

static inline bool kp_text_has(struct kp_text text, const char *part)
{
    return kp_text_find(text, kp_text_of(part)) < text.len;
}

/* What stands from a place on, which is at most its length. */
static inline struct kp_text kp_text_from(struct kp_text text, size_t at)
{
    return (struct kp_text){at > 0 ? text.bytes + at : text.bytes, text.len - at};
}

/* Without the characters of `blanks` at both ends. */
struct kp_text kp_text_trim(struct kp_text text, const char *blanks);
/* Letters of ASCII in either case, as header names and their tokens. */
bool kp_text_equal_any_case(struct kp_text text, const char *word);
/* Cut the next line off what is left, without its newline; false: nothing is left. */
bool kp_text_next_line(struct kp_text *left, struct kp_text *line);
/* How many lines it may have: at least 1. */
size_t kp_text_count_lines(struct kp_text text);
/* A list ends with NULL. */
bool kp_text_is_one_of(struct kp_text text, const char *const *words);
/* Cut at the first `c`, which may be the text's own *head or *tail; false: there is none, and all
 * of it is the head, the tail is empty. */
bool kp_text_cut(struct kp_text text, char c, struct kp_text *head, struct kp_text *tail);

static inline bool kp_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* How many digits the text begins with. */
size_t kp_text_digits(struct kp_text text);
/* A number of decimal digits alone, and of at most `most`; false: it is none, and *number stays. */
bool kp_text_number(struct kp_text text, uint64_t most, uint64_t *number);
/* The value of a hexadecimal digit in either case; -1: it is none. */
int kp_hex_value(char c);

/*
 * A builder over storage of the caller's: it never grows and never overflows.  What does not fit is
 * counted in `need` and dropped, so that a caller can size the storage with a first, empty pass.
 */
struct kp_buf {
    char *bytes;
    size_t cap;
    size_t need; /* bytes that everything put so far takes; > cap: the rest was dropped */
};

void kp_buf_put(struct kp_buf *buf, struct kp_text text);
void kp_buf_put_char(struct kp_buf *buf, char c);
void kp_buf_put_int(struct kp_buf *buf, int64_t number);
/* As Go's strconv.Quote. */
void kp_buf_put_quoted(struct kp_buf *buf, struct kp_text text);
/* As Go's time.Duration.String: 1m0s, 1.5s, 2ms. */
void kp_buf_put_duration(struct kp_buf *buf, int64_t duration_ns);
/* What was put, as far as it fitted; borrowed from the builder's storage. */
struct kp_text kp_buf_text(const struct kp_buf *buf);
