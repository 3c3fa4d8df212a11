#include "conformance/fire/fire_h2.h"
#include "conformance/text/arena.h"

#include <nghttp2/nghttp2.h>

#include <stdlib.h>
#include <string.h>

enum { LINES_MAX = 64, LINE_BYTES = 1024, HEAD_FIELDS = 2 };
enum { FIELDS_MAX = HEAD_FIELDS + CF_FIRE_FIELDS_MAX };

struct talk {
    nghttp2_session *session;
    const struct cf_fire_step *steps;
    size_t count;
    size_t next; /* the step of the next request */
    struct cf_out *saw;
    char *lines[LINES_MAX]; /* of the request under way */
    size_t line_count;
    struct cf_out data;
    /* The body under way. */
    struct kp_text body;
    bool stalls; /* there is no more of it, and no end either */
    nghttp2_nv trailers[FIELDS_MAX];
    size_t trailer_count; /* 0: the body is the end */
};

/* ---- what arrives ------------------------------------------------------------------------- */

static int on_header(nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name,
                     size_t name_len, const uint8_t *value, size_t value_len, uint8_t flags,
                     void *ctx)
{
    struct talk *talk = ctx;
    struct cf_out line = {0};

    (void)session;
    (void)frame;
    (void)flags;
    if (talk->line_count == LINES_MAX)
        return 0;
    cf_out_put(&line, (struct kp_text){(const char *)name, name_len});
    cf_out_put(&line, KP_TEXT(": "));
    cf_out_put(&line, (struct kp_text){(const char *)value, value_len});
    cf_out_put_char(&line, '\0');
    talk->lines[talk->line_count++] = line.bytes;
    return 0;
}

static int on_data(nghttp2_session *session, uint8_t flags, int32_t stream, const uint8_t *bytes,
                   size_t len, void *ctx)
{
    struct talk *talk = ctx;

    (void)session;
    (void)flags;
    (void)stream;
    for (size_t i = 0; i < len; i++)
        cf_out_printf(&talk->data, "%02x", bytes[i]);
    return 0;
}

