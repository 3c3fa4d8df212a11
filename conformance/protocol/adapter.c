#include "conformance/protocol/adapter.h"

#include "conformance/protocol/turns.h"
#include "conformance/text/print.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REAL_SLICE_MS = 10 }; /* of waits in real time: each shows how late timers are here */

struct cf_adapter {
    char *const *argv;
    struct cf_adapter_limits limits;
    int allowed_ms; /* beyond limits.reply_ms, for cf_adapter_ask */
    struct cf_process process;
    bool greeted;        /* this process answered a hello */
    struct cf_out hello; /* the members of that hello */
    struct cf_arena about_arena;
    struct cf_hello_ok about;
    bool has_about;
    /* of the current request */
    int64_t id;
    struct cf_out request;
    struct cf_out reply;
    struct cf_arena arena;
    /* of the current case */
    enum cf_adapter_error error;
    bool unsupported; /* REFUSED with that code, before the case was open */
    struct cf_out why;
    struct cf_out log;
    struct cf_wire_pods pods; /* of the case; the list is ours */
    bool open;
    struct cf_pace pace;
    struct cf_turns turns;
};

/* ---- making and ending -------------------------------------------------------------------- */

static int or_default(int value, int otherwise)
{
    return value > 0 ? value : otherwise;
}

struct cf_adapter *cf_adapter_new(char *const *argv, const struct cf_adapter_limits *limits)
{
    struct cf_adapter *adapter = calloc(1, sizeof *adapter);
    struct cf_adapter_limits given = limits ? *limits : (struct cf_adapter_limits){0};

    if (adapter == NULL)
        cf_out_of_memory();
    adapter->argv = argv;
    adapter->limits = (struct cf_adapter_limits){
        .reply_ms = or_default(given.reply_ms, 5000),
        .hello_ms = or_default(given.hello_ms, 10000),
        .patience_ms = or_default(given.patience_ms, 1000),
        .rounds_max = or_default(given.rounds_max, 10000),
        .effects_max = or_default(given.effects_max, 100000),
        .shows_messages = given.shows_messages,
    };
    adapter->turns = (struct cf_turns){.pods = &adapter->pods,
                                       .pace = &adapter->pace,
                                       .rounds_max = adapter->limits.rounds_max,
                                       .effects_max = adapter->limits.effects_max};
    adapter->arena = (struct cf_arena){.mem = cf_libc_mem()};
    adapter->about_arena = (struct cf_arena){.mem = cf_libc_mem()};
    return adapter;
}

static void end_process(struct cf_adapter *adapter, int patience_ms)
{
    cf_process_stop(&adapter->process, patience_ms);
    adapter->greeted = false;
    adapter->open = false;
}

bool cf_adapter_leave(struct cf_adapter *adapter)
{
    cf_out_clear(&adapter->request);
    cf_out_clear(&adapter->reply);
    end_process(adapter, adapter->limits.patience_ms);
    return !adapter->process.forced;
}

void cf_adapter_free(struct cf_adapter *adapter)
{
    if (adapter == NULL)
        return;
    end_process(adapter, adapter->limits.patience_ms);
    cf_arena_deinit(&adapter->arena);
    cf_arena_deinit(&adapter->about_arena);
    cf_out_deinit(&adapter->hello);
    cf_out_deinit(&adapter->request);
    cf_out_deinit(&adapter->reply);
    cf_out_deinit(&adapter->why);
    cf_out_deinit(&adapter->log);
    cf_turns_deinit(&adapter->turns);
    kp_mem_free(cf_libc_mem(), (void *)adapter->pods.list);
    free(adapter);
}

void cf_adapter_begin(struct cf_adapter *adapter)
{
    adapter->error = CF_ERROR_NONE;
    cf_out_clear(&adapter->why);
    cf_out_clear(&adapter->log);
}

static void keep_log(struct cf_adapter *adapter)
{
    cf_out_clear(&adapter->log);
    cf_out_put(&adapter->log, (struct kp_text){adapter->process.tail, adapter->process.tail_len});
}

/* The first error of a case stays.  Whoever broke a guard, or refused within a case, is not spoken
 * to again: its state is unknown. */
static bool end_case(struct cf_adapter *adapter, enum cf_adapter_error error, struct kp_text why)
{
    if (adapter->error != CF_ERROR_NONE)
        return false;
    adapter->error = error;
    cf_out_put(&adapter->why, why);
    if (adapter->process.pid != 0 && (error != CF_ERROR_REFUSED || adapter->open)) {
        end_process(adapter, 0);
        keep_log(adapter);
    }
    return false;
}

