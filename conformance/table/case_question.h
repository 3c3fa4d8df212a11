/*
 * case_question.h: cases of one question and one answer (all layers but probe, pod and fire): read,
 * put as a request of the adapter protocol, and judged by its reply.
 */
#pragma once

#include "conformance/protocol/outcome.h"
#include "conformance/table/case_read.h"

void cf_case_read_question(struct cf_reading *reading, struct cf_case *item);

/* The request's members behind `op`, as JSON without braces. */
struct kp_text cf_question_members(const struct cf_case *item, struct cf_arena *arena);

/* Judge the value of `ok`. */
void cf_question_judge(const struct cf_case *item, const struct cf_node *ok, struct cf_arena *arena,
                       struct cf_outcome *out);

/* ---- case_actions.c: for question.c --------------------------------------------------- */

/* Complain of words that `sandbox`, `runtime`, `results` and `does` do not know. */
void cf_actions_check(struct cf_reading *reading, const struct cf_case *item);
void cf_actions_members(const struct cf_case *item, struct cf_arena *arena,
                        struct cf_node *request);
/* A reply as lines: what the sync does, in order. */
struct cf_node *cf_actions_lines(const struct cf_case *item, struct cf_arena *arena,
                                 const struct cf_node *ok);
/* `does` as such lines; kills of `got` are put into its order, as they are a set. */
struct cf_node *cf_actions_wanted(const struct cf_case *item, struct cf_arena *arena,
                                  struct cf_node *got);

/* ---- case_kept.c: for question.c: layers events and kubectl ----------------------------- */

/* Complain of lines and columns that `recorded`, `kept` and `columns` do not know. */
void cf_kept_check(struct cf_reading *reading, const struct cf_case *item);
void cf_kept_members(const struct cf_case *item, struct cf_arena *arena, struct cf_node *request);
/* The lines of `recorded` or `kept` as the protocol's objects. */
struct cf_node *cf_kept_objects(struct cf_arena *arena, const struct cf_node *node, bool recorded);
/* `kept` as lines, and events of a reply as such lines. */
struct cf_node *cf_kept_wanted(const struct cf_case *item, struct cf_arena *arena);
struct cf_node *cf_kept_lines(struct cf_arena *arena, const struct cf_node *events);
