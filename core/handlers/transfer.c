/* transfer.c: libcurl in the loop, and what all transfers have set. */
#include "handlers.h"
#include "own_socket.h"
#include "tls_read.h"

#include <assert.h>
#include <errno.h>
#include <openssl/ssl.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define HANDSHAKE_NS_MAX (10 * KP_NS_PER_S) /* apimachinery SetTransportDefaults */

/* ---- sockets --------------------------------------------------------------------------------- */

static bool note_owner(struct kp_handlers *set, int fd, struct kp_transfer *transfer)
{
    size_t at = (size_t)fd;
    struct kp_transfer **grown;
    size_t cap = set->by_fd_cap > 0 ? set->by_fd_cap : 256;

    while (cap <= at)
        cap *= 2;
    if (cap > set->by_fd_cap) {
        grown = kp_mem_array(set->mem, cap, sizeof(struct kp_transfer *));
        if (!grown)
            return false;
        if (set->by_fd_cap > 0)
            memcpy(grown, set->by_fd, set->by_fd_cap * sizeof *grown);
        kp_mem_free(set->mem, set->by_fd);
        set->by_fd = grown;
        set->by_fd_cap = cap;
    }
    set->by_fd[at] = transfer;
    return true;
}

static struct kp_transfer *owner_of(const struct kp_handlers *set, int fd)
{
    return (size_t)fd < set->by_fd_cap ? set->by_fd[fd] : NULL; /* of CURL_SOCKET_TIMEOUT none */
}

static bool watch(struct kp_handlers *set, int fd, struct epoll_event *event)
{
    return epoll_ctl(set->epoll_fd, EPOLL_CTL_ADD, fd, event) == 0 ||
           epoll_ctl(set->epoll_fd, EPOLL_CTL_MOD, fd, event) == 0;
}

static void run_dry(struct kp_transfer *transfer)
{
    kp_flight_finish_text(transfer->flight, KP_ANSWER_ERROR, KP_TEXT("out of memory"));
}

static void forget_socket(struct kp_handlers *set, int fd)
{
    struct epoll_event ignored = {0};

    if (owner_of(set, fd))
        set->by_fd[fd] = NULL;
    epoll_ctl(set->epoll_fd, EPOLL_CTL_DEL, fd, &ignored);
}

/*
 * libcurl says which sockets it waits for.  Where there is no room for one its attempt ends; to
 * refuse would end all others with it.
 */
static int on_socket(CURL *easy, curl_socket_t fd, int what, void *ctx, void *unused)
{
    struct kp_handlers *set = ctx;
    struct kp_transfer *transfer = NULL;
    struct epoll_event event = {.data = {.u64 = (uint64_t)fd << 1 | 1}};

    (void)unused;
    curl_easy_getinfo(easy, CURLINFO_PRIVATE, &transfer);
    if (what == CURL_POLL_REMOVE && transfer->hold == KP_HOLD_ON) {
        event.events = EPOLLIN;
        epoll_ctl(set->epoll_fd, EPOLL_CTL_MOD, fd, &event);
        return 0;
    }
    if (what == CURL_POLL_REMOVE) {
        forget_socket(set, fd);
        return 0;
    }
    if (what & CURL_POLL_IN)
        event.events |= EPOLLIN;
    if (what & CURL_POLL_OUT)
        event.events |= EPOLLOUT;
    transfer->watched = true;
    if (!note_owner(set, fd, transfer) || !watch(set, fd, &event))
        run_dry(transfer);
    return 0;
}

static int on_timer(CURLM *multi, long timeout_ms, void *ctx)
{
    struct kp_handlers *set = ctx;

    (void)multi;
    set->curl_due_ns = timeout_ms < 0 ? KP_NEVER : kp_handlers_now_ns() + timeout_ms * KP_NS_PER_MS;
    return 0;
}

/*
 * Let libcurl go on.  Where it finds no memory to tell us of a socket nobody would be woken: the
 * attempts that it can be end.
 */
static void act(struct kp_handlers *set, int fd, int mask)
{
    struct kp_transfer *owner = owner_of(set, fd);
    int running;

    if (curl_multi_socket_action(set->multi, fd, mask, &running) != CURLM_OUT_OF_MEMORY)
        return;
    set->curl_due_ns = 0; /* it has not come to the others */
    if (owner)
        run_dry(owner);
    for (size_t i = 0; i < set->cap; i++) {
        const struct kp_flight *flight = set->slots[i].flight;

        if (flight && flight->transfer && !flight->transfer->watched)
            run_dry(flight->transfer);
    }
}