void cf_adapter_break(struct cf_adapter *adapter, enum cf_adapter_error error, struct kp_text why)
{
    end_case(adapter, error, why);
}

/* How it went is known only once it is reaped; the log comes with the last of its stderr. */
static bool end_by_death(struct cf_adapter *adapter, const char *op)
{
    char how[80];
    char text[200];
    size_t begun = cf_process_begun(&adapter->process);
    int status = cf_process_stop(&adapter->process, 100);

    cf_process_describe(status, how, sizeof how);
    if (adapter->process.forced)
        snprintf(how, sizeof how, "closed its stdout");
    if (begun > 0)
        snprintf(text, sizeof text, "it %s after %zu bytes of its reply to `%s`", how, begun, op);
    else
        snprintf(text, sizeof text, "it %s instead of answering `%s`", how, op);
    keep_log(adapter);
    adapter->greeted = false;
    adapter->open = false;
    return end_case(adapter, CF_ERROR_CRASH, kp_text_of(text));
}

/* ---- one request, one reply --------------------------------------------------------------- */

static bool end_by_protocol(struct cf_adapter *adapter, const char *op, struct kp_text why)
{
    char text[600];

    snprintf(text, sizeof text, "its reply to `%s`: %.*s", op, KP_ARG(why));
    return end_case(adapter, CF_ERROR_PROTOCOL, kp_text_of(text));
}

/* How a text begins, quoted. */
static struct kp_text beginning(struct cf_adapter *adapter, struct kp_text text)
{
    enum { SHOWN = 40 };
    char bytes[4 * SHOWN + 2];
    struct kp_buf quoted = {bytes, sizeof bytes, 0};
    bool all = text.len <= SHOWN;

    kp_buf_put_quoted(&quoted, all ? text : (struct kp_text){text.bytes, SHOWN});
    text = kp_buf_text(&quoted);
    return cf_arena_format(&adapter->arena, "%.*s%s", KP_ARG(text), all ? "" : "...");
}

static struct kp_text first_line(struct kp_text text)
{
    struct kp_text line = KP_TEXT_NONE;

    kp_text_next_line(&text, &line);
    return line;
}

/* Nothing came in time.  The first reply is late where output waits in a buffer; a real clock that
 * is behind makes each wait longer. */
static bool end_by_timeout(struct cf_adapter *adapter, const char *op, int timeout_ms)
{
    size_t begun = cf_process_begun(&adapter->process);
    char text[200];
    int len = snprintf(text, sizeof text, "it did not answer `%s` within %d ms", op, timeout_ms);

    if (begun > 0)
        snprintf(text + len, sizeof text - (size_t)len, ": %zu bytes came, but no newline", begun);
    else if (!adapter->greeted)
        snprintf(text + len, sizeof text - (size_t)len,
                 ": does it flush its output after each line?");
    else if (adapter->pace.speed > 0)
        snprintf(text + len, sizeof text - (size_t)len, ": does its clock keep to the speed %lld?",
                 (long long)adapter->pace.speed);
    return end_case(adapter, CF_ERROR_TIMEOUT, kp_text_of(text));
}

static bool end_by_stray(struct cf_adapter *adapter, const char *op)
{
    struct kp_text said = beginning(adapter, first_line(cf_process_stray(&adapter->process)));
    char text[300];

    snprintf(text, sizeof text, "it said something before `%s` was asked: %.*s", op, KP_ARG(said));
    return end_case(adapter, CF_ERROR_PROTOCOL, kp_text_of(text));
}

static bool end_by_talk(struct cf_adapter *adapter, const char *op, enum cf_talk talk,
                        int timeout_ms)
{

    switch (talk) {
    case CF_TALK_ENDED:
        return end_by_death(adapter, op);
    case CF_TALK_TIMEOUT:
        return end_by_timeout(adapter, op, timeout_ms);
    case CF_TALK_TOO_LONG:
        return end_by_protocol(adapter, op, KP_TEXT("the line is longer than 1 MiB"));
    case CF_TALK_STRAY:
        return end_by_stray(adapter, op);
    case CF_TALK_INTERRUPTED:
        return end_case(adapter, CF_ERROR_INTERRUPTED, KP_TEXT("interrupted"));
    case CF_TALK_OK:
        break;
    }
    return true;
}

