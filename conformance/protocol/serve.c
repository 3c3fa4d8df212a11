#include "conformance/protocol/serve.h"

#include "conformance/protocol/questions.h"
#include "conformance/protocol/session.h"
#include "conformance/text/cli.h"
#include "core/base/version.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct cf_serve {
    const struct kp_mem *mem;
    struct kp_profile profile;
    uint64_t seed;
    struct cf_session session;
    struct cf_out reply;
};

/* What an op makes of its request: the value of `ok`, or an error. */
struct answer {
    struct cf_reader reader; /* reader.why: the message of an error */
    const char *error;       /* its code; NULL: `ok` */
    struct cf_out *ok;
};

struct op {
    const char *name;
    void (*run)(struct cf_serve *serve, const struct cf_node *request, struct answer *answer);
};

static void refuse(struct answer *answer, const char *code)
{
    answer->error = code;
}

static const struct kp_text newest = {KP_NEWEST, sizeof KP_NEWEST - 1};
static const char bad_request[] = "bad-request";
static const char unsupported[] = "unsupported";
static const char internal[] = "internal";

/* ---- hello -------------------------------------------------------------------------------- */

static void put_self(struct answer *answer)
{
    struct kp_text minors[KP_MINOR_MAX - KP_MINOR_MIN + 1];
    struct kp_text features[64];
    struct cf_hello_ok ok = {
        .protocol = CF_PROTOCOL_VERSION,
        .name = KP_TEXT("probetest"),
        .version = KP_TEXT(PROBETEST_VERSION),
        .language = KP_TEXT("C"),
        .url = KP_TEXT(""),
        .k8s = {minors, 0},
        .features = {features, 0},
        .speed = 1,
    };

    memset(ok.layers, true, sizeof ok.layers);
    ok.layers[CF_LAYER_FIRE] = cf_has_probes();
    for (int minor = KP_MINOR_MIN; minor <= KP_MINOR_MAX; minor++)
        minors[ok.k8s.count++] = cf_arena_format(answer->reader.arena, "1.%d", minor);
    memset(ok.observes, true, sizeof ok.observes);
    memset(ok.observes_part, true, sizeof ok.observes_part);
    for (int type = 0; type < KP_PROBE_TYPES; type++)
        ok.initial[type] = CF_NO_WORD;
    for (int layer = 0; layer < CF_LAYERS; layer++)
        ok.tiers[layer] = CF_NO_WORD;
    for (size_t i = 0; i < cf_feature_words.count; i++)
        if (strcmp(cf_feature_words.list[i], "own-grid") != 0) /* it has the kubelet's */
            features[ok.features.count++] = kp_text_of(cf_feature_words.list[i]);
    cf_put_hello_ok(answer->ok, &ok);
}

static bool set_gates(struct kp_profile *profile, const struct cf_hello *hello,
                      struct answer *answer)
{
    for (size_t i = 0; i < hello->gate_count; i++) {
        const struct cf_gate_setting *gate = &hello->gates[i];
        enum kp_err err = kp_profile_set_gate(profile, gate->name, gate->on);

        if (err == KP_OK)
            continue;
        refuse(answer, err == KP_EUNKNOWN ? unsupported : bad_request);
        return cf_reader_fail(&answer->reader, "1.%d has %s feature gate %.*s", profile->minor,
                              err == KP_EUNKNOWN ? "no" : "locked the", KP_ARG(gate->name));
    }
    return true;
}

static void hello(struct cf_serve *serve, const struct cf_node *request, struct answer *answer)
{
    struct kp_profile profile;
    struct cf_hello hello;

    if (cf_session_is_open(&serve->session)) {
        cf_reader_fail(&answer->reader, "a case is open: close it first");
        refuse(answer, bad_request);
        return;
    }
    if (!cf_read_hello(&answer->reader, request, &hello)) {
        refuse(answer, bad_request);
        return;
    }
    if (hello.protocol != CF_PROTOCOL_VERSION) {
        cf_reader_fail(&answer->reader, "only protocol %d is spoken here", CF_PROTOCOL_VERSION);
        refuse(answer, unsupported);
        return;
    }
    if (kp_profile_init(&profile, hello.k8s.len > 0 ? hello.k8s : newest) != KP_OK) {
        cf_reader_fail(&answer->reader, "k8s %.*s is not one of 1.%d to 1.%d", KP_ARG(hello.k8s),
                       KP_MINOR_MIN, KP_MINOR_MAX);
        refuse(answer, unsupported);
        return;
    }
    if (!set_gates(&profile, &hello, answer))
        return;
    serve->profile = profile;
    serve->seed = hello.seed;
    put_self(answer);
}

/* ---- open, advance, close ----------------------------------------------------------------- */

