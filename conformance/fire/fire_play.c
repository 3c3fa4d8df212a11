/* fire_play.c: one case of layer fire: servers up, the question, servers down. */
#define _GNU_SOURCE /* memmem */
#include "conformance/fire/fire.h"
#include "conformance/fire/fire_server.h"
#include "conformance/protocol/scratch.h"
#include "conformance/table/fire_text.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { VALGRIND_FACTOR = 8, GONE_MS = 1000 };

int cf_fire_slower(void)
{
    return getenv("UNDER_VALGRIND") ? VALGRIND_FACTOR : 1;
}

/* ---- the request -------------------------------------------------------------------------- */

/* A port that is a placeholder becomes a number. */
static void fill_port(struct cf_node *node, const struct cf_fire_names *names,
                      struct cf_arena *arena)
{
    static const struct kp_text words[] = {{"${PORT}", 7}, {"${OTHER}", 8}};

    for (size_t k = 0; k < 2; k++)
        if (kp_text_equal(node->text, words[k])) {
            node->kind = CF_NUMBER;
            node->text = cf_arena_format(arena, "%u", names->ports[k]);
        }
}

static void fill_texts(struct cf_node *node, const struct cf_fire_names *names,
                       struct cf_arena *arena)
{
    for (struct cf_node *one = node->first; one; one = one->next) {
        if (kp_text_equal(one->key, KP_TEXT("port")) ||
            kp_text_equal(one->key, KP_TEXT("containerPort")))
            fill_port(one, names, arena);
        if (one->kind == CF_STRING)
            one->text = cf_fire_expand(arena, names, one->text);
        fill_texts(one, names, arena);
    }
}

static void put_filled(struct cf_node *request, const char *key, const struct cf_node *written,
                       const struct cf_fire_names *names, struct cf_arena *arena)
{
    struct cf_node *copy = written ? cf_node_copy(arena, written) : NULL;

    if (!copy)
        return;
    fill_texts(copy, names, arena);
    cf_node_put(request, kp_text_of(key), copy);
}

static struct kp_text members(const struct cf_case *item, const struct cf_fire_names *names,
                              int64_t timeout_ns, struct cf_arena *arena)
{
    struct cf_node *request = cf_node_new(arena, CF_MAP, (struct cf_place){0, 0});
    const struct cf_node *pod_ip = cf_node_find(item->node, "podIP");
    struct kp_text json;

    if (!request)
        return KP_TEXT_NONE;
    put_filled(request, "probe", item->fire->probe, names, arena);
    put_filled(request, "env", cf_node_find(item->node, "env"), names, arena);
    put_filled(request, "ports", cf_node_find(item->node, "ports"), names, arena);
    cf_node_put(request, KP_TEXT("podIP"),
                cf_node_string(arena, pod_ip ? pod_ip->text : KP_TEXT("127.0.0.1")));
    cf_node_put(request, KP_TEXT("timeout"), cf_node_int(arena, timeout_ns / KP_NS_PER_MS));
    json = cf_node_json(arena, request);
    return json.len < 2 ? KP_TEXT_NONE : (struct kp_text){json.bytes + 1, json.len - 2};
}

/* ---- the reply's shape -------------------------------------------------------------------- */

static const char *const results[] = {"success", "warning", "failure", "unknown"};
static const struct cf_words result_words = {results, sizeof results / sizeof *results, 0};

static bool check_reply(struct cf_reader *reader, const struct cf_node *ok)
{
    static const char *const known[] = {"result", "output", "error", "class"};
    struct kp_text text = KP_TEXT_NONE;
    int word;

    if (ok->kind != CF_MAP)
        return cf_reader_fail(reader, "`ok` of fire must be an object");
    for (const struct cf_node *one = ok->first; one; one = one->next) {
        bool is_known = false;

        for (size_t i = 0; i < sizeof known / sizeof *known; i++)
            is_known = is_known || kp_text_equal(one->key, kp_text_of(known[i]));
        if (!is_known)
            return cf_reader_fail(reader, "`%.*s` is no member of a reply to fire",
                                  KP_ARG(one->key));
    }
    if (!cf_member_word(reader, ok, "result", &result_words, true, &word) ||
        !cf_member_word(reader, ok, "class", &cf_fire_class_words, false, &word) ||
        !cf_member_text(reader, ok, "output", &text) || !cf_member_text(reader, ok, "error", &text))
        return false;
    if ((cf_node_find(ok, "output") == NULL) == (cf_node_find(ok, "error") == NULL))
        return cf_reader_fail(reader, "a reply to fire has `output` or `error`, and one of them");
    return true;
}

static const struct cf_node *ask(struct cf_subject *subject, struct kp_text question,
                                 struct cf_arena *arena)
{
    struct cf_reader reader = {.arena = arena};
    const struct cf_node *ok = cf_subject_ask(subject, "fire", question);

    if (ok && check_reply(&reader, ok))
        return cf_node_copy(arena, ok);
    if (ok)
        cf_subject_break(subject, CF_ERROR_PROTOCOL, reader.why);
    return NULL;
}