static bool end_by_error(struct cf_adapter *adapter, const char *op, struct cf_reader *reader,
                         const struct cf_node *error)
{
    struct kp_text code = KP_TEXT_NONE;
    struct kp_text message = KP_TEXT_NONE;
    char text[600];

    if (!cf_member_text(reader, error, "code", &code) ||
        !cf_member_text(reader, error, "message", &message))
        return end_by_protocol(adapter, op, reader->why);
    if (!kp_text_equal(code, KP_TEXT("unsupported")) &&
        !kp_text_equal(code, KP_TEXT("bad-request")) && !kp_text_equal(code, KP_TEXT("internal")))
        return end_by_protocol(
            adapter, op,
            cf_arena_format(reader->arena,
                            "`code` of `error` must be unsupported, bad-request or "
                            "internal, not \"%.*s\"",
                            KP_ARG(code)));
    snprintf(text, sizeof text, "it answered `%s` with the error %.*s: %.*s", op, KP_ARG(code),
             KP_ARG(message));
    adapter->unsupported = !adapter->open && kp_text_equal(code, KP_TEXT("unsupported"));
    return end_case(adapter, CF_ERROR_REFUSED, kp_text_of(text));
}

static struct kp_text wrong_id(struct cf_adapter *adapter, const struct cf_node *id)
{
    struct kp_text came = cf_node_json(&adapter->arena, id);

    return cf_arena_format(&adapter->arena, "`id` is %.*s, and %lld in the request", KP_ARG(came),
                           (long long)adapter->id);
}

/* What could not be read, how it begins, and what it may be: a log that went to stdout, an object
 * on several lines. */
static struct kp_text unread(struct cf_adapter *adapter, struct kp_text line, struct kp_text why)
{
    struct kp_text begins = beginning(adapter, line);
    const char *advice = line.len == 0 || line.bytes[0] != '{'
                             ? "; stdout is for replies alone, one JSON object a line"
                         : line.bytes[line.len - 1] != '}' ? "; a reply is one line"
                                                           : "";

    return cf_arena_format(&adapter->arena, "%.*s: %.*s%s", KP_ARG(why), KP_ARG(begins), advice);
}

/* The same id, and exactly one of ok and error. */
static const struct cf_node *check_reply(struct cf_adapter *adapter, const char *op,
                                         struct cf_reader *reader, const struct cf_node *reply)
{
    const struct cf_node *id = cf_node_find(reply, "id");
    const struct cf_node *ok = cf_node_find(reply, "ok");
    const struct cf_node *error = cf_node_find(reply, "error");
    int64_t number;

    if (reply->kind != CF_MAP)
        end_by_protocol(adapter, op, KP_TEXT("it is no JSON object"));
    else if (id == NULL)
        end_by_protocol(adapter, op, KP_TEXT("`id` is missing"));
    else if (!cf_number_int(id, &number) || number != adapter->id)
        end_by_protocol(adapter, op, wrong_id(adapter, id));
    else if ((ok == NULL) == (error == NULL) || reply->count != 2)
        end_by_protocol(adapter, op,
                        KP_TEXT("besides `id` there must be exactly one of `ok` and `error`"));
    else if ((ok ? ok : error)->kind != CF_MAP)
        end_by_protocol(adapter, op, KP_TEXT("`ok` and `error` must be objects"));
    else if (error)
        end_by_error(adapter, op, reader, error);
    else
        return ok;
    return NULL;
}

/* Send {"id":N,"op":OP,members} and give the value of `ok`; NULL: see error. */
static const struct cf_node *exchange(struct cf_adapter *adapter, const char *op,
                                      struct kp_text members, int timeout_ms)
{
    struct cf_reader reader = {.arena = &adapter->arena};
    struct cf_node *reply;
    struct kp_text line;
    enum cf_talk talk;

