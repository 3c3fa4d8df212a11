#include "http2.h"

#include "handlers.h"

#include <string.h>

#define STREAM 1                           /* the only one */
#define HEAD_BYTES_MAX (1024 * 1024)       /* of a request's */
#define CODE_MAX NGHTTP2_HTTP_1_1_REQUIRED /* that has a name */

/* The preface and SETTINGS as nghttp2 sends them when it begins; no pushes. */
static const char greeting[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
                               "\0\0\6\4\0\0\0\0\0\0\2\0\0\0";
#define GREETING ((struct kp_text){greeting, sizeof greeting})

/* ---- memory ---------------------------------------------------------------------------------- */

/* Of one that it cannot have nghttp2 does not always say so: some it takes for the peer's fault. */
static void *note(struct kp_http2 *http2, void *bytes)
{
    http2->flight->scratch.failed |= !bytes;
    return bytes;
}

static void *alloc(size_t size, void *ctx)
{
    struct kp_http2 *http2 = ctx;

    return note(http2, kp_spares_alloc(&http2->flight->set->spares, size));
}

static void *alloc_zeroed(size_t count, size_t size, void *ctx)
{
    void *bytes = alloc(count * size, ctx);

    return bytes ? memset(bytes, 0, count * size) : NULL;
}

static void release(void *bytes, void *ctx)
{
    kp_spares_free(&((struct kp_http2 *)ctx)->flight->set->spares, bytes);
}

static void *resize(void *bytes, size_t size, void *ctx)
{
    struct kp_http2 *http2 = ctx;

    return note(http2, kp_spares_resize(&http2->flight->set->spares, bytes, size));
}

/* ---- what passes, for who looks on ----------------------------------------------------------- */

static void show(const struct kp_http2 *http2, enum kp_wire direction, struct kp_text bytes)
{
    const struct kp_attempt *attempt = &http2->flight->attempt;

    if (attempt->wire && bytes.len > 0)
        attempt->wire(attempt->ctx, direction, bytes);
}

static void show_field(const struct kp_http2 *http2, enum kp_wire direction, struct kp_text name,
                       struct kp_text value)
{
    show(http2, direction, name);
    show(http2, direction, KP_TEXT(": "));
    show(http2, direction, value);
    show(http2, direction, KP_TEXT("\r\n"));
}

static void show_request(const struct kp_http2 *http2)
{
    const struct kp_http2_request *request = &http2->request;

    for (size_t i = 0; i < request->count; i++) {
        const nghttp2_nv *field = &request->fields[i];

        show_field(http2, KP_WIRE_SENT, (struct kp_text){(const char *)field->name, field->namelen},
                   (struct kp_text){(const char *)field->value, field->valuelen});
    }
    show(http2, KP_WIRE_SENT, KP_TEXT("\r\n"));
    show(http2, KP_WIRE_SENT, request->body);
}

/* ---- what comes ------------------------------------------------------------------------------ */

static void end_with(struct kp_http2 *http2, enum kp_http2_end end, uint32_t code)
{
    if (http2->end != KP_HTTP2_OPEN)
        return;
    http2->end = end;
    http2->code = code;
}

/* Of no stream but ours anything is passed on, as pushes are refused, nor of ours after its end. */
static int on_begin_headers(nghttp2_session *session, const nghttp2_frame *frame, void *ctx)
{
    struct kp_http2 *http2 = ctx;

    (void)session, (void)frame;
    http2->user->head(http2->flight);
    return 0;
}

static int on_header(nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name,
                     size_t name_len, const uint8_t *value, size_t value_len, uint8_t flags,
                     void *ctx)
{
    const struct kp_text key = {(const char *)name, name_len};
    const struct kp_text text = {(const char *)value, value_len};
    struct kp_http2 *http2 = ctx;

    (void)session, (void)frame, (void)flags;
    show_field(http2, KP_WIRE_RECEIVED, key, text);
    http2->user->field(http2->flight, key, text);
    return 0;
}

static int on_data(nghttp2_session *session, uint8_t flags, int32_t stream, const uint8_t *bytes,
                   size_t len, void *ctx)
{
    const struct kp_text text = {(const char *)bytes, len};
    struct kp_http2 *http2 = ctx;

    (void)session, (void)flags, (void)stream;
    show(http2, KP_WIRE_RECEIVED, text);
    http2->user->data(http2->flight, text);
    return 0;
}

static void take_goaway(struct kp_http2 *http2, const nghttp2_goaway *goaway)
{
    if (http2->away_code == NGHTTP2_NO_ERROR)
        http2->away_code = goaway->error_code;
    http2->went_away = true;
    http2->last_stream = goaway->last_stream_id;
    if (goaway->last_stream_id < STREAM)
        end_with(http2, KP_HTTP2_DENIED, http2->away_code);
}

static void take_end(struct kp_http2 *http2, const nghttp2_frame *frame)
{
    bool is_last = frame->hd.flags & NGHTTP2_FLAG_END_STREAM;

    if (frame->hd.type == NGHTTP2_HEADERS) {
        show(http2, KP_WIRE_RECEIVED, KP_TEXT("\r\n"));
        http2->ended_by_head = is_last;
        http2->user->head_ended(http2->flight, is_last);
    } else {
        http2->ended_by_nothing = is_last && frame->hd.length == 0;
        if (http2->user->data_ended)
            http2->user->data_ended(http2->flight);
    }
    if (is_last)
        end_with(http2, KP_HTTP2_CLOSED, NGHTTP2_NO_ERROR);
}

/* A frame is whole. */
static int on_frame(nghttp2_session *session, const nghttp2_frame *frame, void *ctx)
{
    struct kp_http2 *http2 = ctx;

    (void)session;
    if (frame->hd.type == NGHTTP2_SETTINGS)
        http2->speaks = true;
    else if (frame->hd.type == NGHTTP2_GOAWAY)
        take_goaway(http2, &frame->goaway);
    else if (frame->hd.type == NGHTTP2_RST_STREAM && frame->hd.stream_id == STREAM)
        end_with(http2, KP_HTTP2_RESET, frame->rst_stream.error_code);
    else if (frame->hd.type == NGHTTP2_HEADERS || frame->hd.type == NGHTTP2_DATA)
        take_end(http2, frame);
    return 0;
}

/*
 * What nghttp2 sends the peer about what came is what is wrong with it.  Two things Go sees
 * otherwise: DATA before a head ends the stream alone (x/net, http2 transport.go processData), a
 * push the connection, where nghttp2 resets the promised stream; grpc-go passes over a push.  It
 * reports no such DATA before it has judged it: its words alone show it.
 */
static int on_sent(nghttp2_session *session, const nghttp2_frame *frame, void *ctx)
{
    struct kp_http2 *http2 = ctx;
    const nghttp2_goaway *goaway = &frame->goaway;

    (void)session;
    if (frame->hd.type == NGHTTP2_GOAWAY) {
        http2->early_data = kp_text_equal(
            (struct kp_text){(const char *)goaway->opaque_data, goaway->opaque_data_len},
            KP_TEXT("DATA: stream not opened"));
        end_with(http2, KP_HTTP2_BROKEN, goaway->error_code);
    } else if (frame->hd.type == NGHTTP2_RST_STREAM && frame->hd.stream_id == STREAM) {
        end_with(http2, KP_HTTP2_STREAM_ERROR, frame->rst_stream.error_code);
    } else if (frame->hd.type == NGHTTP2_RST_STREAM && !http2->user->passes_pushes) {
        end_with(http2, KP_HTTP2_BROKEN, NGHTTP2_PROTOCOL_ERROR);
    }
    return 0;
}

/* ---- what goes ------------------------------------------------------------------------------- */

static ssize_t read_body(nghttp2_session *session, int32_t stream, uint8_t *bytes, size_t size,
                         uint32_t *flags, nghttp2_data_source *source, void *ctx)
{
    struct kp_http2 *http2 = ctx;
    size_t left = http2->request.body.len - http2->body_sent;
    size_t len = left < size ? left : size;

    (void)session, (void)stream, (void)source;
    if (len > 0)
        memcpy(bytes, http2->request.body.bytes + http2->body_sent, len);
    http2->body_sent += len;
    if (len == left)
        *flags |= NGHTTP2_DATA_FLAG_EOF;
    return (ssize_t)len;
}

/* All that nghttp2 has to say.  false: no memory. */
static bool gather(struct kp_http2 *http2)
{
    const uint8_t *bytes;
    ssize_t len;

    while ((len = nghttp2_session_mem_send(http2->session, &bytes)) > 0)
        kp_scratch_put(&http2->flight->scratch, &http2->out,
                       (struct kp_text){(const char *)bytes, (size_t)len});
    return !http2->flight->scratch.failed;
}

static void send_out(struct kp_http2 *http2)
{
    struct kp_text bytes = kp_buf_text(&http2->out);

    if (bytes.len > 0)
        kp_conn_send(http2->conn, bytes);
}

/* While something is on its way nothing is added to it. */
static void pump(struct kp_http2 *http2)
{
    if (http2->ignores_input || kp_conn_is_sending(http2->conn))
        return;
    if (http2->speaks && http2->request.waits) {
        http2->request.waits = false; /* what was kept for it goes */
        show_request(http2);
    } else if (!http2->request.waits) {
        http2->out.need = 0;
    }
    if (!gather(http2))
        kp_flight_out_of_memory(http2->flight);
    else if (!http2->request.waits)
        send_out(http2);
}

void kp_http2_was_sent(struct kp_http2 *http2)
{
    if (http2->session)
        pump(http2);
}

/* ---- beginning ------------------------------------------------------------------------------- */

static nghttp2_session_callbacks *make_callbacks(void)
{
    nghttp2_session_callbacks *callbacks;

    if (nghttp2_session_callbacks_new(&callbacks) != 0)
        return NULL;
    nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, on_begin_headers);
    nghttp2_session_callbacks_set_on_header_callback(callbacks, on_header);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, on_data);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, on_frame);
    nghttp2_session_callbacks_set_on_frame_send_callback(callbacks, on_sent);
    return callbacks;
}

