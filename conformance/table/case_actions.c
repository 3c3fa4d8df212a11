/*
 * case_actions.c: layer actions, from a case's words to the request and from the reply back to
 * words.
 */
#include "conformance/table/case_question.h"

#include <string.h>

/* ---- the request ----------------------------------------------------------------------------- */

/* The k-th entry of a list, or of one text alone. */
static const struct cf_node *entry_at(const struct cf_node *node, size_t k)
{
    if (node && node->kind != CF_LIST)
        return k == 0 ? node : NULL;
    return cf_node_at(node, k);
}

static void split(struct cf_arena *arena, struct kp_text text, struct cf_line *line)
{
    struct cf_suite none = {0};
    struct cf_reading reading = {.suite = &none, .arena = arena};

    cf_line_split(&reading, text, (struct cf_place){0, 0}, line);
}

static struct cf_node *new_map(struct cf_arena *arena)
{
    return cf_node_new(arena, CF_MAP, (struct cf_place){0, 0});
}

static struct cf_node *new_list(struct cf_arena *arena)
{
    return cf_node_new(arena, CF_LIST, (struct cf_place){0, 0});
}

/* The number that is the k-th word; otherwise where that is none. */
static int64_t number_at(const struct cf_line *line, size_t k, int64_t otherwise)
{
    struct kp_text word = cf_line_word(line, k);
    size_t minus = word.len > 0 && word.bytes[0] == '-';
    int64_t number = 0;

    if (word.len == minus || word.bytes[minus] < '0' || word.bytes[minus] > '9')
        return otherwise;
    for (size_t i = minus; i < word.len; i++)
        number = 10 * number + (word.bytes[i] - '0');
    return minus ? -number : number;
}

/* Where a word stands; line->count: nowhere. */
static size_t find_word(const struct cf_line *line, const char *word)
{
    size_t k = 0;

    while (k < line->count && !cf_line_is(line, k, word))
        k++;
    return k;
}

static bool has_word(const struct cf_line *line, const char *word)
{
    return find_word(line, word) < line->count;
}

/* ready | notready [ATTEMPT] [no-ip] [other-network] */
static struct cf_node *sandbox_of(struct cf_arena *arena, struct kp_text text)
{
    struct cf_node *map = new_map(arena);
    struct cf_line line;

    split(arena, text, &line);
    cf_node_put(map, KP_TEXT("attempt"), cf_node_int(arena, number_at(&line, 1, 0)));
    cf_node_put(map, KP_TEXT("state"), cf_node_string(arena, cf_line_word(&line, 0)));
    cf_node_put(map, KP_TEXT("ip"), cf_node_bool(arena, !has_word(&line, "no-ip")));
    cf_node_put(map, KP_TEXT("otherNetwork"),
                cf_node_bool(arena, has_word(&line, "other-network")));
    return map;
}

/* created | running [changed] | exited CODE [REASON] | unknown; each of them: [sandbox ATTEMPT] */
static struct cf_node *instance_of(struct cf_arena *arena, struct kp_text container, size_t number,
                                   struct kp_text text)
{
    struct cf_node *map = new_map(arena);
    struct cf_line line;
    size_t sandbox;

    split(arena, text, &line);
    sandbox = find_word(&line, "sandbox");
    cf_node_put(map, KP_TEXT("container"), cf_node_string(arena, container));
    cf_node_put(
        map, KP_TEXT("cid"),
        cf_node_string(arena, cf_arena_format(arena, "%.*s-%zu", KP_ARG(container), number)));
    cf_node_put(map, KP_TEXT("state"), cf_node_string(arena, cf_line_word(&line, 0)));
    cf_node_put(map, KP_TEXT("code"), cf_node_int(arena, number_at(&line, 1, 0)));
    if (sandbox > 2 && line.count > 2)
        cf_node_put(map, KP_TEXT("reason"), cf_node_string(arena, cf_line_word(&line, 2)));
    if (sandbox < line.count)
        cf_node_put(map, KP_TEXT("sandbox"), cf_node_int(arena, number_at(&line, sandbox + 1, 0)));
    cf_node_put(map, KP_TEXT("changed"), cf_node_bool(arena, has_word(&line, "changed")));
    return map;
}

static struct cf_node *runtime_of(const struct cf_case *item, struct cf_arena *arena)
{
    const struct cf_node *sandbox = cf_node_find(item->node, "sandbox");
    const struct cf_node *shown = cf_node_find(item->node, "runtime");
    struct cf_node *runtime = new_map(arena);
    struct cf_node *sandboxes = new_list(arena);
    struct cf_node *containers = new_list(arena);

    for (size_t k = 0; entry_at(sandbox, k); k++)
        if (!kp_text_equal(entry_at(sandbox, k)->text, KP_TEXT("none")))
            cf_node_append(sandboxes, sandbox_of(arena, entry_at(sandbox, k)->text));
    for (const struct cf_node *one = shown ? shown->first : NULL; one; one = one->next) {
        size_t count = one->kind == CF_LIST ? one->count : 1;

        for (size_t k = 0; k < count; k++)
            cf_node_append(containers,
                           instance_of(arena, one->key, count - k, entry_at(one, k)->text));
    }
    cf_node_put(runtime, KP_TEXT("sandbox"), sandboxes);
    cf_node_put(runtime, KP_TEXT("containers"), containers);
    return runtime;
}

