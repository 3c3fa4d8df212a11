/*
 * result.h: a run as a file: one JSON object a line: a header, the cases in the order of the
 * selection, a footer with totals and a seal.  The same run writes the same bytes: no clock, no
 * path, no process id.
 *
 * The seal is the SHA-256 of every byte before it, so truncation and edits show.
 */
#pragma once

#include "conformance/protocol/outcome.h"
#include "conformance/protocol/wire.h"
#include "conformance/text/sha256.h"

#define CF_RESULT_FORMAT 1

/* Who was judged on what. */
struct cf_result_header {
    struct kp_text tool;  /* version of probetest */
    struct kp_text suite; /* hash of the table */
    struct kp_text_list k8s;
    uint64_t seed;
    struct cf_hello_ok about;
    struct kp_text selection; /* in words, as given */
    size_t selected;
};

struct cf_result_case {
    struct kp_text id;
    struct kp_text k8s; /* "1.36": the version it was played at */
    struct kp_text topic;
    struct kp_text layer;
    struct kp_text sentence; /* why the case matters */
    struct kp_text place;    /* thresholds.yaml:12 */
    struct kp_text_list rules;
    struct kp_text_list issues;
    struct kp_text reason; /* of an xfail: from the known-failure file */
    enum cf_tier tier;     /* that it was judged by; not in a file */
    struct cf_outcome outcome;
};

struct cf_result {
    struct cf_result_header header;
    const struct cf_result_case *cases;
    size_t case_count;
    size_t totals[CF_VERDICTS];
    struct kp_text_list unobserved; /* effect kinds that cases wanted and nobody reported */
    bool interrupted;
};

/* ---- writing ------------------------------------------------------------------------------ */

struct cf_result_writer {
    void (*write)(void *ctx, struct kp_text bytes);
    void *ctx;
    struct cf_sha256 sha;
    struct cf_out line;
    size_t totals[CF_VERDICTS];
    bool unobserved[CF_EFFECT_KINDS];
};

/* write: takes each line as it is ready. */
void cf_result_begin(struct cf_result_writer *writer, const struct cf_result_header *header);
void cf_result_add(struct cf_result_writer *writer, const struct cf_result_case *item);
void cf_result_end(struct cf_result_writer *writer, bool interrupted);

/* ---- reading ------------------------------------------------------------------------------ */

/*
 * Read a whole file back.
 *
 * bytes:    of the file; borrowed as long as the result is used.
 * Returns:  false: it is damaged; the reader says where and how ("line 7: ...").
 */
bool cf_result_read(struct cf_reader *reader, struct kp_text bytes, struct cf_result *result);

/* Sum of all verdicts that judge: everything but skip, observed, noisy and not-run. */
size_t cf_result_judged(const size_t totals[CF_VERDICTS]);
bool cf_result_conforms(const struct cf_result *result);
