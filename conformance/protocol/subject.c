#include "conformance/protocol/subject.h"

#include "conformance/protocol/outcome.h"
#include "conformance/protocol/serve.h"

#include "fakes/engine_impl.h"

#include <stdlib.h>

/* Either `adapter`, or the engine: by function call for the interface, through the same lines as
 * any other client for questions. */
struct cf_subject {
    struct cf_adapter *adapter;
    const struct kp_mem *mem;
    struct fake_engine_impl engine;
    struct cf_serve *serve;
    struct cf_arena about_arena;
    struct cf_hello_ok about;
    bool has_about;
    struct cf_arena arena; /* of the current answer */
    struct cf_out request;
    enum cf_adapter_error error;
    struct cf_out why;
};

static struct cf_subject *make(void)
{
    struct cf_subject *subject = calloc(1, sizeof *subject);

    if (subject == NULL)
        cf_out_of_memory();
    subject->arena = (struct cf_arena){.mem = cf_libc_mem()};
    subject->about_arena = (struct cf_arena){.mem = cf_libc_mem()};
    return subject;
}

struct cf_subject *cf_subject_new_engine(const struct kp_mem *mem)
{
    struct cf_subject *subject = make();

    subject->mem = mem;
    subject->engine.mem = mem;
    subject->serve = cf_serve_new(mem);
    if (subject->serve)
        return subject;
    cf_subject_free(subject);
    return NULL;
}

struct cf_subject *cf_subject_new_adapter(char *const *argv, const struct cf_adapter_limits *limits)
{
    struct cf_subject *subject = make();

    subject->adapter = cf_adapter_new(argv, limits);
    return subject;
}

void cf_subject_free(struct cf_subject *subject)
{
    if (subject == NULL)
        return;
    cf_adapter_free(subject->adapter);
    cf_serve_free(subject->serve);
    cf_arena_deinit(&subject->arena);
    cf_arena_deinit(&subject->about_arena);
    cf_out_deinit(&subject->request);
    cf_out_deinit(&subject->why);
    free(subject);
}

/* ---- the engine by lines ------------------------------------------------------------------ */

void cf_subject_break(struct cf_subject *subject, enum cf_adapter_error error, struct kp_text why)
{
    if (subject->adapter)
        cf_adapter_break(subject->adapter, error, why);
    else if (subject->error == CF_ERROR_NONE) {
        subject->error = error;
        cf_out_put(&subject->why, why);
    }
}

static const struct cf_node *ask_engine(struct cf_subject *subject, struct cf_arena *arena,
                                        const char *op, struct kp_text members)
{
    struct cf_reader reader = {.arena = arena};
    const struct cf_node *reply;
    const struct cf_node *error;
    struct kp_text message = KP_TEXT_NONE;

    cf_out_clear(&subject->request);
    cf_out_put(&subject->request, KP_TEXT("{\"id\":1"));
    cf_json_string(&subject->request, "op", op);
    if (members.len > 0)
        cf_out_put_char(&subject->request, ',');
    cf_out_put(&subject->request, members);
    cf_out_put_char(&subject->request, '}');
    reply = cf_read_line(&reader, cf_serve_line(subject->serve, cf_out_text(&subject->request)));
    if (reply == NULL) {
        cf_subject_break(subject, CF_ERROR_PROTOCOL, reader.why);
        return NULL;
    }
    error = cf_node_find(reply, "error");
    if (error == NULL)
        return cf_node_find(reply, "ok");
    cf_member_text(&reader, error, "message", &message);
    cf_subject_break(subject, CF_ERROR_REFUSED, message);
    return NULL;
}

static bool greet_engine(struct cf_subject *subject, const struct cf_hello *hello)
{
    struct cf_reader reader = {.arena = &subject->about_arena};
    struct cf_out members = {0};
    const struct cf_node *ok;

    subject->error = CF_ERROR_NONE;
    cf_out_clear(&subject->why);
    cf_arena_deinit(&subject->about_arena);
    subject->about_arena = (struct cf_arena){.mem = cf_libc_mem()};
    cf_put_hello(&members, hello);
    ok = ask_engine(subject, &subject->about_arena, "hello", cf_out_text(&members));
    cf_out_deinit(&members);
    subject->has_about = ok && cf_read_hello_ok(&reader, ok, &subject->about);
    return subject->has_about;
}

/* ---- the same verbs for both -------------------------------------------------------------- */

bool cf_subject_begin(struct cf_subject *subject, const struct cf_hello *hello)
{
    if (subject->adapter == NULL)
        return greet_engine(subject, hello);
    cf_adapter_begin(subject->adapter);
    return cf_adapter_hello(subject->adapter, hello);
}

struct fake_impl cf_subject_interface(struct cf_subject *subject)
{
    return subject->adapter ? cf_adapter_impl(subject->adapter)
                            : fake_engine_impl_interface(&subject->engine);
}

const struct cf_node *cf_subject_ask(struct cf_subject *subject, const char *op,
                                     struct kp_text members)
{
    if (subject->adapter)
        return cf_adapter_ask(subject->adapter, op, members);
    cf_arena_deinit(&subject->arena);
    subject->arena = (struct cf_arena){.mem = cf_libc_mem()};
    return ask_engine(subject, &subject->arena, op, members);
}

void cf_subject_allow(struct cf_subject *subject, int more_ms)
{
    if (subject->adapter)
        cf_adapter_allow(subject->adapter, more_ms);
}

const struct cf_pace *cf_subject_pace(const struct cf_subject *subject)
{
    return subject->adapter && cf_adapter_pace(subject->adapter)->speed > 0
               ? cf_adapter_pace(subject->adapter)
               : NULL;
}

const struct cf_hello_ok *cf_subject_about(const struct cf_subject *subject)
{
    if (subject->adapter)
        return cf_adapter_about(subject->adapter);
    return subject->has_about ? &subject->about : NULL;
}

enum cf_adapter_error cf_subject_error(const struct cf_subject *subject)
{
    return subject->adapter ? cf_adapter_error(subject->adapter) : subject->error;
}

struct kp_text cf_subject_why(const struct cf_subject *subject)
{
    return subject->adapter ? cf_adapter_why(subject->adapter) : cf_out_text(&subject->why);
}

bool cf_subject_declined(const struct cf_subject *subject)
{
    return subject->adapter && cf_adapter_declined(subject->adapter);
}

struct kp_text cf_subject_log(const struct cf_subject *subject)
{
    return subject->adapter ? cf_adapter_log(subject->adapter) : KP_TEXT_NONE;
}

enum cf_verdict cf_adapter_error_verdict(enum cf_adapter_error error)
{
    switch (error) {
    case CF_ERROR_CRASH:
    case CF_ERROR_UNUSABLE: /* though another process of it was usable */
        return CF_CRASH;
    case CF_ERROR_TIMEOUT:
        return CF_TIMEOUT;
    case CF_ERROR_PROTOCOL:
        return CF_PROTOCOL;
    case CF_ERROR_LIVELOCK:
        return CF_LIVELOCK;
    case CF_ERROR_INTERRUPTED:
        return CF_NOT_RUN;
    case CF_ERROR_NONE:
    case CF_ERROR_REFUSED:
        break;
    }
    return CF_FAIL;
}