static int compare_lines(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* HTTP/2 gives header fields no order that means anything.  with_data: frames of it ended it, which
 * may have been empty. */
static void write_request(struct talk *talk, bool with_data)
{
    qsort(talk->lines, talk->line_count, sizeof *talk->lines, compare_lines);
    for (size_t i = 0; i < talk->line_count; i++) {
        cf_out_printf(talk->saw, "%s\n", talk->lines[i]);
        free(talk->lines[i]);
    }
    if (with_data) {
        cf_out_put(talk->saw, KP_TEXT("data "));
        cf_out_put(talk->saw, cf_out_text(&talk->data));
        cf_out_put_char(talk->saw, '\n');
    }
    talk->line_count = 0;
    cf_out_clear(&talk->data);
}

/* ---- what is answered --------------------------------------------------------------------- */

static nghttp2_nv field(struct kp_text name, struct kp_text value)
{
    return (nghttp2_nv){(uint8_t *)(uintptr_t)name.bytes, (uint8_t *)(uintptr_t)value.bytes,
                        name.len, value.len, NGHTTP2_NV_FLAG_NONE};
}

static ssize_t read_body(nghttp2_session *session, int32_t stream, uint8_t *bytes, size_t size,
                         uint32_t *flags, nghttp2_data_source *source, void *ctx)
{
    struct talk *talk = ctx;
    size_t len = talk->body.len < size ? talk->body.len : size;

    (void)source;
    if (len == 0 && talk->stalls)
        return NGHTTP2_ERR_DEFERRED;
    memcpy(bytes, talk->body.bytes, len);
    talk->body = kp_text_from(talk->body, len);
    if (talk->body.len == 0 && !talk->stalls)
        *flags |= NGHTTP2_DATA_FLAG_EOF;
    if (talk->body.len == 0 && talk->trailer_count > 0) {
        *flags |= NGHTTP2_DATA_FLAG_NO_END_STREAM;
        nghttp2_submit_trailer(session, stream, talk->trailers, talk->trailer_count);
    }
    return (ssize_t)len;
}

/* NAME "VALUE" pairs from word k on, as far as they go.  Returns: the word behind them. */
static size_t take_fields(const struct cf_fire_step *step, size_t k, nghttp2_nv *fields,
                          size_t *count)
{
    for (; k + 1 < step->word_count && !step->words[k].quoted && *count < FIELDS_MAX; k += 2)
        fields[(*count)++] = field(step->words[k].text, step->words[k + 1].text);
    return k;
}

/* STATUS [NAME "VALUE"]... ["BODY"]: an even number of words behind the status leaves no body. */
static void answer(struct talk *talk, int32_t stream, const struct cf_fire_step *step, bool body)
{
    static const nghttp2_data_provider provider = {{0}, read_body};
    nghttp2_nv fields[FIELDS_MAX];
    size_t count = 0;
    size_t k;

    fields[count++] = field(KP_TEXT(":status"), step->words[1].text);
    k = take_fields(step, 2, fields, &count);
    talk->body = k < step->word_count ? step->words[k].text : KP_TEXT("");
    nghttp2_submit_response(talk->session, stream, fields, count, body ? &provider : NULL);
}

static uint32_t number(const struct cf_fire_step *step, size_t k)
{
    char digits[16] = "";
    struct kp_text text = k < step->word_count ? step->words[k].text : KP_TEXT("0");

    memcpy(digits, text.bytes, text.len < sizeof digits ? text.len : sizeof digits - 1);
    return (uint32_t)strtoul(digits, NULL, 10);
}

/* A gRPC call's head, whose first HEAD_FIELDS are filled in here, the body and the trailers. */
static void answer_call(struct talk *talk, int32_t stream, nghttp2_nv *head, size_t count)
{
    static const nghttp2_data_provider provider = {{0}, read_body};

    if (talk->trailer_count == 0)
        talk->trailers[talk->trailer_count++] = field(KP_TEXT("grpc-status"), KP_TEXT("0"));
    head[0] = field(KP_TEXT(":status"), KP_TEXT("200"));
    head[1] = field(KP_TEXT("content-type"), KP_TEXT("application/grpc"));
    nghttp2_submit_response(talk->session, stream, head, count, &provider);
}

/* A HealthCheckResponse with that status behind gRPC's five bytes; 0, the default, is left out. */
static void answer_health(struct talk *talk, int32_t stream, const struct cf_fire_step *step)
{
    static const char messages[][8] = {"\0\0\0\0\0", "\0\0\0\0\2\x08\1", "\0\0\0\0\2\x08\2",
                                       "\0\0\0\0\2\x08\3", "\0\0\0\0\2\x08\4"};
    nghttp2_nv head[HEAD_FIELDS];
    uint32_t status = number(step, 1) % 5;

    talk->body = (struct kp_text){messages[status], status == 0 ? 5 : 7};
    answer_call(talk, stream, head, HEAD_FIELDS);
}

/* [NAME "VALUE"]... "BYTES" [NAME "VALUE"]... */
static void answer_message(struct talk *talk, int32_t stream, const struct cf_fire_step *step)
{
    nghttp2_nv head[FIELDS_MAX];
    size_t count = HEAD_FIELDS;
    size_t k = take_fields(step, 1, head, &count);

    talk->body = step->words[k].text;
    take_fields(step, k + 1, talk->trailers, &talk->trailer_count);
    answer_call(talk, stream, head, count);
}

static void answer_status(struct talk *talk, int32_t stream, const struct cf_fire_step *step)
{
    struct kp_text message = step->word_count > 2 ? step->words[2].text : KP_TEXT("");
    const nghttp2_nv fields[] = {field(KP_TEXT(":status"), KP_TEXT("200")),
                                 field(KP_TEXT("content-type"), KP_TEXT("application/grpc")),
                                 field(KP_TEXT("grpc-status"), step->words[1].text),
                                 field(KP_TEXT("grpc-message"), message)};

    nghttp2_submit_response(talk->session, stream, fields, 4, NULL);
}

static bool is(const struct cf_fire_step *step, const char *word)
{
    return kp_text_equal(step->words[0].text, kp_text_of(word));
}

static void answer_part(struct talk *talk, int32_t stream, const struct cf_fire_step *step)
{
    struct cf_fire_step head = *step;

    talk->stalls = true;
    if (is(step, "part"))
        head.word_count--;
    answer(talk, stream, &head, true);
}

static void act(struct talk *talk, int32_t stream)
{
    const struct cf_fire_step *step;

    if (talk->next == talk->count)
        return;
    step = &talk->steps[talk->next++];
    talk->stalls = false;
    talk->trailer_count = 0;
    if (is(step, "reply"))
        answer(talk, stream, step, true);
    else if (is(step, "headers"))
        answer(talk, stream, step, false);
    else if (is(step, "part") || is(step, "stall"))
        answer_part(talk, stream, step);
    else if (is(step, "serving"))
        answer_health(talk, stream, step);
    else if (is(step, "message"))
        answer_message(talk, stream, step);
    else if (is(step, "status"))
        answer_status(talk, stream, step);
    else if (is(step, "reset"))
        nghttp2_submit_rst_stream(talk->session, NGHTTP2_FLAG_NONE, stream, number(step, 1));
    else if (is(step, "goaway"))
        nghttp2_submit_goaway(talk->session, NGHTTP2_FLAG_NONE, (int32_t)number(step, 1),
                              number(step, 2), NULL, 0);
}

/* Some of a body was sent: now the stream ends. */
static int on_sent(nghttp2_session *session, const nghttp2_frame *frame, void *ctx)
{
    struct talk *talk = ctx;
    const struct cf_fire_step *step = talk->next > 0 ? &talk->steps[talk->next - 1] : NULL;

    if (frame->hd.type == NGHTTP2_DATA && step && is(step, "part") && talk->body.len == 0)
        nghttp2_submit_rst_stream(session, NGHTTP2_FLAG_NONE, frame->hd.stream_id,
                                  number(step, step->word_count - 1));
    return 0;
}

static int on_frame(nghttp2_session *session, const nghttp2_frame *frame, void *ctx)
{
    struct talk *talk = ctx;

    (void)session;
    if ((frame->hd.type != NGHTTP2_HEADERS && frame->hd.type != NGHTTP2_DATA) ||
        (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) == 0)
        return 0;
    write_request(talk, frame->hd.type == NGHTTP2_DATA);
    act(talk, frame->hd.stream_id);
    return 0;
}

/* ---- the conversation --------------------------------------------------------------------- */

static bool send_pending(struct talk *talk, struct cf_fire_link *link)
{
    const uint8_t *bytes;
    ssize_t len;

    while ((len = nghttp2_session_mem_send(talk->session, &bytes)) > 0)
        if (!cf_fire_link_write(link, (struct kp_text){(const char *)bytes, (size_t)len}))
            return false;
    return len == 0;
}

static void converse(struct talk *talk, struct cf_fire_link *link)
{
    uint8_t bytes[16384];
    ssize_t got;

    nghttp2_submit_settings(talk->session, NGHTTP2_FLAG_NONE, NULL, 0);
    while (send_pending(talk, link) && (nghttp2_session_want_read(talk->session) ||
                                        nghttp2_session_want_write(talk->session))) {
        got = cf_fire_link_read(link, bytes, sizeof bytes);
        if (got <= 0 || nghttp2_session_mem_recv(talk->session, bytes, (size_t)got) < 0)
            break;
    }
    send_pending(talk, link);
}

void cf_fire_h2(struct cf_fire_link *link, const struct cf_fire_step *steps, size_t count,
                struct cf_out *saw)
{
    struct talk talk = {.steps = steps, .count = count, .saw = saw};
    nghttp2_session_callbacks *callbacks;
    nghttp2_option *options;

    if (nghttp2_session_callbacks_new(&callbacks) != 0 || nghttp2_option_new(&options) != 0)
        cf_out_of_memory();
    nghttp2_option_set_no_http_messaging(options, 1); /* cases say which request is wanted */
    nghttp2_session_callbacks_set_on_header_callback(callbacks, on_header);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, on_data);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, on_frame);
    nghttp2_session_callbacks_set_on_frame_send_callback(callbacks, on_sent);
    if (nghttp2_session_server_new2(&talk.session, callbacks, &talk, options) != 0)
        cf_out_of_memory();
    nghttp2_option_del(options);
    nghttp2_session_callbacks_del(callbacks);
    converse(&talk, link);
    nghttp2_session_del(talk.session);
    for (size_t i = 0; i < talk.line_count; i++)
        free(talk.lines[i]);
    cf_out_deinit(&talk.data);
}