static void put_turn(struct cf_serve *serve, struct answer *answer)
{
    struct cf_out *out = answer->ok;

    cf_out_put_char(out, '{');
    cf_json_int(out, "at", serve->session.now_ns / KP_NS_PER_MS);
    cf_json_open(out, "effects", '[');
    cf_out_put(out, cf_out_text(&serve->session.effects));
    cf_out_put(out, KP_TEXT("]}"));
}

static void open_case(struct cf_serve *serve, const struct cf_node *request, struct answer *answer)
{
    if (cf_session_is_open(&serve->session)) {
        cf_reader_fail(&answer->reader, "a case is open already: close it first");
        refuse(answer, bad_request);
        return;
    }
    if (cf_session_open(&serve->session, &answer->reader, request, &serve->profile, serve->seed))
        put_turn(serve, answer);
    else
        refuse(answer, bad_request);
}

static void advance(struct cf_serve *serve, const struct cf_node *request, struct answer *answer)
{
    if (!cf_session_is_open(&serve->session)) {
        cf_reader_fail(&answer->reader, "no case is open");
        refuse(answer, bad_request);
        return;
    }
    if (cf_session_advance(&serve->session, &answer->reader, request))
        put_turn(serve, answer);
    else
        refuse(answer, bad_request);
}

static void close_case(struct cf_serve *serve, const struct cf_node *request, struct answer *answer)
{
    (void)request;
    cf_session_close(&serve->session);
    cf_out_put(answer->ok, KP_TEXT("{}"));
}

/* ---- questions ---------------------------------------------------------------------------- */