static nghttp2_option *make_options(void)
{
    nghttp2_option *options;

    if (nghttp2_option_new(&options) != 0)
        return NULL;
    nghttp2_option_set_no_http_messaging(options, 1); /* Go's are other rules */
    nghttp2_option_set_max_send_header_block_length(options, HEAD_BYTES_MAX);
    return options;
}

static bool make_session(struct kp_http2 *http2)
{
    nghttp2_mem mem = {http2, alloc, release, alloc_zeroed, resize};
    nghttp2_session_callbacks *callbacks = make_callbacks();
    nghttp2_option *options = make_options();
    bool made = callbacks && options &&
                nghttp2_session_client_new3(&http2->session, callbacks, http2, options, &mem) == 0;

    nghttp2_session_callbacks_del(callbacks);
    nghttp2_option_del(options);
    if (!made)
        http2->session = NULL;
    return made;
}

static bool greet(struct kp_http2 *http2)
{
    static const nghttp2_settings_entry no_pushes = {NGHTTP2_SETTINGS_ENABLE_PUSH, 0};

    return make_session(http2) &&
           nghttp2_submit_settings(http2->session, NGHTTP2_FLAG_NONE, &no_pushes, 1) == 0 &&
           gather(http2);
}

/* The request is written out; where it waits it is kept, and what goes before it is gone. */
static bool ask(struct kp_http2 *http2)
{
    static const nghttp2_data_provider body = {{0}, read_body};
    const struct kp_http2_request *request = &http2->request;

    if (!greet(http2))
        return false;
    if (request->waits)
        http2->out.need = 0;
    return nghttp2_submit_request(http2->session, NULL, request->fields, request->count,
                                  request->body.len > 0 ? &body : NULL, NULL) == STREAM &&
           gather(http2);
}

