#include "hook_text.h"

#include "sync_state.h"

#define OUTPUT_ROOM 2048

bool kp_hook_has_handler(const struct kp_handler *hook)
{
    return hook->exec || hook->http_get || hook->sleep;
}

static void put_words(struct kp_buf *buf, const struct kp_text_list *words)
{
    for (size_t i = 0; i < words->count; i++) {
        if (i > 0)
            kp_buf_put_char(buf, ' ');
        kp_buf_put(buf, words->items[i]);
    }
}

static void put_subject(struct kp_buf *buf, const struct kp_pod_run *run, int container)
{
    kp_buf_put(buf, KP_TEXT(") for Container "));
    kp_buf_put_quoted(buf, run->api.containers[container].name);
    kp_buf_put(buf, KP_TEXT(" in Pod "));
    kp_buf_put_quoted(buf, run->full_name);
    kp_buf_put(buf, KP_TEXT(" failed - error: "));
}

static void put_exec_error(struct kp_buf *buf, const struct kp_exec_action *exec,
                           enum kp_answer answer, int32_t code, struct kp_text output)
{
    if (answer != KP_ANSWER_FAILURE) {
        kp_buf_put(buf, output);
        return;
    }
    kp_buf_put(buf, KP_TEXT("command '"));
    put_words(buf, &exec->command);
    kp_buf_put(buf, KP_TEXT("' exited with "));
    kp_buf_put_int(buf, code != 0 ? code : 1); /* 0: none is known */
    kp_buf_put(buf, KP_TEXT(": "));
}

static void put_exec(struct kp_buf *buf, const struct kp_pod_run *run, int container,
                     const struct kp_exec_action *exec, enum kp_answer answer, int32_t code,
                     struct kp_text output)
{
    kp_buf_put(buf, KP_TEXT("Exec lifecycle hook (["));
    put_words(buf, &exec->command);
    kp_buf_put_char(buf, ']');
    put_subject(buf, run, container);
    put_exec_error(buf, exec, answer, code, output);
    kp_buf_put(buf, KP_TEXT(", message: "));
    kp_buf_put_quoted(buf, answer == KP_ANSWER_FAILURE ? output : KP_TEXT_NONE);
}

static void put_port(struct kp_buf *buf, const struct kp_int_or_string *port, bool as_struct)
{
    bool is_int = port->kind == KP_INTSTR_INT;

    if (as_struct)
        kp_buf_put(buf, is_int ? KP_TEXT("{0 ") : KP_TEXT("{1 0 "));
    if (is_int)
        kp_buf_put_int(buf, port->number);
    else
        kp_buf_put(buf, port->string);
    if (as_struct)
        kp_buf_put(buf, is_int ? KP_TEXT(" }") : KP_TEXT("}"));
}

/* What Go prints of a handler that no kubelet runs (S-226, S-343). */
static void put_invalid_handler(struct kp_buf *buf, const struct kp_profile *profile,
                                const struct kp_handler *hook)
{
    kp_buf_put(buf, profile->hook_dump >= 1 ? KP_TEXT("invalid") : KP_TEXT("Invalid"));
    kp_buf_put(buf, KP_TEXT(" handler: &"));
    if (profile->hook_dump >= 2)
        kp_buf_put(buf, KP_TEXT("Lifecycle"));
    kp_buf_put(buf, KP_TEXT("Handler{Exec:nil,HTTPGet:nil,TCPSocket:"));
    if (hook->tcp_socket) {
        kp_buf_put(buf, KP_TEXT("&TCPSocketAction{Port:"));
        put_port(buf, &hook->tcp_socket->port, profile->hook_dump >= 1);
        kp_buf_put(buf, KP_TEXT(",Host:"));
        kp_buf_put(buf, hook->tcp_socket->host);
        kp_buf_put(buf, KP_TEXT(",}"));
    } else {
        kp_buf_put(buf, KP_TEXT("nil"));
    }
    kp_buf_put(buf, profile->hook_dump >= 3 ? KP_TEXT(",Sleep:nil,}") : KP_TEXT(",}"));
}

static void put_hook(struct kp_buf *buf, const struct kp_pod_run *run, int container,
                     const struct kp_handler *hook, enum kp_answer answer, int32_t code,
                     struct kp_text output)
{
    if (hook->exec) {
        put_exec(buf, run, container, hook->exec, answer, code, output);
        return;
    }
    if (hook->http_get) {
        kp_buf_put(buf,
                   run->node->profile.http_hook_upper_case ? KP_TEXT("HTTP") : KP_TEXT("Http"));
        kp_buf_put(buf, KP_TEXT(" lifecycle hook ("));
        kp_buf_put(buf, hook->http_get->path);
        put_subject(buf, run, container);
        kp_buf_put(buf, output);
        kp_buf_put(buf, KP_TEXT(", message: \"\"")); /* who does not answer sends no body */
        return;
    }
    kp_buf_put(buf, KP_TEXT("Cannot run handler: "));
    put_invalid_handler(buf, &run->node->profile, hook);
}

static size_t room_of(const struct kp_pod_run *run, int container, const struct kp_handler *hook)
{
    struct kp_buf buf = {0};

    if (hook)
        put_hook(&buf, run, container, hook, KP_ANSWER_FAILURE, INT32_MIN, KP_TEXT_NONE);
    return buf.need + OUTPUT_ROOM;
}

enum kp_err kp_hook_text_reserve(struct kp_sync *sync, int container)
{
    struct kp_pod_run *run = sync->run;
    struct kp_hook_texts *texts = &sync->containers[container].hook_texts;
    const struct kp_container *spec = &run->api.containers[container];
    size_t start_room = room_of(run, container, spec->post_start);
    size_t stop_room = room_of(run, container, spec->pre_stop);

    if (!spec->post_start && !spec->pre_stop)
        return KP_OK;
    sync->has_hooks = true;
    texts->room = start_room > stop_room ? start_room : stop_room;
    texts->bytes = kp_mem_array(run->node->mem, KP_HOOK_TEXTS, texts->room);
    return texts->bytes ? KP_OK : KP_ENOMEM;
}

static struct kp_buf next_buffer(struct kp_sync *sync, int container)
{
    struct kp_hook_texts *texts = &sync->containers[container].hook_texts;

    texts->at = (texts->at + 1) % KP_HOOK_TEXTS;
    return (struct kp_buf){.bytes = texts->bytes + texts->at * texts->room, .cap = texts->room};
}

struct kp_text kp_hook_text(struct kp_sync *sync, int container, const struct kp_handler *hook,
                            enum kp_answer answer, int32_t code, struct kp_text output)
{
    struct kp_buf buf = next_buffer(sync, container);

    put_hook(&buf, sync->run, container, hook, answer, code, output);
    return kp_buf_text(&buf);
}

struct kp_text kp_hook_post_start_reason(struct kp_sync *sync, int container,
                                         const struct kp_handler *hook, enum kp_answer answer,
                                         int32_t code, struct kp_text output)
{
    struct kp_buf buf;

    if (sync->run->node->profile.post_start_reason_bare)
        return KP_TEXT("PostStartHookError");
    buf = next_buffer(sync, container);
    kp_buf_put(&buf, KP_TEXT("PostStartHookError: "));
    if (hook->exec)
        put_exec_error(&buf, hook->exec, answer, code, output);
    else if (hook->http_get)
        kp_buf_put(&buf, output);
    else
        put_invalid_handler(&buf, &sync->run->node->profile, hook);
    return kp_buf_text(&buf);
}