/* ---- in libcurl's place ---------------------------------------------------------------------- */

/* libcurl's; NULL: it speaks no TLS there. */
static SSL *tls_of(const struct kp_transfer *transfer)
{
    struct curl_tlssessioninfo *session = NULL;

    curl_easy_getinfo(transfer->easy, CURLINFO_TLS_SSL_PTR, &session);
    return session ? session->internals : NULL;
}

/* As recv, decrypted, and without waiting. */
static ssize_t receive(const struct kp_transfer *transfer, char *bytes, size_t size, bool peek)
{
    SSL *ssl = tls_of(transfer);

    return ssl ? kp_tls_receive(ssl, transfer->fd, bytes, size, peek)
               : recv(transfer->fd, bytes, size, MSG_DONTWAIT | (peek ? MSG_PEEK : 0));
}

/*
 * The reply begins, and libcurl waits.
 *
 * Returns: true: it may read.
 */
static bool look_at_reply(struct kp_transfer *transfer, int fd)
{
    char bytes[KP_LOOK_BYTES];
    ssize_t got;

    transfer->fd = fd;
    got = receive(transfer, bytes, sizeof bytes, true);
    if (got < 0) {
        if (errno != EAGAIN)
            kp_transfer_fail(transfer);
        return false;
    }
    if (got == 0 || !transfer->reply_came(transfer, (struct kp_text){bytes, (size_t)got}))
        return true;
    transfer->hold = KP_HOLD_TAKEN;
    transfer->readable(transfer);
    return false;
}

/*
 * A transfer that waits may read all the same: libcurl has kept the event that ended the handshake.
 * Meanwhile its TLS reads from where nothing comes.
 */
static bool stop_reading(struct kp_transfer *transfer, SSL *ssl)
{
    BIO *nothing = BIO_new(BIO_s_mem());

    if (!nothing)
        return false;
    BIO_set_mem_eof_return(nothing, -1);
    transfer->reads = SSL_get_rbio(ssl);
    BIO_up_ref(transfer->reads);
    SSL_set0_rbio(ssl, nothing);
    return true;
}

static void go_on_reading(struct kp_transfer *transfer)
{
    SSL *ssl = transfer->reads ? tls_of(transfer) : NULL;

    if (ssl)
        SSL_set0_rbio(ssl, transfer->reads);
    else
        BIO_free(transfer->reads);
    transfer->reads = NULL;
}

void kp_curl_ready(struct kp_handlers *set, int fd, uint32_t epoll_events)
{
    struct kp_transfer *transfer = owner_of(set, fd);
    int mask = 0;

    if (transfer && transfer->hold == KP_HOLD_TAKEN) {
        if (!transfer->flight->done)
            transfer->readable(transfer);
        return;
    }
    if (transfer && transfer->hold == KP_HOLD_ON) {
        if (!look_at_reply(transfer, fd))
            return;
        transfer->hold = KP_HOLD_OVER;
        go_on_reading(transfer);
        curl_easy_pause(transfer->easy, CURLPAUSE_CONT);
    }
    if (epoll_events & (EPOLLIN | EPOLLHUP | EPOLLERR))
        mask |= CURL_CSELECT_IN;
    if (epoll_events & EPOLLOUT)
        mask |= CURL_CSELECT_OUT;
    act(set, fd, mask);
}

void kp_curl_turn(struct kp_handlers *set, int64_t now_ns)
{
    CURLMsg *message;
    int left;

    if (set->curl_due_ns <= now_ns) {
        set->curl_due_ns = KP_NEVER;
        act(set, CURL_SOCKET_TIMEOUT, 0);
    }
    while ((message = curl_multi_info_read(set->multi, &left)) != NULL) {
        struct kp_transfer *transfer = NULL;
        CURLcode code = message->data.result;

        curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &transfer);
        if (!transfer->flight->done)
            transfer->finished(transfer, code);
    }
}

bool kp_curl_begin(struct kp_handlers *set)
{
    set->curl_due_ns = KP_NEVER;
    if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
        return false;
    set->multi = curl_multi_init();
    if (!set->multi) {
        curl_global_cleanup();
        return false;
    }
    curl_multi_setopt(set->multi, CURLMOPT_SOCKETFUNCTION, on_socket);
    curl_multi_setopt(set->multi, CURLMOPT_SOCKETDATA, set);
    curl_multi_setopt(set->multi, CURLMOPT_TIMERFUNCTION, on_timer);
    curl_multi_setopt(set->multi, CURLMOPT_TIMERDATA, set);
    curl_multi_setopt(set->multi, CURLMOPT_PIPELINING, CURLPIPE_NOTHING);
    return true;
}