    if (adapter->error != CF_ERROR_NONE)
        return NULL;
    cf_out_clear(&adapter->request);
    cf_out_put_char(&adapter->request, '{');
    cf_json_int(&adapter->request, "id", ++adapter->id);
    cf_json_string(&adapter->request, "op", op);
    if (members.len > 0)
        cf_out_put_char(&adapter->request, ',');
    cf_out_put(&adapter->request, members);
    cf_out_put(&adapter->request, KP_TEXT("}\n"));
    cf_out_clear(&adapter->reply);
    if (adapter->limits.shows_messages)
        cf_print(stderr, "> %.*s\n", (int)adapter->request.len - 1, adapter->request.bytes);
    talk = cf_process_ask(&adapter->process, cf_out_text(&adapter->request), timeout_ms, &line);
    cf_pace_delayed(&adapter->pace, adapter->process.late_ns);
    if (talk != CF_TALK_OK) {
        end_by_talk(adapter, op, talk, timeout_ms);
        return NULL;
    }
    cf_out_put(&adapter->reply, line);
    if (adapter->limits.shows_messages)
        cf_print(stderr, "< %.*s\n", KP_ARG(line));
    cf_arena_deinit(&adapter->arena);
    adapter->arena = (struct cf_arena){.mem = cf_libc_mem()};
    reply = cf_read_line(&reader, cf_out_text(&adapter->reply));
    if (reply == NULL) {
        end_by_protocol(adapter, op, unread(adapter, cf_out_text(&adapter->reply), reader.why));
        return NULL;
    }
    return check_reply(adapter, op, &reader, reply);
}

/* ---- hello -------------------------------------------------------------------------------- */

static bool start(struct cf_adapter *adapter)
{
    char text[300];
    int err = cf_process_start(&adapter->process, adapter->argv);

    if (err == 0)
        return true;
    snprintf(text, sizeof text, "cannot run %s: %s%s", adapter->argv[0], strerror(err),
             err == EACCES || err == ENOEXEC
                 ? " (chmod +x it, or put its interpreter before it: python3 FILE)"
                 : "");
    return end_case(adapter, CF_ERROR_UNUSABLE, kp_text_of(text));
}

/* Read what it said of itself anew, to outlive the next request. */
static bool take_about(struct cf_adapter *adapter)
{
    struct cf_reader reader = {.arena = &adapter->about_arena};
    const struct cf_node *reply;

    cf_arena_deinit(&adapter->about_arena);
    adapter->about_arena = (struct cf_arena){.mem = cf_libc_mem()};
    adapter->has_about = false;
    reply = cf_read_line(&reader, cf_out_text(&adapter->reply));
    if (!cf_read_hello_ok(&reader, cf_node_find(reply, "ok"), &adapter->about))
        return end_by_protocol(adapter, "hello", reader.why);
    adapter->has_about = true;
    return true;
}

bool cf_adapter_hello(struct cf_adapter *adapter, const struct cf_hello *hello)
{
    struct cf_out members = {0};
    const struct cf_node *ok;
    bool known = adapter->has_about;
    bool same;

    cf_put_hello(&members, hello);
    same = adapter->greeted && kp_text_equal(cf_out_text(&members), cf_out_text(&adapter->hello));
    if (same || (adapter->process.pid == 0 && !start(adapter))) {
        cf_out_deinit(&members);
        return same;
    }
    ok = exchange(adapter, "hello", cf_out_text(&members), adapter->limits.hello_ms);
    if (ok && take_about(adapter)) {
        adapter->greeted = true;
        cf_out_deinit(&adapter->hello);
        adapter->hello = members;
        return true;
    }
    cf_out_deinit(&members);
    if (!known && adapter->error != CF_ERROR_REFUSED && adapter->error != CF_ERROR_INTERRUPTED)
        adapter->error = CF_ERROR_UNUSABLE;
    return false;
}

const struct cf_hello_ok *cf_adapter_about(const struct cf_adapter *adapter)
{
    return adapter->has_about ? &adapter->about : NULL;
}

const struct cf_node *cf_adapter_ask(struct cf_adapter *adapter, const char *op,
                                     struct kp_text members)
{
    return exchange(adapter, op, members, adapter->limits.reply_ms + adapter->allowed_ms);
}

void cf_adapter_allow(struct cf_adapter *adapter, int more_ms)
{
    adapter->allowed_ms = more_ms;
}

/* ---- open, advance, close ----------------------------------------------------------------- */

static bool read_turn(struct cf_adapter *adapter, const char *op, const struct cf_node *ok,
                      int64_t to_ns, struct kp_sink sink)
{
    struct cf_reader reader = {.arena = &adapter->arena};

    switch (cf_turns_take(&adapter->turns, &reader, ok, to_ns, sink)) {
    case CF_TURN_FINE:
        return true;
    case CF_TURN_ENDLESS:
        return end_case(adapter, CF_ERROR_LIVELOCK, reader.why);
    default:
        return end_by_protocol(adapter, op, reader.why);
    }
}

