/* worlds_test.c: whom a word is said of, when the pod is deleted by it, and how it is told. */
#include "conformance/simulate/worlds.h"

#include "conformance/pod/manifest.h"
#include "fakes/unit.h"

#include <stdio.h>

#define S KP_NS_PER_S
#define PROBE ", livenessProbe: {tcpSocket: {port: 80}}"
#define PORTS ", ports: [{containerPort: 80}]"

/* Containers, behind init containers. */
#define WEB "containers: [{name: web, image: i" PROBE "}]"
#define PAIR "containers: [{name: api, image: i" PROBE "}, {name: db, image: i" PROBE "}]"
#define MIXED                                                                                      \
    "initContainers: [{name: job, image: i}, {name: proxy, image: i, restartPolicy: Always}], "    \
    "containers: [{name: api, image: i" PROBE PORTS "}, {name: log, image: i}]"

static const struct row {
    const char *spec;
    struct said {
        enum cf_world_word word;
        const char *container; /* NULL: nothing more is said; "": each */
        int64_t ns;
    } said[3];
    const char *told;
    size_t columns;      /* 0: no limit */
    int64_t deleted_ns;  /* -1: never */
    const char *unknown; /* or that container is refused */
    bool unseen;
} rows[] = {
    {WEB, {{CF_STARTS_IN, "", 35 * S}}, ": starts in 35 s", 0, -1, NULL, false},
    {WEB, {{CF_ANSWERS_IN, "web", 1200 * KP_NS_PER_MS}}, ": answers in 1.2 s", 0, -1, NULL, false},
    {WEB, {{CF_HANGS_AT, "", 600 * S}}, ": hangs at 10 min", 0, -1, NULL, false},
    {WEB,
     {{CF_DOWN_FOR, "", 20 * S}},
     ": answers no probe from 5 min to 5 min 20 s",
     0,
     -1,
     NULL,
     false},
    {WEB,
     {{CF_HANGS_AT, "", 60 * S}, {CF_DOWN_FOR, "", 15 * S}, {CF_STARTS_IN, "", 5 * S}},
     ": starts in 5 s, hangs from 60 s to 75 s",
     0,
     -1,
     NULL,
     false},
    /* A stop that nothing else brings about is a deletion's, after 5 minutes. */
    {WEB, {{CF_STOPS_IN, "", 45 * S}}, ": stops in 45 s; deleted at 5 min", 0, 300, NULL, false},
    {WEB,
     {{CF_STOPS_IN, "", 45 * S}, {CF_HANGS_AT, "", 60 * S}},
     ": hangs at 60 s, stops in 45 s",
     0,
     -1,
     NULL,
     false},
    {WEB,
     {{CF_TRAFFIC_FOR, "", 10 * S}, {CF_HANGS_AT, "", 60 * S}},
     ": hangs at 60 s, gets requests until 10 s after the deletion; deleted at 5 min",
     0,
     300,
     NULL,
     false},
    {WEB,
     {{CF_STOPS_IN, "", 45 * S}, {CF_DELETED_AT, "", 120 * S}},
     ": stops in 45 s; deleted at 120 s",
     0,
     120,
     NULL,
     false},
    {WEB, {{CF_DELETED_AT, "", 120 * S}}, ": deleted at 120 s", 0, 120, NULL, false},
    {WEB, {{0}}, "", 0, -1, NULL, false},
    /* Who is meant by name; what is the same of all is told once. */
    {PAIR,
     {{CF_STARTS_IN, "api", 35 * S}, {CF_HANGS_AT, "db", 600 * S}},
     ": api starts in 35 s; db hangs at 10 min",
     0,
     -1,
     NULL,
     false},
    {PAIR, {{CF_HANGS_AT, "", 600 * S}}, ": each hangs at 10 min", 0, -1, NULL, false},
    {PAIR, {{CF_HANGS_AT, "db", 600 * S}}, ": db hangs at 10 min", 0, -1, NULL, false},
    {PAIR, {{CF_HANGS_AT, "c", 600 * S}}, "", 0, -1, "c", false},
    /* Probes' words of what has probes; a deletion's of what does not end by itself, requests to
     * what names its ports. */
    {MIXED, {{CF_HANGS_AT, "", 60 * S}}, ": api hangs at 60 s", 0, -1, NULL, false},
    {MIXED, {{CF_HANGS_AT, "log", 60 * S}}, "", 0, -1, "log", false},
    {MIXED, {{CF_STOPS_IN, "job", 60 * S}}, "", 0, -1, "job", false},
    {MIXED,
     {{CF_STOPS_IN, "", 2 * S}},
     ": each stops in 2 s; deleted at 5 min",
     0,
     300,
     NULL,
     false},
    {MIXED,
     {{CF_TRAFFIC_FOR, "", 2 * S}},
     ": api gets requests until 2 s after the deletion; deleted at 5 min",
     0,
     300,
     NULL,
     false},
    {MIXED,
     {{CF_TRAFFIC_FOR, "log", 2 * S}},
     ": log gets requests until 2 s after the deletion; deleted at 5 min",
     0,
     300,
     NULL,
     false},
    {PAIR,
     {{CF_TRAFFIC_FOR, "", 2 * S}},
     ": each gets requests until 2 s after the deletion; deleted at 5 min",
     0,
     300,
     NULL,
     false},
    {"containers: [{name: web, image: i}]", {{CF_HANGS_AT, "", 60 * S}}, "", 0, -1, NULL, true},
    {"containers: [{name: web, image: i}]",
     {{CF_STOPS_IN, "", 60 * S}},
     ": stops in 60 s; deleted at 5 min",
     0,
     300,
     NULL,
     false},
    /* What was begun has three columns: "pod". */
    {WEB, {{CF_STARTS_IN, "", 35 * S}}, ": starts in 35 s", 19, -1, NULL, false},
    {WEB, {{CF_STARTS_IN, "", 35 * S}}, ":\n  starts in 35 s", 18, -1, NULL, false},
};

