/* shortage_test.c: attempts that go on while another one lacks something, or libcurl does; and one
 * that lacks time. */
#define _GNU_SOURCE /* RTLD_NEXT, dladdr */
#include "handlers.h"

#include "fakes/faults.h"

#include <dlfcn.h>
#include <openssl/ssl.h>

/* ---- what OpenSSL reads from and writes to in libcurl's place -------------------------------- */

/* And not by one of the libraries. */
static bool is_called_by_us(const void *caller)
{
    Dl_info theirs;
    Dl_info ours;

    return dladdr(caller, &theirs) && dladdr((void *)(uintptr_t)faults_fails, &ours) &&
           theirs.dli_fbase == ours.dli_fbase;
}

#define CALLED_BY_US is_called_by_us(__builtin_return_address(0))

BIO *BIO_new(const BIO_METHOD *method)
{
    BIO *(*real)(const BIO_METHOD *);
    bool ours = CALLED_BY_US;

    REAL(BIO_new);
    if (ours && faults_fails()) {
        faults.lost = true;
        return NULL;
    }
    faults.bios += ours;
    return real(method);
}

BIO *BIO_new_socket(int fd, int closes)
{
    BIO *(*real)(int, int);

    REAL(BIO_new_socket);
    if (faults_fails()) {
        faults.lost = true;
        return NULL;
    }
    faults.bios++;
    return real(fd, closes);
}

int BIO_up_ref(BIO *bio)
{
    int (*real)(BIO *);

    faults.bios += CALLED_BY_US;
    REAL(BIO_up_ref);
    return real(bio);
}

int BIO_free(BIO *bio)
{
    int (*real)(BIO *);

    faults.bios -= CALLED_BY_US && bio;
    REAL(BIO_free);
    return real(bio);
}

void SSL_set0_rbio(SSL *ssl, BIO *bio)
{
    void (*real)(SSL *, BIO *);

    faults.bios -= CALLED_BY_US;
    REAL(SSL_set0_rbio);
    real(ssl, bio);
}

void SSL_set0_wbio(SSL *ssl, BIO *bio)
{
    void (*real)(SSL *, BIO *);

    faults.bios -= CALLED_BY_US;
    REAL(SSL_set0_wbio);
    real(ssl, bio);
}

/* ---- who lacks nothing ----------------------------------------------------------------------- */

static void step_for(struct rig *rig, int64_t ms)
{
    int64_t until_ns = kp_handlers_now_ns() + ms * KP_NS_PER_MS;

    for (int turns = 0; turns < 20 || kp_handlers_now_ns() < until_ns; turns++)
        kp_handlers_step(rig->handlers, until_ns);
}

/* The next call fails that may, and none behind it. */
static void fail_next(void)
{
    faults.calls = 0;
    faults.fail_at = 0;
}

/* Two wait, one to dial again and one for a reply; of a third one libcurl finds no memory. */
static void who_waits_goes_on_where_another_lacks_memory(void)
{
    struct kp_http_get_action get = {.port = {.kind = KP_INTSTR_INT}};
    struct kp_grpc_action grpc = {.port = 1};
    const struct kp_probe called = {.handler = {.grpc = &grpc}, .timeout_s = 1};
    int silent = rig_listen(&get.port.number);
    int peer;
    struct rig rig;

    rig_init(&rig, "1.36", &(struct kp_handler){.http_get = &get});
    rig.attempt.probe = &called;
    faults.sockets = 1;
    rig_start(&rig);
    step_for(&rig, 50);
    CHECK_INT(faults.sockets, 0);
    CHECK(kp_handlers_due_ns(rig.handlers) > kp_handlers_now_ns()); /* it dials again */
    rig.attempt.probe = &rig.probe;
    rig_start(&rig);
    peer = rig_accept(&rig, silent);
    step_for(&rig, 50); /* it has asked */
    rig_start(&rig);
    fail_next();
    step_for(&rig, 50);
    CHECK_INT(rig.told.count, 1);
    CHECK_INT(rig.told.answer, KP_ANSWER_ERROR);
    rig.handlers->curl_due_ns = 0; /* for one of those who wait its time has come */
    faults.timeouts = 0;
    fail_next();
    step_for(&rig, 50);
    faults.fail_at = FAULTS_NEVER;
    CHECK_INT(rig.told.count, 1);
    CHECK(faults.timeouts >= 2); /* libcurl is told once more */
    close(peer);
    rig_end(&rig);
    close(silent);
}