static bool keep_pods(struct cf_adapter *adapter, const struct fake_open *open)
{
    const struct kp_mem *mem = cf_libc_mem();

    kp_mem_free(mem, (void *)adapter->pods.list);
    adapter->pods.count = 0;
    adapter->pods.list = kp_mem_array(mem, open->pod_count, sizeof *adapter->pods.list);
    if (!adapter->pods.list)
        return false;
    for (; adapter->pods.count < open->pod_count; adapter->pods.count++)
        adapter->pods.list[adapter->pods.count] = open->pods[adapter->pods.count];
    return true;
}

static bool open_case(void *ctx, const struct fake_open *open, struct kp_sink sink, int64_t *at_ns)
{
    struct cf_adapter *adapter = ctx;
    struct cf_out members = {0};
    const struct cf_node *ok;

    if (!keep_pods(adapter, open))
        return end_case(adapter, CF_ERROR_UNUSABLE, KP_TEXT("out of memory"));
    cf_turns_begin(&adapter->turns);
    cf_put_open(&members, open);
    if (adapter->pods.list[0]->raw)
        cf_put_pods(&members, &adapter->pods);
    cf_pace_begin(&adapter->pace, open->speed);
    adapter->process.slice_ms = open->speed > 0 ? REAL_SLICE_MS : 0;
    ok = exchange(adapter, "open", cf_out_text(&members), adapter->limits.reply_ms);
    cf_out_deinit(&members);
    adapter->open = ok != NULL;
    if (ok == NULL || !read_turn(adapter, "open", ok, 0, sink))
        return false;
    *at_ns = 0;
    return true;
}

static bool advance(void *ctx, int64_t to_ns, const struct kp_event *events, size_t event_count,
                    struct kp_sink sink, int64_t *at_ns)
{
    struct cf_adapter *adapter = ctx;
    struct cf_out members = {0};
    const struct cf_node *ok;

    cf_json_int(&members, "to", to_ns / KP_NS_PER_MS);
    cf_json_key(&members, "events");
    cf_out_put_char(&members, '[');
    for (size_t i = 0; i < event_count; i++) {
        cf_json_comma(&members);
        cf_put_event(&members, &adapter->pods, &events[i]);
        if (events[i].kind == KP_EVENT_UPDATE)
            adapter->pods.list[events[i].pod] = events[i].u.update;
    }
    cf_out_put_char(&members, ']');
    ok = exchange(adapter, "advance", cf_out_text(&members),
                  adapter->limits.reply_ms + cf_pace_ask(&adapter->pace, to_ns));
    cf_out_deinit(&members);
    if (ok == NULL || !read_turn(adapter, "advance", ok, to_ns, sink))
        return false;
    *at_ns = adapter->turns.now_ns;
    return true;
}

static void close_case(void *ctx)
{
    struct cf_adapter *adapter = ctx;
    const struct cf_node *ok;

    if (!adapter->open)
        return;
    ok = exchange(adapter, "close", KP_TEXT_NONE, adapter->limits.reply_ms);
    adapter->open = false;
    if (ok && ok->count > 0)
        end_by_protocol(adapter, "close", KP_TEXT("`ok` must be empty"));
    else if (ok && cf_process_stray(&adapter->process).len > 0)
        end_case(adapter, CF_ERROR_PROTOCOL, KP_TEXT("it replied twice"));
}

struct fake_impl cf_adapter_impl(struct cf_adapter *adapter)
{
    return (struct fake_impl){adapter, open_case, advance, close_case};
}

const struct cf_pace *cf_adapter_pace(const struct cf_adapter *adapter)
{
    return &adapter->pace;
}

/* ---- what became of it -------------------------------------------------------------------- */

enum cf_adapter_error cf_adapter_error(const struct cf_adapter *adapter)
{
    return adapter->error;
}

struct kp_text cf_adapter_why(const struct cf_adapter *adapter)
{
    return cf_out_text(&adapter->why);
}

bool cf_adapter_declined(const struct cf_adapter *adapter)
{
    return adapter->error == CF_ERROR_REFUSED && adapter->unsupported;
}

struct kp_text cf_adapter_log(const struct cf_adapter *adapter)
{
    return cf_out_text(&adapter->log);
}

struct kp_text cf_adapter_last_request(const struct cf_adapter *adapter)
{
    return cf_out_text(&adapter->request);
}

struct kp_text cf_adapter_last_reply(const struct cf_adapter *adapter)
{
    return cf_out_text(&adapter->reply);
}