static enum kp_err make(struct cf_arena *arena, const struct row *row, struct cf_manifest *manifest,
                        struct cf_worlds *worlds, struct kp_text *unknown)
{
    struct kp_profile profile = unit_profile("1.36");
    struct cf_world_said said[3];
    size_t count = 0;
    struct kp_text pod = cf_arena_format(
        arena, "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {%s}}", row->spec);

    for (; count < 3 && row->said[count].container; count++)
        said[count] = (struct cf_world_said){
            row->said[count].word, kp_text_of(row->said[count].container), row->said[count].ns};
    CHECK_INT(cf_manifest_read(arena, &profile, "p", pod, manifest), KP_OK);
    if (manifest->pod_count == 0)
        return KP_ENOMEM;
    return cf_worlds_make(arena, manifest->pods[0].pod, said, count, worlds, unknown);
}

static void what_was_said_is_told(void)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct row *row = &rows[i];
        struct cf_arena arena = {.mem = cf_libc_mem()};
        struct cf_out out = {0};
        struct cf_manifest manifest = {0};
        struct cf_worlds worlds;
        struct kp_text unknown;
        bool fine = CHECK_INT(make(&arena, row, &manifest, &worlds, &unknown),
                              row->unknown ? KP_EINPUT : KP_OK);

        if (fine && row->unknown) {
            fine = CHECK_TEXT(unknown, kp_text_of(row->unknown));
        } else if (fine) {
            cf_out_put_string(&out, "a line\npod");
            cf_worlds_put(&out, manifest.pods[0].pod, &worlds,
                          row->columns > 0 ? row->columns : SIZE_MAX);
            fine = CHECK_TEXT(kp_text_from(cf_out_text(&out), 10), kp_text_of(row->told)) &&
                   CHECK_INT(worlds.deleted_ns == KP_NEVER ? -1 : worlds.deleted_ns / S,
                             row->deleted_ns) &&
                   CHECK_INT(worlds.unseen, row->unseen) &&
                   CHECK_INT(worlds.any, row->said[0].container != NULL);
        }
        if (!fine)
            printf("  row %zu\n", i);
        cf_out_deinit(&out);
        cf_arena_deinit(&arena);
    }
}

/* What would begin when the play is over, or just then, is refused. */
static void what_begins_too_late_is_named(void)
{
    static const struct {
        struct said said[3];
        int64_t end_ns;
        const char *option; /* NULL: it is not late */
    } late[] = {
        {{{CF_HANGS_AT, "db", 60 * S}}, 60 * S, "--hangs-at"},
        {{{CF_HANGS_AT, "db", 60 * S}}, 60 * S + 1, NULL},
        {{{CF_DOWN_FOR, "", 20 * S}}, 300 * S, "--down-for, at 5 min,"},
        {{{CF_DOWN_FOR, "", 20 * S}}, 300 * S + 1, NULL},
        {{{CF_DOWN_FOR, "", 20 * S}, {CF_HANGS_AT, "", 60 * S}}, 100 * S, NULL},
        {{{CF_DELETED_AT, "", 120 * S}}, 120 * S, "the deletion"},
        {{{CF_DELETED_AT, "", 120 * S}}, 120 * S + 1, NULL},
        {{{CF_STOPS_IN, "", 1 * S}}, 299 * S, "the deletion"},
        {{{CF_STARTS_IN, "", 900 * S}}, 1 * S, NULL},
    };

    for (size_t i = 0; i < sizeof late / sizeof late[0]; i++) {
        struct row row = {.spec = PAIR};
        struct cf_arena arena = {.mem = cf_libc_mem()};
        struct cf_manifest manifest = {0};
        struct cf_worlds worlds;
        struct kp_text unknown;
        const char *option;

        for (int k = 0; k < 3; k++)
            row.said[k] = late[i].said[k];
        if (CHECK_INT(make(&arena, &row, &manifest, &worlds, &unknown), KP_OK)) {
            CHECK_INT(cf_worlds_is_late(&worlds, late[i].end_ns, &option), late[i].option != NULL);
            CHECK_STRING(option ? option : "", late[i].option ? late[i].option : "");
        }
        cf_arena_deinit(&arena);
    }
}

const struct unit_test worlds_test[] = {
    {"what was said is told", what_was_said_is_told},
    {"what begins too late is named", what_begins_too_late_is_named},
    {0},
};
