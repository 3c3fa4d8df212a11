/*
 * case.h: the cases of the table, as they stand in conformance/cases/(layer)/(topic).yaml.
 *
 * A case is data: what goes in (a pod, a world, a table row) and what must come out.  How one is
 * written is in conformance/cases/README.md; the keys are described once, in case_keys.def.
 */
#pragma once

#include "conformance/protocol/layer.h"
#include "conformance/text/node.h"
#include "core/rules/rules.h"
#include "fakes/world.h"

enum cf_kind {
    CF_PLAY,     /* saw and told: one probe's answers, and its result after each */
    CF_SCENARIO, /* a pod in a world, and its trace */
    CF_QUESTION, /* one question, one answer: layers port, check, actions, events and kubectl */
    CF_ATTEMPT,  /* one attempt of a real probe: layer fire */
};

/* One word of a line: "web/1", liveness, 30s; quoted ones without their quotation marks. */
struct cf_word {
    struct kp_text text;
    bool quoted;
};

/* Something that must happen, or (in `never`) must not. */
struct cf_want {
    int64_t at_ns;
    int64_t until_ns; /* later than at_ns: any instant between the two */
    bool optional;    /* it may be missing */
    enum kp_effect_kind kind;
    const struct cf_word *words;
    size_t word_count;
    struct cf_place at;
    struct kp_text line; /* as written */
};

struct cf_trace {
    struct kp_text name; /* of an alternative; empty: there is only one */
    const struct cf_want *wants;
    size_t want_count;
};

/* The effects that a case looks at: of one kind and, where it is not empty, one sort. */
struct cf_watch {
    enum kp_effect_kind kind;
    struct kp_text sort; /* probe and result: the type; event: the reason; condition: the type */
};

struct cf_gate {
    struct kp_text name;
    bool on;
};

struct cf_fire;

/* Versions as minor * 1000 + patch, both inclusive. */
struct cf_span {
    int first;
    int last;
};

/* The most versions that `since` or `until` lists; between two of a list is a hole. */
enum { CF_VERSION_LIST_MAX = 5, CF_HOLES_MAX = 2 * (CF_VERSION_LIST_MAX - 1) };

struct cf_case {
    struct kp_text id;    /* with a NUL behind it */
    struct kp_text topic; /* the file's path below the folder of cases, without .yaml */
    struct kp_text about; /* what its file is about */
    struct kp_text why;
    struct kp_text source;
    const char *file;
    struct cf_place at;
    enum cf_kind kind;
    enum cf_layer layer;
    bool observed;             /* `level: observed`: what comes is recorded, not judged */
    const enum kp_rule *rules; /* at least one */
    size_t rule_count;
    int since;                          /* version as minor * 1000 + patch; inclusive */
    int until;                          /* the same; inclusive */
    struct cf_span holes[CF_HOLES_MAX]; /* releases between them that the case says nothing of */
    size_t hole_count;
    struct kp_text_list features; /* what an adapter must say that it has */
    struct kp_text_list plain;    /* what it must not say that it lacks: words of cf_lackable */
    struct kp_text_list upstream; /* names of upstream's tests */
    struct kp_text_list issues;   /* numbers, as text */
    const struct cf_gate *gates;  /* that differ from the default */
    size_t gate_count;
    const struct cf_node *node; /* the whole case, defaults and table row merged in */

    /* Plays and scenarios. */
    const struct cf_node *const *pods; /* as the API server stores them; decode once the version
                                          is known */
    size_t pod_count;
    int64_t uptime_ns; /* of the kubelet at time 0 */
    int64_t wall_ns;   /* the wall clock at time 0 */
    int64_t sync_frequency_ns;
    int64_t requeue_ppb; /* what is drawn of a requeue's random part, in billionths */
    enum fake_jitter_mode jitter;
    const struct fake_jitter_row *jitter_rows;
    size_t jitter_row_count;
    struct fake_script script;
    /* For each event of the script, the pod of an `update`, or NULL. */
    const struct cf_node *const *updates;
    int64_t end_ns;

    /* A play. */
    enum kp_probe_type play_type;
    struct kp_text saw;
    struct kp_text told;

    /* A scenario. */
    const struct cf_watch *watches; /* none: all kinds but sync */
    size_t watch_count;
    bool unordered; /* effects of one instant may come in any order */
    const struct cf_trace *traces;
    size_t trace_count;
    const struct cf_want *nevers;
    size_t never_count;

    const struct cf_fire *fire; /* an attempt: fire.h */
};

/* A fault of a case file. */
struct cf_suite_fault {
    const char *file;
    struct cf_place at;
    struct kp_text message;
};

/* {.arena.mem = cf_libc_mem()} is an empty one. */
struct cf_suite {
    struct cf_arena arena; /* of everything in it */
    struct cf_case *cases; /* in the order of files and of their text */
    size_t case_count;
    size_t case_room;
    uint32_t *by_id;    /* 2 * case_room slots: the number of a case and 1, or 0 */
    const char *folder; /* that it was loaded from, or NULL */
    struct cf_suite_fault *faults;
    size_t fault_count;
    size_t fault_room;
};

void cf_suite_deinit(struct cf_suite *suite);

/*
 * Read the cases of one file and add them.  All that is wrong in it is put on suite->faults.
 *
 * name:     of the file, for errors and for the topic; copied.
 * text:     its bytes; copied.
 * Returns:  KP_OK, KP_EINPUT (there are faults), KP_ENOMEM.
 */
KP_MUST_USE enum kp_err cf_suite_add(struct cf_suite *suite, const char *name, struct kp_text text);

/*
 * Where the table is: $PROBETEST_CASES, else conformance/cases where that is below the working
 * directory (a checkout), else NULL: the one that is built in.
 */
const char *cf_cases_folder(void);

/*
 * Read every *.yaml of a folder and of the folders in it, in the order of their names.
 *
 * folder:   borrowed while the suite lives; NULL: the table that is built in (builtin.h).
 *
 * Returns:  as cf_suite_add; a folder or file that cannot be read is a fault too.
 */
KP_MUST_USE enum kp_err cf_suite_load(struct cf_suite *suite, const char *folder);

/* Add a copy of a case, also of one whose id is there; no memory: the arena says so. */
void cf_suite_put(struct cf_suite *suite, const struct cf_case *item);

/* Write the faults to stderr, a line each: file:line:column: message. */
void cf_suite_print_faults(const struct cf_suite *suite);

/* Begin a suite, to be ended in any case, and load a folder; what is wrong with it is written to
 * stderr.  Returns: CF_EXIT_OK, CF_EXIT_SUITE. */
int cf_suite_open(struct cf_suite *suite, const char *folder);

/* NULL: there is none of that id. */
const struct cf_case *cf_suite_find(const struct cf_suite *suite, struct kp_text id);

/* Does the case show that rule? */
static inline bool cf_case_shows(const struct cf_case *item, enum kp_rule rule)
{
    for (size_t i = 0; i < item->rule_count; i++)
        if (item->rules[i] == rule)
            return true;
    return false;
}

/* Does the case speak of that version, minor * 1000 + patch? */
bool cf_case_applies(const struct cf_case *item, int version);
