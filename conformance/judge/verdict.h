/* verdict.h: a run as people read it on a terminal: each failure with its timeline, and the sum. */
#pragma once

#include "conformance/judge/result.h"

#include <stdio.h>

/* Where the colours of a text change, and to what. */
struct cf_colours {
    struct {
        size_t at;
        const char *code;
    } changes[64];
    size_t count;
};

struct cf_print {
    const char *rerun;  /* the command line up to the case's id: "probetest run --k8s 1.36" */
    const char *behind; /* and what follows it: " -- ./adapter --fast", or "" */
    struct cf_colours *colours; /* NULL: none */
};

/* Sentence, both sides of the timeline with the first divergence marked, rules, rerun command. */
void cf_print_failure(struct cf_out *out, const struct cf_result_case *item,
                      const struct cf_print *print);
/* The text as cf_print_text writes it, in its colours. */
void cf_print_coloured(FILE *to, struct kp_text text, const struct cf_colours *colours);
/*
 * A line per topic, or topics by versions where several were asked for; what was not judged and
 * why, the totals, and the closing line `N passed, N failed` alone.
 */
void cf_print_summary(struct cf_out *out, const struct cf_result *result);