void kp_curl_end(struct kp_handlers *set)
{
    while (set->idle_count > 0)
        curl_easy_cleanup(set->idle[--set->idle_count]);
    if (!set->multi)
        return; /* it never began: what the caller has of libcurl stays */
    curl_multi_cleanup(set->multi);
    kp_mem_free(set->mem, set->by_fd);
    curl_global_cleanup();
}

/* ---- one transfer ---------------------------------------------------------------------------- */

static curl_socket_t open_socket(void *ctx, curlsocktype purpose, struct curl_sockaddr *address)
{
    struct kp_transfer *transfer = ctx;

    (void)purpose;
    if (!transfer->dialled && address->addrlen <= sizeof transfer->address)
        memcpy(&transfer->address, &address->addr, address->addrlen);
    transfer->dialled = true;
    transfer->fd = socket(address->family, address->socktype | SOCK_CLOEXEC | SOCK_NONBLOCK,
                          address->protocol);
    return transfer->fd;
}

static int show_wire(CURL *easy, curl_infotype type, char *bytes, size_t len, void *ctx)
{
    struct kp_transfer *transfer = ctx;
    const struct kp_attempt *attempt = &transfer->flight->attempt;
    struct kp_text text = {bytes, len};

    (void)easy;
    if (type == CURLINFO_HEADER_OUT || type == CURLINFO_DATA_OUT)
        attempt->wire(attempt->ctx, KP_WIRE_SENT, text);
    else if (type == CURLINFO_HEADER_IN || type == CURLINFO_DATA_IN)
        attempt->wire(attempt->ctx, KP_WIRE_RECEIVED, text);
    return 0;
}

/*
 * libcurl does not show what it refuses, nor does it tell which alert came.  OpenSSL shows the head
 * of a record before it judges it.
 */
static void on_record(int written, int version, int type, const void *bytes, size_t len, SSL *ssl,
                      void *ctx)
{
    struct kp_transfer *transfer = ctx;
    struct kp_handshake *handshake = &transfer->handshake;
    const unsigned char *at = bytes;

    (void)version, (void)ssl, (void)len;
    if (written)
        return;
    if (type == SSL3_RT_HEADER && !handshake->answered)
        memcpy(handshake->head, at, KP_RECORD_HEAD_BYTES);
    if (type == SSL3_RT_HEADER)
        handshake->record_bytes += KP_RECORD_HEAD_BYTES + ((uint64_t)at[3] << 8 | at[4]);
    if (type == SSL3_RT_HANDSHAKE)
        handshake->answered = true;
    if (type != SSL3_RT_ALERT)
        return;
    transfer->alert_level = at[0];
    transfer->alert = at[1];
}

static void on_handshake(const SSL *ssl, int where, int ret)
{
    struct kp_transfer *transfer = SSL_CTX_get_app_data(SSL_get_SSL_CTX(ssl));

    (void)ret;
    transfer->handshake.bytes = BIO_number_read(SSL_get_rbio(ssl));
    if (!(where & SSL_CB_HANDSHAKE_START) || transfer->hold != KP_HOLD_ASKED)
        return;
    transfer->shakes_hands = true;
    kp_flight_wake_at(transfer->flight, kp_handlers_now_ns() + HANDSHAKE_NS_MAX);
}

/* What libcurl has no option for. */
static CURLcode set_tls(CURL *easy, void *context, void *ctx)
{
    static const unsigned char h2[] = {2, 'h', '2'};
    struct kp_transfer *transfer = ctx;

    (void)easy;
    SSL_CTX_set_options(context, SSL_OP_IGNORE_UNEXPECTED_EOF); /* as Go, where a record is over */
    SSL_CTX_set_msg_callback(context, on_record);
    SSL_CTX_set_msg_callback_arg(context, transfer);
    if (!SSL_CTX_set_app_data(context, transfer) ||
        (transfer->h2_alone && SSL_CTX_set_alpn_protos(context, h2, sizeof h2) != 0))
        return CURLE_OUT_OF_MEMORY;
    SSL_CTX_set_info_callback(context, on_handshake);
    if (transfer->flight->attempt.profile->with_go_118)
        return CURLE_OK;
    SSL_CTX_set_security_level(context, 0); /* OpenSSL has no TLS 1.0 above it */
    return SSL_CTX_set_min_proto_version(context, TLS1_VERSION) ? CURLE_OK : CURLE_OUT_OF_MEMORY;
}