bool kp_http2_begin(struct kp_http2 *http2, struct kp_flight *flight, struct kp_conn *conn,
                    const struct kp_http2_user *user, const struct kp_http2_request *request)
{
    *http2 = (struct kp_http2){.flight = flight, .conn = conn, .user = user, .request = *request};
    if (request->waits) {
        kp_conn_send(conn, GREETING);
        return true;
    }
    if (!ask(http2))
        return false;
    show_request(http2);
    send_out(http2);
    return true;
}

void kp_http2_take(struct kp_http2 *http2, struct kp_text bytes)
{
    if (!http2->session && !ask(http2)) {
        kp_flight_out_of_memory(http2->flight);
        return;
    }
    if (!http2->ignores_input)
        http2->ignores_input =
            nghttp2_session_mem_recv(http2->session, (const uint8_t *)bytes.bytes, bytes.len) < 0;
    if (http2->flight->scratch.failed)
        kp_flight_out_of_memory(http2->flight);
    else if (http2->end == KP_HTTP2_OPEN)
        pump(http2);
}

void kp_http2_end(struct kp_http2 *http2)
{
    nghttp2_session_del(http2->session);
    http2->session = NULL;
}

/* ---- words ----------------------------------------------------------------------------------- */

nghttp2_nv kp_http2_field(struct kp_text name, struct kp_text value)
{
    return (nghttp2_nv){(uint8_t *)(uintptr_t)name.bytes, (uint8_t *)(uintptr_t)value.bytes,
                        name.len, value.len,
                        NGHTTP2_NV_FLAG_NO_COPY_NAME | NGHTTP2_NV_FLAG_NO_COPY_VALUE};
}

void kp_http2_add_code(struct kp_message *message, struct kp_scratch *scratch, uint32_t code)
{
    static const char digits[] = "0123456789abcdef";
    struct kp_buf buf = kp_scratch_buf(scratch, 32);
    int shift = 28;

    if (code <= CODE_MAX) {
        kp_message_add(message, kp_text_of(nghttp2_http2_strerror(code)));
        return;
    }
    while (code >> shift == 0)
        shift -= 4;
    kp_buf_put(&buf, KP_TEXT("unknown error code 0x"));
    for (; shift >= 0; shift -= 4)
        kp_buf_put_char(&buf, digits[code >> shift & 15]);
    kp_message_add(message, kp_buf_text(&buf));
}