/* How many instances of a container the case shows; the newest has that number. */
static size_t instances_of(const struct cf_node *shown, struct kp_text container)
{
    size_t number = 1;

    for (const struct cf_node *one = shown ? shown->first : NULL; one; one = one->next)
        if (kp_text_equal(one->key, container) && one->kind == CF_LIST)
            number = one->count;
    return number;
}

/* The number between the slashes of web/1/liveness; 0: web/liveness.  *slash: the first one. */
static size_t instance_in(struct kp_text key, size_t *slash)
{
    size_t number = 0;
    size_t at;

    for (*slash = 0; *slash < key.len && key.bytes[*slash] != '/';)
        ++*slash;
    for (at = *slash + 1; at < key.len && kp_is_digit(key.bytes[at]); at++)
        number = 10 * number + (size_t)(key.bytes[at] - '0');
    return at < key.len && key.bytes[at] == '/' ? number : 0;
}

static const char *const result_types[] = {"liveness", "readiness", "startup"};

enum { RESULT_TYPES = sizeof result_types / sizeof *result_types };

/* Does the key end in /TYPE? */
static bool is_of_type(struct kp_text key, struct kp_text type)
{
    return key.len > type.len + 1 &&
           kp_text_equal((struct kp_text){key.bytes + key.len - type.len, type.len}, type);
}

/* {web/liveness: failure}: of the newest instance of web; web/1/liveness: of its first one. */
static struct cf_node *results_of(const struct cf_case *item, struct cf_arena *arena)
{
    const struct cf_node *said = cf_node_find(item->node, "results");
    const struct cf_node *shown = cf_node_find(item->node, "runtime");
    struct cf_node *results = new_map(arena);

    for (size_t k = 0; k < RESULT_TYPES; k++) {
        struct kp_text type = kp_text_of(result_types[k]);
        struct cf_node *of = new_map(arena);

        for (const struct cf_node *one = said ? said->first : NULL; one; one = one->next) {
            size_t slash;
            size_t number = instance_in(one->key, &slash);
            struct kp_text name = {one->key.bytes, slash};

            if (!is_of_type(one->key, type))
                continue;
            cf_node_put(of,
                        cf_arena_format(arena, "%.*s-%zu", KP_ARG(name),
                                        number > 0 ? number : instances_of(shown, name)),
                        cf_node_string(arena, one->text));
        }
        if (of && (of->count > 0 || strcmp(result_types[k], "readiness") != 0))
            cf_node_put(results, type, of);
    }
    return results;
}

void cf_actions_members(const struct cf_case *item, struct cf_arena *arena, struct cf_node *request)
{
    cf_node_put(request, KP_TEXT("runtime"), runtime_of(item, arena));
    cf_node_put(request, KP_TEXT("results"), results_of(item, arena));
}

/* ---- what may be said of them -----------------------------------------------------------------
 */

/* The line's first word is one of `words` (ended by NULL). */
static bool begins_with(const struct cf_line *line, const char *const words[])
{
    for (size_t i = 0; words[i]; i++)
        if (line->count > 0 && cf_line_is(line, 0, words[i]))
            return true;
    return false;
}

static void check_entries(struct cf_reading *reading, const struct cf_node *node,
                          const char *const words[], const char *wanted)
{
    for (size_t k = 0; entry_at(node, k); k++) {
        const struct cf_node *entry = entry_at(node, k);
        struct kp_text text = cf_read_text(reading, entry);
        struct cf_line line = {0};

        if (entry->kind == CF_STRING && cf_line_split(reading, text, entry->at, &line) &&
            !begins_with(&line, words))
            cf_fault_at(reading, entry->at, "'%.*s': wanted %s", KP_ARG(text), wanted);
    }
}

static void check_runtime(struct cf_reading *reading, const struct cf_case *item,
                          const struct cf_node *runtime)
{
    static const char *const states[] = {"created", "running", "exited", "unknown", NULL};

    if (runtime && runtime->kind != CF_MAP)
        cf_fault_at(reading, runtime->at, "runtime: wanted a map such as {web: exited 1}");
    for (const struct cf_node *one = runtime ? runtime->first : NULL; one; one = one->next) {
        struct cf_line line = {.at = one->key_at, .count = 1};
        uint32_t pod;
        int container;

        line.words[0].text = one->key;
        line.places[0] = one->key_at;
        cf_case_subject(reading, item, &line, 0, &pod, &container);
        check_entries(
            reading, one, states,
            "created, running [changed], exited CODE [REASON] or unknown [sandbox ATTEMPT]");
    }
}

/* web/1/liveness as web/liveness. */
static struct kp_text without_instance(struct cf_arena *arena, struct kp_text key)
{
    size_t slash;
    size_t type;