/*
 * Where libcurl's ways are not the kubelet's. What is off by default (cookies, redirects, netrc,
 * HSTS, Alt-Svc) stays off. SO_LINGER of one second (P-009) is not set: it changes nothing that a
 * peer sees, it lets close() wait for the peer, and here nothing waits. P-111, P-112.
 */
static void set_common(struct kp_transfer *transfer)
{
    static const struct {
        CURLoption option;
        long value;
    } options[] = {
        {CURLOPT_NOSIGNAL, 1},
        {CURLOPT_SSL_VERIFYPEER, 0},
        {CURLOPT_SSL_VERIFYHOST, 0},
        {CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2},
        {CURLOPT_FRESH_CONNECT, 1},
        {CURLOPT_FORBID_REUSE, 1},
        {CURLOPT_HTTP09_ALLOWED, 0},
        {CURLOPT_PATH_AS_IS, 1},
        {CURLOPT_DNS_CACHE_TIMEOUT, 0},
        {CURLOPT_SSL_SESSIONID_CACHE, 0},
        {CURLOPT_BUFFERSIZE, 4096},
        {CURLOPT_HAPPY_EYEBALLS_TIMEOUT_MS, 300},
#if LIBCURL_VERSION_NUM >= 0x075700
        {CURLOPT_QUICK_EXIT, 1}, /* a name that nobody resolves in time is not waited for */
#endif
    };
    CURL *easy = transfer->easy;

    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++)
        curl_easy_setopt(easy, options[i].option, options[i].value);
    if (!transfer->flight->attempt.profile->with_go_113)
        curl_easy_setopt(easy, CURLOPT_SSLVERSION,
                         (long)CURL_SSLVERSION_TLSv1_2 | CURL_SSLVERSION_MAX_TLSv1_2);
    kp_transfer_set_text(transfer, CURLOPT_PROXY, ""); /* nor one of the environment */
    curl_easy_setopt(easy, CURLOPT_CAINFO, NULL);      /* reading it costs more than the probe */
    curl_easy_setopt(easy, CURLOPT_CAPATH, NULL);
    curl_easy_setopt(easy, CURLOPT_PRIVATE, transfer);
    curl_easy_setopt(easy, CURLOPT_SSL_CTX_FUNCTION, set_tls);
    curl_easy_setopt(easy, CURLOPT_SSL_CTX_DATA, transfer);
    curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, transfer->words);
    curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, open_socket);
    curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, transfer);
    curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS,
                     (long)(kp_flight_timeout_ns(transfer->flight) / KP_NS_PER_MS) + 60000);
    if (!transfer->flight->attempt.wire)
        return;
    curl_easy_setopt(easy, CURLOPT_VERBOSE, 1L);
    curl_easy_setopt(easy, CURLOPT_DEBUGFUNCTION, show_wire);
    curl_easy_setopt(easy, CURLOPT_DEBUGDATA, transfer);
}

bool kp_transfer_begin(struct kp_transfer *transfer, struct kp_flight *flight,
                       void (*finished)(struct kp_transfer *transfer, CURLcode code))
{
    struct kp_handlers *set = flight->set;

    assert(!flight->done);
    *transfer = (struct kp_transfer){.flight = flight, .finished = finished};
    transfer->easy = set->idle_count > 0 ? set->idle[--set->idle_count] : curl_easy_init();
    if (!transfer->easy)
        return false;
    flight->transfer = transfer;
    set_common(transfer);
    return true;
}

void kp_transfer_set_text(struct kp_transfer *transfer, CURLoption option, const char *text)
{
    if (curl_easy_setopt(transfer->easy, option, text) != CURLE_OK)
        transfer->lacks_memory = true;
}

bool kp_transfer_send(struct kp_transfer *transfer)
{
    return !transfer->lacks_memory &&
           curl_multi_add_handle(transfer->flight->set->multi, transfer->easy) == CURLM_OK;
}

void kp_transfer_end(struct kp_transfer *transfer)
{
    struct kp_handlers *set;

    if (!transfer->easy)
        return;
    set = transfer->flight->set;
    transfer->flight->transfer = NULL;
    if (transfer->hold == KP_HOLD_TAKEN)
        forget_socket(set, transfer->fd);
    transfer->hold = KP_HOLD_OVER;
    go_on_reading(transfer);
    curl_multi_remove_handle(set->multi, transfer->easy);
    if (set->idle_count < KP_IDLE_HANDLES) {
        curl_easy_reset(transfer->easy);
        set->idle[set->idle_count++] = transfer->easy;
    } else {
        curl_easy_cleanup(transfer->easy);
    }
    transfer->easy = NULL;
}