/* P-129: it is dialled again, a second later. */
static void a_connection_that_libcurl_has_lost_is_none(void)
{
    static const char health[] = RIG_H2_SETTINGS RIG_H2_HEAD RIG_H2_SERVING RIG_H2_TRAILERS;
    struct kp_grpc_action grpc = {0};
    int listener = rig_listen(&grpc.port);
    pid_t peer = rig_serve(listener, (struct kp_text){health, sizeof health - 1}, RIG_STAYS);
    struct rig rig;

    rig_init(&rig, "1.36", &(struct kp_handler){.grpc = &grpc});
    faults.connections = 1;
    rig_start(&rig);
    rig_drain(&rig);
    CHECK_INT(faults.connections, 0);
    CHECK_STRING(rig.told.output, "service healthy");
    CHECK(rig.told.took_ns >= KP_NS_PER_S);
    rig_end(&rig);
    rig_end_peer(peer, listener);
}

static void note_sent(void *ctx, enum kp_wire direction, struct kp_text bytes)
{
    (void)ctx, (void)bytes;
    faults.sent |= direction == KP_WIRE_SENT;
}

/* Until its request is out; the peer is not that quick. */
static kp_attempt_id start_and_send(struct rig *rig)
{
    kp_attempt_id id;

    rig->attempt.wire = note_sent;
    faults.sent = false;
    id = rig_start(rig);
    while (!faults.sent && kp_handlers_in_flight(rig->handlers) > 0)
        kp_handlers_step(rig->handlers, kp_handlers_now_ns() + KP_NS_PER_MS);
    return id;
}

static void who_waits_gives_back_what_it_took(void)
{
    struct kp_http_get_action get = {.port = {.kind = KP_INTSTR_INT}, .scheme = KP_TEXT("HTTPS")};
    int listener = rig_listen(&get.port.number);
    pid_t peer = faults_serve_tls(listener, KP_TEXT("HTTP/1.1 200 OK\r\n\r\n"), 900);

    for (int gone = 0; gone < 2; gone++) {
        struct rig rig;
        kp_attempt_id id;

        rig_init(&rig, "1.36", &(struct kp_handler){.http_get = &get});
        faults_forget();
        id = start_and_send(&rig);
        faults.tls_is_gone = gone;
        kp_handlers_cancel(rig.handlers, id);
        faults.tls_is_gone = false;
        CHECK_INT(faults.bios, 0);
        rig_end(&rig);
    }
    rig_end_peer(peer, listener);
}

/* P-107: net/http gives it ten, whatever the probe has. */
static void a_handshake_has_ten_seconds(void)
{
    struct kp_http_get_action get = {.port = {.kind = KP_INTSTR_INT}, .scheme = KP_TEXT("HTTPS")};
    int listener = rig_listen(&get.port.number);
    struct rig rig;
    int fd;

    rig_init(&rig, "1.36", &(struct kp_handler){.http_get = &get});
    rig.attempt.timeout_ns = 60 * KP_NS_PER_S;
    rig_start(&rig);
    fd = rig_accept(&rig, listener);
    step_for(&rig, 50);
    rig_clock_pass(5 * KP_NS_PER_S);
    step_for(&rig, 1);
    CHECK_INT(rig.told.count, 0);
    rig_clock_pass(5 * KP_NS_PER_S);
    step_for(&rig, 1);
    CHECK_INT(rig.told.answer, KP_ANSWER_FAILURE);
    CHECK(strstr(rig.told.output, "\": net/http: TLS handshake timeout") != NULL);
    rig_clock_set(RIG_CLOCK_RUNS);
    if (fd >= 0)
        close(fd);
    rig_end(&rig);
    close(listener);
}

static void what_comes_behind_a_handshake_has_the_time_of_the_probe(void)
{
    struct kp_http_get_action get = {.port = {.kind = KP_INTSTR_INT}, .scheme = KP_TEXT("HTTPS")};
    int listener = rig_listen(&get.port.number);
    pid_t peer = faults_serve_tls(listener, KP_TEXT("HTTP/1.1 200 OK\r\n\r\nfine"), 300);
    struct rig rig;

    rig_init(&rig, "1.36", &(struct kp_handler){.http_get = &get});
    start_and_send(&rig);
    rig_clock_pass(12 * KP_NS_PER_S);
    rig_drain(&rig);
    rig_clock_set(RIG_CLOCK_RUNS);
    CHECK_INT(rig.told.answer, KP_ANSWER_SUCCESS);
    rig_end(&rig);
    rig_end_peer(peer, listener);
}

const struct unit_test shortage_test[] = {
    {"who waits goes on where another lacks memory", who_waits_goes_on_where_another_lacks_memory},
    {"a connection that libcurl has lost is none", a_connection_that_libcurl_has_lost_is_none},
    {"who waits gives back what it took", who_waits_gives_back_what_it_took},
    {"a handshake has ten seconds", a_handshake_has_ten_seconds},
    {"what comes behind a handshake has the time of the probe",
     what_comes_behind_a_handshake_has_the_time_of_the_probe},
    {0},
};
