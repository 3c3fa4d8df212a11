/*
 * rules.h: every observable rule of the kubelet's probe chain, as data.
 *
 * One row a rule in rules_prober.def (P-), rules_sync.def (S-) and rules_api.def (D-, V-, E-, A-);
 * those that no trace can show have a reason in rules_silent.def, and standing.def says how firmly
 * each stands.
 * The rows make the enum, the reference and the coverage question.  Code says a rule's name,
 * KP_RULE_BELOW_THRESHOLD; cases and people its id, P-046, which never changes and is never reused.
 */
#pragma once

#include "../base/text.h"

enum kp_rule {
    KP_RULE_NONE,
#define RULE(name, id, since, until, place, confidence, issues, level, sentence) KP_RULE_##name,
#include "rules_api.def"
#include "rules_prober.def"
#include "rules_sync.def"
#undef RULE
    KP_RULES
};

enum kp_rule_level {
    KP_LEVEL_MUST,     /* judged */
    KP_LEVEL_OBSERVED, /* implementation-defined: recorded, not judged */
    KP_LEVEL_PROSE     /* no trace can show it: kp_rule_silent says why */
};

/* How firmly a rule stands (standing.def), the firmest first. */
enum kp_standing {
    KP_STANDING_CONTRACT, /* documented: users may rely on it in anything that implements probes */
    KP_STANDING_KUBELET,  /* all kubelets do it, nothing promises it */
    KP_STANDING_WORDING,  /* a text */
    KP_STANDING_QUIRK,    /* a bug that is known */
    KP_STANDINGS
};

struct kp_rule_row {
    const char *name;   /* "BELOW_THRESHOLD": the constant's, without KP_RULE_ */
    const char *id;     /* "P-046" */
    const char *since;  /* first Kubernetes version that has it: "1.15", "1.34.2" */
    const char *until;  /* last one; "" where the newest still has it */
    const char *place;  /* upstream file and function: "worker.go doProbe" */
    char confidence;    /* H, M or L */
    const char *issues; /* upstream issue and pull request numbers, space-separated; or "" */
    enum kp_rule_level level;
    const char *sentence; /* what the kubelet does */
};

/* The row of a rule; `rule` is not KP_RULE_NONE. */
const struct kp_rule_row *kp_rule_get(enum kp_rule rule);
/* Why no trace can show a rule; NULL: one can. */
const char *kp_rule_silent(enum kp_rule rule);
/* How firmly a rule stands. */
enum kp_standing kp_rule_standing(enum kp_rule rule);
/* What says so: a page of the documentation, an enhancement, a bug's id; "" for the others. */
const char *kp_rule_evidence(enum kp_rule rule);
/* "contract", "kubelet", "wording", "quirk". */
const char *kp_standing_name(enum kp_standing standing);
/* "P-046" -> KP_RULE_BELOW_THRESHOLD; KP_RULE_NONE: there is none of that id. */
enum kp_rule kp_rule_find(struct kp_text id);
