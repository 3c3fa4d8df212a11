/*
 * findings.h: what is wrong with the pods of a manifest or unwise about their probes: each finding
 * with its rule, its place, what shows it and what to change.
 */
#pragma once

#include "conformance/pod/manifest.h"

enum cf_lint_rule {
#define LINT(name, id, error, kubelet, sentence, others) CF_LINT_##name,
#include "conformance/advice/lint.def"
#undef LINT
    CF_LINT_RULES
};

struct cf_lint_row {
    const char *id;       /* "port-name-unknown" */
    bool error;           /* the API server would not take it; else advice */
    const char *kubelet;  /* the kubelet's rules behind it, "P-046 S-130"; "" */
    const char *sentence; /* what is wrong, without numbers */
    const char *others;   /* linters that find it, with their checks; "" */
};

const struct cf_lint_row *cf_lint_row(enum cf_lint_rule rule);
/* CF_LINT_RULES: there is none of that id. */
enum cf_lint_rule cf_lint_find(struct kp_text id);

struct cf_fix;

/* All texts live in the arena that the finding was made in. */
struct cf_finding {
    enum cf_lint_rule rule;
    struct cf_place at;
    bool ignored;             /* by a comment beside it */
    struct kp_text pod;       /* the object that holds the pod: "Deployment/web" */
    struct kp_text container; /* its name; empty: of the whole pod */
    struct kp_text field;     /* of the object: "spec.template.spec.containers[0].livenessProbe" */
    struct kp_text evidence;  /* numbers; of a refusal the server's own line */
    struct kp_text fix;       /* a strategic merge patch of the object, whole lines; empty: none */
    const struct cf_fix *change; /* what `fix` is made of; NULL: of words alone */
    /* One patch for all that is found of its container; empty: `fix` is alone, or stands apart. */
    struct kp_text together;
    /* What the change costs: "a hang is killed after 70 to 81 s (now 15 to 26 s)"; empty: nothing.
     */
    struct kp_text cost;
    /* Rules that would find something in the change alone, and that it is content with as reported:
     * "liveness-equals-readiness". */
    struct kp_text besides;
};

struct cf_findings {
    struct cf_finding *list;
    size_t count;
    size_t room;
    bool cut;      /* there are more than are check for */
    size_t errors; /* also of those not reported */
    size_t advice; /* that no comment ignores */
    size_t ignored;
};

/* Put one behind the others; no memory: arena->failed. */
void cf_findings_add(struct cf_arena *arena, struct cf_findings *findings,
                     struct cf_finding finding);
