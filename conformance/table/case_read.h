/* case_read.h: reading a case file: errors with their place, and the few kinds of value. */
#pragma once

#include "conformance/table/case.h"
#include "conformance/text/durations.h"

/* One file being read. */
struct cf_reading {
    struct cf_suite *suite;
    struct cf_arena *arena;
    const char *file;
    const struct kp_text *file_lines; /* the file's text, line by line */
    int file_line_count;
    bool failed; /* something in the case under way is wrong */
};

/*
 * Begin a file: parse its one document, a map, and set `reading` up for it.
 *
 * Returns:  the document, in the suite's arena; NULL: there are faults, or no memory.
 */
const struct cf_node *cf_suite_document(struct cf_suite *suite, struct cf_reading *reading,
                                        const char *name, struct kp_text text);

/* Line `number` (from 1) of the file, without its end; empty where there is none. */
struct kp_text cf_file_line(const struct cf_reading *reading, int number);
/* Put a fault on the list. */
void cf_fault_at(struct cf_reading *reading, struct cf_place at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Each reports an error where the node is not of that kind.  node may be NULL: then the value is
 * empty. */
struct kp_text cf_read_text(struct cf_reading *reading, const struct cf_node *node);
bool cf_read_truth(struct cf_reading *reading, const struct cf_node *node);
/* A list of texts (numbers too: as written), or one text alone. */
struct kp_text_list cf_read_texts(struct cf_reading *reading, const struct cf_node *node);
int64_t cf_read_duration(struct cf_reading *reading, const struct cf_node *node, int64_t otherwise);
/* A number from 0 to 1, in billionths. */
int64_t cf_read_ppb(struct cf_reading *reading, const struct cf_node *node);
/*
 * A quoted version, as minor * 1000 + patch; `last`: without a patch, the last patch of it.
 * key: that the error names.
 */
int cf_read_version(struct cf_reading *reading, const struct cf_node *node, struct kp_text key,
                    bool last, int otherwise);

/* "10s..12s" or "10s". */
bool cf_parse_span(struct kp_text part, int64_t *at_ns, int64_t *until_ns);
/*
 * "10s", "10s..12s", "10s,20s", "10s,20s,...,90s": each instant or span in turn.
 *
 * Returns:  false: it is none of them, or not in order; some may have been given.
 */
bool cf_parse_times(struct kp_text word, void (*each)(void *ctx, int64_t at_ns, int64_t until_ns),
                    void *ctx);

/* Does the scalar stand in quotes in the file? */
bool cf_is_quoted(const struct cf_reading *reading, const struct cf_node *node);

/* ---- lines of words -------------------------------------------------------------------------- */

/* Walks the lines of a block of text, leaving out empty ones and those that begin with #. */
struct cf_lines {
    struct cf_reading *reading;
    struct kp_text rest;
    struct cf_place at; /* of the next line's first byte */
    bool literal;       /* a block behind '|': each line has a line of the file */
};

/* Answers of many steps are one line. */
enum { CF_LINE_WORDS_MAX = 256 };

struct cf_line {
    struct kp_text text;
    struct cf_place at;
    size_t count;
    struct cf_word words[CF_LINE_WORDS_MAX]; /* `count` of them are set */
    struct cf_place places[CF_LINE_WORDS_MAX];
    uint32_t starts[CF_LINE_WORDS_MAX]; /* where in the text each begins */
};

/* node: a text; anything else is an error, and there are no lines. */
void cf_lines_begin(struct cf_lines *lines, struct cf_reading *reading, const struct cf_node *node);
/* false: there are no more.  A line that cannot be split is an error and left out. */
bool cf_lines_next(struct cf_lines *lines, struct cf_line *line);
/* Split a text into words; false: it was an error. */
bool cf_line_split(struct cf_reading *reading, struct kp_text text, struct cf_place at,
                   struct cf_line *line);
/* Is the line's word k that bare word? */
bool cf_line_is(const struct cf_line *line, size_t k, const char *word);
/* The word's duration; an error otherwise. */
int64_t cf_line_duration(struct cf_reading *reading, const struct cf_line *line, size_t k);
bool cf_line_int(struct cf_reading *reading, const struct cf_line *line, size_t k, int64_t *number);
/* The bare or quoted word, or empty where there is none. */
struct kp_text cf_line_word(const struct cf_line *line, size_t k);
/* The text from word k on, which is there. */
struct kp_text cf_line_rest(const struct cf_line *line, size_t k);

/*
 * One case, whole: `node` has the file's defaults and the row's keys merged in.  What is wrong is
 * put on the list; `out` is then not to be run.
 */
void cf_case_read(struct cf_reading *reading, struct kp_text topic, const struct cf_node *node,
                  struct cf_case *out);

/* ---- the parts of a case -------------------------------------------------------------------- */

/* case_pod.c: the pods of a case, completed and decoded. */
/*
 * `probe: {type: liveness, ...}`: the spec of a pod whose only container, web, has that probe.
 * *type: the enum kp_probe_type, -1 where `type` names none; then the result is NULL.
 */
struct cf_node *cf_case_probe_spec(struct cf_arena *arena, const struct cf_node *written,
                                   int *type);

void cf_case_read_pods(struct cf_reading *reading, struct cf_case *item);
/* A pod as the case writes it, completed: metadata, images, defaults. */
struct cf_node *cf_case_complete_pod(struct cf_reading *reading, const struct cf_node *written);
/*
 * Whom "web", "p2:web" or "web/1" is about.  container: -1 for "pod" or "p2:pod".  Complains where
 * there is none.
 */
bool cf_case_subject(struct cf_reading *reading, const struct cf_case *item,
                     const struct cf_line *line, size_t k, uint32_t *pod, int *container);
/* The name of a pod's container. */
struct kp_text cf_case_container_name(const struct cf_case *item, uint32_t pod, int container);
/* Has such a container that probe or hook, in the document as it is written? */
bool cf_case_can_ask(const struct cf_case *item, const struct fake_answers *answers);

/* case_script.c, case_events.c: the world. */
void cf_case_read_answers(struct cf_reading *reading, struct cf_case *item);
bool cf_case_read_call(struct cf_reading *reading, const struct cf_case *item, struct kp_text word,
                       struct cf_place at, struct fake_answers *answers);
/*
 * An answer that nobody asks for changes nothing: hardly what is meant.  Complains, where no update
 * can bring the probe.  (Of a case's own `answers` it is not asked: rows share them.)
 */
bool cf_case_check_call(struct cf_reading *reading, const struct cf_case *item, struct kp_text word,
                        struct cf_place at, const struct fake_answers *answers);
bool cf_case_read_steps(struct cf_reading *reading, struct kp_text text, struct cf_place at,
                        struct fake_answers *answers);
void cf_case_read_world(struct cf_reading *reading, struct cf_case *item);
void cf_case_read_events(struct cf_reading *reading, struct cf_case *item);
/* What of the plain life of a pod it asks for: item->plain. */
void cf_case_read_plain(struct cf_reading *reading, struct cf_case *item);
void cf_case_read_play(struct cf_reading *reading, struct cf_case *item);

/* case_trace.c: what must come out. */
void cf_case_read_traces(struct cf_reading *reading, struct cf_case *item);