/* ---- what is left behind ------------------------------------------------------------------ */

/* A zombie runs no more. */
static bool runs(long pid)
{
    char path[64];
    char text[512];
    size_t got;
    const char *state;
    FILE *file;

    snprintf(path, sizeof path, "/proc/%ld/stat", pid);
    file = fopen(path, "re");
    if (!file)
        return false;
    got = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[got] = '\0';
    state = strrchr(text, ')');
    return state && state[1] == ' ' && state[2] != 'Z' && state[2] != 'X';
}

/* 0: the file holds none. */
static long read_pid(struct kp_text dir, struct kp_text name)
{
    char path[512];
    char text[32] = "";
    FILE *file;
    size_t got;

    snprintf(path, sizeof path, "%.*s/%.*s", KP_ARG(dir), KP_ARG(name));
    file = fopen(path, "re");
    if (!file)
        return 0;
    got = fread(text, 1, sizeof text - 1, file);
    text[got] = '\0';
    fclose(file);
    return strtol(text, NULL, 10);
}

static bool is_gone(long pid)
{
    const struct timespec while_ms = {.tv_nsec = 10 * KP_NS_PER_MS};

    for (int i = 0; i < GONE_MS / 10 && runs(pid); i++)
        nanosleep(&while_ms, NULL);
    if (!runs(pid))
        return true;
    kill((pid_t)pid, SIGKILL);
    return false;
}

/* Which of the processes whose ids stand in files of the folder still run? */
static struct kp_text_list find_left(const struct cf_case *item, struct kp_text dir,
                                     struct cf_arena *arena)
{
    const struct cf_node *gone = cf_node_find(item->node, "gone");
    struct kp_text *items = cf_arena_array(arena, gone ? gone->count + 1 : 1, sizeof *items);
    struct kp_text_list list = {items, 0};

    for (const struct cf_node *one = gone ? gone->first : NULL; items && one; one = one->next) {
        long pid = read_pid(dir, one->text);

        if (pid <= 0 || !is_gone(pid))
            items[list.count++] = one->text;
    }
    return list;
}

/* ---- playing ------------------------------------------------------------------------------ */

static struct kp_text duration_text(struct cf_arena *arena, int64_t ns)
{
    char bytes[32];
    struct kp_buf buf = {bytes, sizeof bytes, 0};

    kp_buf_put_duration(&buf, ns);
    return cf_arena_text(arena, kp_buf_text(&buf));
}

static bool names_folder(const struct cf_node *node)
{
    if (node->kind == CF_STRING && node->text.len > 0 &&
        memmem(node->text.bytes, node->text.len, "${DIR}", 6))
        return true;
    for (const struct cf_node *one = node->first; one; one = one->next)
        if (names_folder(one))
            return true;
    return false;
}

/* False: it could not be made.  Most attempts need none. */
static bool make_folder(const struct cf_case *item, struct cf_arena *arena, struct kp_text *dir)
{
    const char *base = getenv("TMPDIR");

    if (!names_folder(item->node))
        return true;
    *dir = cf_arena_format(arena, "%s/probetest.XXXXXX", base && *base ? base : "/tmp");
    return dir->len > 0 && mkdtemp((char *)(uintptr_t)dir->bytes) != NULL;
}

static bool play(const struct cf_case *item, struct cf_subject *subject, int slower,
                 struct cf_arena *arena, struct cf_fire_names *names, struct cf_fire_seen *seen)
{
    bool waits = item->fire->timeout_ns <= CF_FIRE_WAIT_NS_MAX;
    int64_t timeout_ns = item->fire->timeout_ns * (waits ? slower : 1);
    int64_t allowed_ns = waits ? timeout_ns : CF_FIRE_WAIT_NS_MAX;
    struct cf_fire_servers *servers = cf_fire_servers_new(item->fire, names);
    bool fine = servers && cf_fire_servers_start(servers, arena, names, slower);

    names->timeout = duration_text(arena, timeout_ns);
    cf_subject_allow(subject, (int)(allowed_ns / KP_NS_PER_MS));
    if (fine)
        seen->ok = ask(subject, members(item, names, timeout_ns, arena), arena);
    cf_subject_allow(subject, 0);
    seen->requests = cf_fire_servers_end(servers, arena, &seen->open);
    seen->left = find_left(item, names->dir, arena);
    return fine;
}

bool cf_fire_play(const struct cf_case *item, struct cf_subject *subject, struct kp_text version,
                  int slower, struct cf_arena *arena, struct cf_fire_seen *seen)
{
    struct cf_fire_names *names = cf_arena_alloc(arena, sizeof *names);
    bool fine;

    *seen = (struct cf_fire_seen){.names = names};
    if (!names || !make_folder(item, arena, &names->dir))
        return false;
    names->version = version;
    fine = play(item, subject, slower * cf_fire_slower(), arena, names, seen);
    if (names->dir.len > 0)
        cf_scratch_remove(names->dir.bytes);
    return fine;
}