    if (instance_in(key, &slash) == 0)
        return key;
    for (type = key.len; key.bytes[type - 1] != '/';)
        type--;
    return cf_arena_format(arena, "%.*s%.*s", (int)slash + 1, key.bytes, (int)(key.len - type),
                           key.bytes + type);
}

static void check_results(struct cf_reading *reading, const struct cf_case *item,
                          const struct cf_node *results)
{
    if (results && results->kind != CF_MAP)
        cf_fault_at(reading, results->at, "results: wanted a map such as {web/liveness: failure}");
    for (const struct cf_node *one = results ? results->first : NULL; one; one = one->next) {
        struct fake_answers whom = {0};

        if (cf_case_read_call(reading, item, without_instance(reading->arena, one->key),
                              one->key_at, &whom) &&
            (whom.container.len == 0 || whom.call > FAKE_CALL_STARTUP))
            cf_fault_at(reading, one->key_at, "results: wanted a probe such as web/liveness");
        if (one->kind != CF_STRING || (!kp_text_equal(one->text, KP_TEXT("success")) &&
                                       !kp_text_equal(one->text, KP_TEXT("failure")) &&
                                       !kp_text_equal(one->text, KP_TEXT("unknown"))))
            cf_fault_at(reading, one->at, "results: wanted success, failure or unknown");
    }
}

void cf_actions_check(struct cf_reading *reading, const struct cf_case *item)
{
    static const char *const sandboxes[] = {"ready", "notready", "none", NULL};

    check_entries(reading, cf_node_find(item->node, "sandbox"), sandboxes,
                  "ready or notready [ATTEMPT] [no-ip] [other-network], or none");
    check_runtime(reading, item, cf_node_find(item->node, "runtime"));
    check_results(reading, item, cf_node_find(item->node, "results"));
    cf_read_texts(reading, cf_node_find(item->node, "does"));
}

/* ---- the reply ------------------------------------------------------------------------------- */

static void add_line(struct cf_arena *arena, struct cf_node *lines, struct kp_text text)
{
    cf_node_append(lines, cf_node_string(arena, text));
}

static void add_names(struct cf_arena *arena, struct cf_node *lines, const char *verb,
                      const struct cf_node *names)
{
    for (const struct cf_node *one = names ? names->first : NULL; one; one = one->next)
        add_line(arena, lines, cf_arena_format(arena, "%s %.*s", verb, KP_ARG(one->text)));
}

static struct kp_text member(const struct cf_node *map, const char *key)
{
    const struct cf_node *found = cf_node_find(map, key);

    return found ? found->text : KP_TEXT_NONE;
}

static bool is_true(const struct cf_node *map, const char *key)
{
    const struct cf_node *found = cf_node_find(map, key);

    return found && found->kind == CF_BOOL && found->truth;
}

/* kill web liveness "message", without what is empty. */
static struct kp_text kill_line(struct cf_arena *arena, const struct cf_node *kill)
{
    struct kp_text container = member(kill, "container");
    struct kp_text reason = member(kill, "reason");
    struct kp_text message = member(kill, "message");

    return cf_arena_format(arena, "kill %.*s%s%.*s \"%.*s\"", KP_ARG(container),
                           reason.len > 0 ? " " : "", KP_ARG(reason), KP_ARG(message));
}

struct cf_node *cf_actions_lines(const struct cf_case *item, struct cf_arena *arena,
                                 const struct cf_node *ok)
{
    struct cf_node *lines = new_list(arena);
    const struct cf_node *kills = cf_node_find(ok, "kill");
    struct kp_text attempt = member(ok, "sandboxAttempt");

    (void)item;
    if (is_true(ok, "killPod"))
        add_line(arena, lines, KP_TEXT("kill pod"));
    for (const struct cf_node *one = kills ? kills->first : NULL; one; one = one->next)
        add_line(arena, lines, kill_line(arena, one));
    if (is_true(ok, "createSandbox"))
        add_line(arena, lines, cf_arena_format(arena, "create sandbox %.*s", KP_ARG(attempt)));
    add_names(arena, lines, "start ephemeral", cf_node_find(ok, "startEphemeral"));
    add_names(arena, lines, "start init", cf_node_find(ok, "startInit"));
    add_names(arena, lines, "start", cf_node_find(ok, "start"));
    return lines;
}

/* Kills are a set: one that stands elsewhere in the reply moves to where it is wanted. */
static void move_kill(struct cf_node *got, size_t from, struct kp_text line)
{
    struct cf_node *at = cf_node_at(got, from);

    for (struct cf_node *other = at; other; other = other->next)
        if (kp_text_equal(other->text, line)) {
            struct kp_text swapped = at->text;

            at->text = other->text;
            other->text = swapped;
            return;
        }
}

struct cf_node *cf_actions_wanted(const struct cf_case *item, struct cf_arena *arena,
                                  struct cf_node *got)
{
    struct cf_node *lines = new_list(arena);
    const struct cf_node *does = cf_node_find(item->node, "does");

    for (size_t i = 0; entry_at(does, i); i++) {
        struct kp_text line = entry_at(does, i)->text;

        if (kp_text_begins(line, "kill "))
            move_kill(got, i, line);
        add_line(arena, lines, line);
    }
    return lines;
}