/* A question has no case around it: it is answered from its request alone. */
#define QUESTION(name)                                                                             \
    static void name(struct cf_serve *serve, const struct cf_node *request, struct answer *answer) \
    {                                                                                              \
        if (!cf_question_##name(&answer->reader, &serve->profile, request, answer->ok))            \
            refuse(answer, bad_request);                                                           \
    }
QUESTION(port)
QUESTION(check)
QUESTION(actions)
QUESTION(fire)
QUESTION(events)
QUESTION(kubectl)

/* ---- one line in, one line out ------------------------------------------------------------ */

/* clang-format off */
static const struct op ops[] = {
    {"hello", hello},
    {"port", port},
    {"check", check},
    {"open", open_case},
    {"advance", advance},
    {"close", close_case},
    {"actions", actions},
    {"fire", fire},
    {"events", events},
    {"kubectl", kubectl},
    {0},
};
/* clang-format on */

static void run_op(struct cf_serve *serve, const struct cf_node *request, struct answer *answer)
{
    struct kp_text name = KP_TEXT_NONE;

    if (!cf_member_text(&answer->reader, request, "op", &name) || name.bytes == NULL) {
        cf_reader_fail(&answer->reader, "`op` is missing");
        refuse(answer, bad_request);
        return;
    }
    for (const struct op *op = ops; op->name; op++)
        if (kp_text_equal(kp_text_of(op->name), name)) {
            op->run(serve, request, answer);
            return;
        }
    cf_reader_fail(&answer->reader, "there is no op \"%.*s\" here", KP_ARG(name));
    refuse(answer, unsupported);
}

static void put_error(struct cf_out *out, const char *code, struct kp_text message)
{
    cf_json_open(out, "error", '{');
    cf_json_string(out, "code", code);
    cf_json_text(out, "message", message);
    cf_out_put(out, KP_TEXT("}}\n"));
}

static struct kp_text reply_error(struct cf_serve *serve, struct kp_text message)
{
    cf_out_clear(&serve->reply);
    cf_out_put(&serve->reply, KP_TEXT("{\"id\":null"));
    put_error(&serve->reply, bad_request, message);
    return cf_out_text(&serve->reply);
}

/* The reply to a line that was too long to be kept. */
static struct kp_text report_too_long(struct cf_serve *serve)
{
    return reply_error(serve, KP_TEXT("the line is longer than 1 MiB"));
}

/* The same id as it was written, then ok or error. */
static struct kp_text reply(struct cf_serve *serve, const struct cf_node *request,
                            struct answer *answer)
{
    const struct cf_node *id = cf_node_find(request, "id");
    struct cf_out *out = &serve->reply;
    size_t ok_at;

    cf_out_clear(out);
    cf_out_put(out, KP_TEXT("{\"id\":"));
    cf_out_put(out, id ? cf_node_json(answer->reader.arena, id) : KP_TEXT("null"));
    cf_json_key(out, "ok");
    ok_at = out->len - strlen(",\"ok\":");
    answer->ok = out;
    if (id)
        run_op(serve, request, answer);
    else {
        cf_reader_fail(&answer->reader, "`id` is missing");
        refuse(answer, bad_request);
    }
    if (!answer->error) {
        cf_out_put(out, KP_TEXT("}\n"));
        if (out->len <= CF_LINE_BYTES_MAX)
            return cf_out_text(out);
        cf_reader_fail(&answer->reader, "the reply would be longer than 1 MiB");
        refuse(answer, internal);
    }
    out->len = ok_at;
    put_error(out, answer->error, answer->reader.why);
    return out->len <= CF_LINE_BYTES_MAX ? cf_out_text(out)
                                         : reply_error(serve, KP_TEXT("`id` is too long"));
}

struct kp_text cf_serve_line(struct cf_serve *serve, struct kp_text line)
{
    struct answer answer = {0};
    struct cf_node *request;
    struct kp_text text;
    struct cf_arena arena;

    arena = (struct cf_arena){.mem = serve->mem};
    answer.reader.arena = &arena;
    request = cf_read_line(&answer.reader, line);
    if (request == NULL)
        text = reply_error(serve, answer.reader.why);
    else if (request->kind != CF_MAP)
        text = reply_error(serve, KP_TEXT("a request is one JSON object"));
    else
        text = reply(serve, request, &answer);
    cf_arena_deinit(&arena);
    return text;
}

struct cf_serve *cf_serve_new(const struct kp_mem *mem)
{
    struct cf_serve *serve = kp_mem_array(mem, 1, sizeof *serve);

    if (serve == NULL)
        return NULL;
    serve->mem = mem;
    cf_session_init(&serve->session, mem);
    if (kp_profile_init(&serve->profile, newest) == KP_OK)
        return serve;
    cf_serve_free(serve);
    return NULL;
}

void cf_serve_free(struct cf_serve *serve)
{
    if (serve == NULL)
        return;
    cf_session_deinit(&serve->session);
    cf_out_deinit(&serve->reply);
    kp_mem_free(serve->mem, serve);
}

/* ---- the command -------------------------------------------------------------------------- */

/* false: nobody reads any more. */
static bool write_all(struct kp_text text)
{
    while (text.len > 0) {
        ssize_t done = write(STDOUT_FILENO, text.bytes, text.len);

        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            return false;
        text.bytes += done;
        text.len -= (size_t)done;
    }
    return true;
}

/* Input as it comes, cut into lines. */
struct lines {
    struct cf_out held; /* bytes that no newline has ended yet */
    bool too_long;      /* the current line is being thrown away */
};

static bool answer_line(struct cf_serve *serve, struct lines *lines, struct kp_text line)
{
    bool dropped = lines->too_long;

    lines->too_long = false;
    return write_all(dropped || line.len > CF_LINE_BYTES_MAX ? report_too_long(serve)
                                                             : cf_serve_line(serve, line));
}

/* Answer every complete line that is held. */
static bool answer_held(struct cf_serve *serve, struct lines *lines)
{
    size_t start = 0;
    const char *end;

    while ((end = memchr(lines->held.bytes + start, '\n', lines->held.len - start)) != NULL) {
        size_t len = (size_t)(end - lines->held.bytes) - start;

        if (!answer_line(serve, lines, (struct kp_text){lines->held.bytes + start, len}))
            return false;
        start += len + 1;
    }
    memmove(lines->held.bytes, lines->held.bytes + start, lines->held.len - start);
    lines->held.len -= start;
    if (lines->held.len > CF_LINE_BYTES_MAX) {
        lines->too_long = true;
        lines->held.len = 0;
    }
    return true;
}

/* false: an answer could not be written. */
static bool serve_input(struct cf_serve *serve, struct lines *lines)
{
    for (;;) {
        ssize_t got;

        cf_out_reserve(&lines->held, 65536);
        got = read(STDIN_FILENO, lines->held.bytes + lines->held.len, 65536);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        lines->held.len += (size_t)got;
        if (!answer_held(serve, lines))
            return false;
    }
    /* A last line may be without its newline. */
    return (lines->held.len == 0 && !lines->too_long) ||
           answer_line(serve, lines, cf_out_text(&lines->held));
}

/* Requests from stdin until it ends, replies on stdout. */
int cf_serve_command(int argc, char **argv)
{
    struct lines lines = {0};
    struct cf_serve *serve;
    bool written;

    if (argc > 1)
        return cf_usage(argv[0], "takes no arguments, not `%s`", argv[1]);
    serve = cf_serve_new(cf_libc_mem());
    if (serve == NULL)
        return CF_EXIT_SUITE;
    written = serve_input(serve, &lines);
    if (!written)
        perror("probetest serve: stdout");
    cf_serve_free(serve);
    cf_out_deinit(&lines.held);
    return written ? CF_EXIT_OK : CF_EXIT_USAGE;
}