int kp_transfer_errno(const struct kp_transfer *transfer)
{
    long error = 0;

    curl_easy_getinfo(transfer->easy, CURLINFO_OS_ERRNO, &error);
    return transfer->read_error != 0 ? transfer->read_error : (int)error;
}

/* ---- looking before libcurl does ------------------------------------------------------------- */

/* libcurl reports between its steps; behind the one that sends the request nothing is read yet. */
static int on_progress(void *ctx, curl_off_t a, curl_off_t b, curl_off_t c, curl_off_t d)
{
    struct kp_transfer *transfer = ctx;
    SSL *ssl;
    long sent = 0;

    (void)a, (void)b, (void)c, (void)d;
    if (transfer->hold != KP_HOLD_ASKED)
        return 0;
    curl_easy_getinfo(transfer->easy, CURLINFO_REQUEST_SIZE, &sent);
    if (sent == 0)
        return 0;
    ssl = tls_of(transfer);
    transfer->shakes_hands = false;
    transfer->in_http2 = kp_transfer_is_http2(transfer);
    transfer->hold =
        (size_t)sent != transfer->request_bytes || transfer->in_http2 ? KP_HOLD_OVER : KP_HOLD_ON;
    if (transfer->hold == KP_HOLD_OVER)
        return 0;
    if (ssl && !stop_reading(transfer, ssl))
        run_dry(transfer);
    return curl_easy_pause(transfer->easy, CURLPAUSE_ALL) != CURLE_OK;
}

void kp_transfer_hold(struct kp_transfer *transfer, size_t request_bytes,
                      bool (*reply_came)(struct kp_transfer *transfer, struct kp_text bytes),
                      void (*readable)(struct kp_transfer *transfer))
{
    transfer->request_bytes = request_bytes;
    transfer->reply_came = reply_came;
    transfer->readable = readable;
    transfer->hold = KP_HOLD_ASKED;
    curl_easy_setopt(transfer->easy, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(transfer->easy, CURLOPT_XFERINFOFUNCTION, on_progress);
    curl_easy_setopt(transfer->easy, CURLOPT_XFERINFODATA, transfer);
}

ssize_t kp_transfer_recv(struct kp_transfer *transfer, char *bytes)
{
    return receive(transfer, bytes, KP_RECV_BYTES, false);
}

void kp_transfer_fail(struct kp_transfer *transfer)
{
    transfer->read_error = errno != EPROTO ? errno : 0;
    transfer->finished(transfer, errno == ENOMEM ? CURLE_OUT_OF_MEMORY : CURLE_RECV_ERROR);
}

/* ---- connected, and no more --------------------------------------------------------------------
 */

CURLcode kp_transfer_take(struct kp_transfer *transfer,
                          void (*readable)(struct kp_transfer *transfer))
{
    struct kp_handlers *set = transfer->flight->set;
    struct epoll_event event = {.events = EPOLLIN};

    curl_easy_getinfo(transfer->easy, CURLINFO_ACTIVESOCKET, &transfer->fd);
    if (transfer->fd == CURL_SOCKET_BAD)
        return CURLE_COULDNT_CONNECT;
    event.data.u64 = (uint64_t)transfer->fd << 1 | 1;
    transfer->readable = readable;
    transfer->hold = KP_HOLD_TAKEN;
    return note_owner(set, transfer->fd, transfer) && watch(set, transfer->fd, &event)
               ? CURLE_OK
               : CURLE_OUT_OF_MEMORY;
}

bool kp_transfer_is_http2(const struct kp_transfer *transfer)
{
    const SSL *ssl = tls_of(transfer);

    return ssl && kp_tls_is_http2(ssl);
}

/* ---- what another has read ------------------------------------------------------------------- */

/* libcurl 7.88 cannot be given a socket that is connected already. */
int kp_transfer_send_to_us(struct kp_transfer *transfer)
{
    struct sockaddr_un name;
    int listener = kp_own_listen(&name);
    int fd = -1;

    if (listener < 0)
        return -1; /* without the name libcurl would dial that address */
    kp_transfer_set_text(transfer, CURLOPT_URL, "http://127.0.0.1");
    kp_transfer_set_text(transfer, CURLOPT_ABSTRACT_UNIX_SOCKET, name.sun_path + 1);
    if (kp_transfer_send(transfer)) {
        act(transfer->flight->set, CURL_SOCKET_TIMEOUT, 0);
        fd = kp_own_accept(listener);
    }
    close(listener);
    return fd;
}

void kp_transfer_read(struct kp_transfer *transfer)
{
    act(transfer->flight->set, transfer->fd, CURL_CSELECT_IN);
}
