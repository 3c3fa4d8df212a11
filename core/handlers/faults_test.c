/*
 * faults_test.c: system calls and calls of libcurl that find no room, each once, one after another:
 * an error that says so or the right result, and nothing is left.
 */
#define _GNU_SOURCE /* RTLD_NEXT */
#include "conformance/fire/fire_link.h"
#include "fakes/faults.h"

#include <curl/curl.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <spawn.h>
#include <stdarg.h>
#include <sys/epoll.h>

#define FAULTS_MAX 200

struct faults faults = {.fail_at = FAULTS_NEVER};

/* Tests before this one have threads, and these are no atomic counts. */
void faults_forget(void)
{
    faults.begun = faults.handles = faults.actions = 0;
    faults.lost = false;
}

bool faults_fails(void)
{
    int64_t call = faults.calls;

    if (faults.fail_at == FAULTS_NEVER)
        return false;
    faults.calls++;
    if (faults.for_good ? call < faults.fail_at : call != faults.fail_at)
        return false;
    errno = EMFILE;
    return true;
}

/* ---- what may fail --------------------------------------------------------------------------- */

int epoll_create1(int flags)
{
    int (*real)(int);

    REAL(epoll_create1);
    return faults_fails() ? -1 : real(flags);
}

int epoll_ctl(int epoll, int operation, int fd, struct epoll_event *event)
{
    int (*real)(int, int, int, struct epoll_event *);

    REAL(epoll_ctl);
    return operation == EPOLL_CTL_ADD && faults_fails() ? -1 : real(epoll, operation, fd, event);
}

int socket(int domain, int type, int protocol)
{
    int (*real)(int, int, int);

    REAL(socket);
    if ((type & 0xf) != SOCK_STREAM) /* libcurl tries whether there is IPv6 */
        return real(domain, type, protocol);
    faults.sockets++;
    faults.socket_ns = kp_handlers_now_ns();
    if (faults.socket_errno != 0 || faults.lost_sockets > 0) {
        errno = faults.socket_errno ? faults.socket_errno : EMFILE;
        faults.lost_sockets -= faults.socket_errno == 0;
        return -1;
    }
    if (faults_fails()) {
        faults.no_socket = true;
        return -1;
    }
    errno = EBADMSG; /* which means nothing where there is a socket */
    return real(domain, type, protocol);
}

int pipe2(int pair[2], int flags)
{
    int (*real)(int[2], int);

    REAL(pipe2);
    return faults_fails() ? -1 : real(pair, flags);
}

int fcntl(int fd, int command, ...)
{
    int (*real)(int, int, ...);
    va_list list;
    long word;

    REAL(fcntl);
    va_start(list, command);
    word = va_arg(list, long);
    va_end(list);
    return command == F_DUPFD_CLOEXEC && faults_fails() ? -1 : real(fd, command, word);
}

int posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *files,
                 const posix_spawnattr_t *attributes, char *const argv[], char *const environment[])
{
    int (*real)(pid_t *, const char *, const posix_spawn_file_actions_t *,
                const posix_spawnattr_t *, char *const[], char *const[]);

    REAL(posix_spawnp);
    return faults_fails() ? EAGAIN : real(pid, file, files, attributes, argv, environment);
}

int posix_spawn_file_actions_init(posix_spawn_file_actions_t *files)
{
    int (*real)(posix_spawn_file_actions_t *);

    REAL(posix_spawn_file_actions_init);
    faults.actions++;
    return real(files);
}

int posix_spawn_file_actions_destroy(posix_spawn_file_actions_t *files)
{
    int (*real)(posix_spawn_file_actions_t *);

    REAL(posix_spawn_file_actions_destroy);
    faults.actions--;
    return real(files);
}

int posix_spawn_file_actions_addopen(posix_spawn_file_actions_t *files, int fd, const char *path,
                                     int flags, mode_t mode)
{
    int (*real)(posix_spawn_file_actions_t *, int, const char *, int, mode_t);

    REAL(posix_spawn_file_actions_addopen);
    return faults_fails() ? ENOMEM : real(files, fd, path, flags, mode);
}

CURLcode curl_global_init(long flags)
{
    CURLcode (*real)(long);

    REAL(curl_global_init);
    if (faults_fails())
        return CURLE_FAILED_INIT;
    faults.begun++;
    return real(flags);
}

void curl_global_cleanup(void)
{
    void (*real)(void);

    REAL(curl_global_cleanup);
    faults.begun--;
    real();
}

CURL *curl_easy_init(void)
{
    CURL *(*real)(void);

    REAL(curl_easy_init);
    if (faults_fails())
        return NULL;
    faults.handles++;
    return real();
}

void curl_easy_cleanup(CURL *easy)
{
    void (*real)(CURL *);

    REAL(curl_easy_cleanup);
    faults.handles--;
    real(easy);
}

CURLM *curl_multi_init(void)
{
    CURLM *(*real)(void);

    CURLM *multi;
    int64_t handles = faults.handles;

    REAL(curl_multi_init);
    if (faults_fails())
        return NULL;
    multi = real();
    faults.handles = handles; /* libcurl keeps one for itself */
    return multi;
}

CURLMcode curl_multi_add_handle(CURLM *multi, CURL *easy)
{
    CURLMcode (*real)(CURLM *, CURL *);

    REAL(curl_multi_add_handle);
    return faults_fails() ? CURLM_OUT_OF_MEMORY : real(multi, easy);
}

CURLMcode curl_multi_socket_action(CURLM *multi, curl_socket_t fd, int mask, int *running)
{
    CURLMcode (*real)(CURLM *, curl_socket_t, int, int *);

    REAL(curl_multi_socket_action);
    return faults_fails() ? CURLM_OUT_OF_MEMORY : real(multi, fd, mask, running);
}

/* Of one libcurl says that it found no memory. */
CURLMsg *curl_multi_info_read(CURLM *multi, int *left)
{
    CURLMsg *(*real)(CURLM *, int *);
    CURLMsg *message;

    REAL(curl_multi_info_read);
    message = real(multi, left);
    if (message && faults_fails()) {
        message->data.result = CURLE_OUT_OF_MEMORY;
        faults.lost = true;
    }
    return message;
}

/* Those that copy a text. */
#undef curl_easy_setopt
CURLcode curl_easy_setopt(CURL *easy, CURLoption option, ...)
{
    CURLcode (*real)(CURL *, CURLoption, ...);
    va_list list;
    void *word;

    REAL(curl_easy_setopt);
    va_start(list, option);
    word = va_arg(list, void *);
    va_end(list);
    if ((option == CURLOPT_URL || option == CURLOPT_PROXY) && faults_fails()) {
        faults.lost = true;
        return CURLE_OUT_OF_MEMORY;
    }
    return real(easy, option, word);
}

#undef curl_easy_getinfo
CURLcode curl_easy_getinfo(CURL *easy, CURLINFO info, ...)
{
    CURLcode (*real)(CURL *, CURLINFO, ...);
    va_list list;
    void *word;

    REAL(curl_easy_getinfo);
    va_start(list, info);
    word = va_arg(list, void *);
    va_end(list);
    if (info == CURLINFO_ACTIVESOCKET && faults.connections > 0) {
        faults.connections--;
        *(curl_socket_t *)word = CURL_SOCKET_BAD;
        return CURLE_OK;
    }
    return real(easy, info, word);
}

/* Memory of OpenSSL's that we ask for: who calls is ours, not OpenSSL or libcurl. */
static bool lacks_memory_for_tls(const void *caller)
{
    Dl_info theirs;
    Dl_info ours;

    if (!dladdr(caller, &theirs) || !dladdr(&faults, &ours) || theirs.dli_fbase != ours.dli_fbase ||
        !faults_fails())
        return false;
    ERR_raise(ERR_LIB_SSL, ERR_R_MALLOC_FAILURE);
    return true;
}

SSL *SSL_new(SSL_CTX *context)
{
    SSL *(*real)(SSL_CTX *);

    REAL(SSL_new);
    return lacks_memory_for_tls(__builtin_return_address(0)) ? NULL : real(context);
}

BIO *BIO_new(const BIO_METHOD *method)
{
    BIO *(*real)(const BIO_METHOD *);

    REAL(BIO_new);
    return lacks_memory_for_tls(__builtin_return_address(0)) ? NULL : real(method);
}

int BIO_write(BIO *bio, const void *bytes, int len)
{
    int (*real)(BIO *, const void *, int);

    REAL(BIO_write);
    return lacks_memory_for_tls(__builtin_return_address(0)) ? -1 : real(bio, bytes, len);
}

int SSL_do_handshake(SSL *ssl)
{
    int (*real)(SSL *);

    REAL(SSL_do_handshake);
    return lacks_memory_for_tls(__builtin_return_address(0)) ? -1 : real(ssl);
}

int SSL_read_ex(SSL *ssl, void *bytes, size_t size, size_t *len)
{
    int (*real)(SSL *, void *, size_t, size_t *);

    REAL(SSL_read_ex);
    return lacks_memory_for_tls(__builtin_return_address(0)) ? 0 : real(ssl, bytes, size, len);
}

int SSL_write_ex(SSL *ssl, const void *bytes, size_t len, size_t *written)
{
    int (*real)(SSL *, const void *, size_t, size_t *);

    REAL(SSL_write_ex);
    return lacks_memory_for_tls(__builtin_return_address(0)) ? 0 : real(ssl, bytes, len, written);
}

/* ---- the sweep ------------------------------------------------------------------------------- */

struct subject {
    const char *name;
    struct kp_handler handler;
    const char *output;
};

/* As far as the output is kept. */
static bool begins_so(const struct rig *rig, const struct subject *subject)
{
    return strncmp(rig->result.output, subject->output, sizeof rig->result.output - 1) == 0;
}

/* Returns: whether the fault came, the n-th of calls or of memory of ours. */
static bool fire_with(int64_t n, const struct subject *subject, bool of_memory)
{
    size_t open_before = rig_count_entries("/proc/self/fd");
    struct fake_alloc state = {.fail_at = of_memory ? n : FAKE_ALLOC_NEVER};
    enum kp_err err;
    struct rig rig;
    bool fine;

    rig_init(&rig, "1.36", &subject->handler);
    rig_end(&rig);
    rig_clock_set(RIG_CLOCK_RUNS);
    faults.calls = 0;
    faults_forget();
    faults.fail_at = of_memory ? FAULTS_NEVER : n;
    err = rig_fire_with(&rig, &state);
    faults.fail_at = FAULTS_NEVER;
    fine = CHECK_INT(rig.result.count, err == KP_OK) && CHECK_INT(state.live, 0) &&
           CHECK(!faults.lost || err != KP_OK || rig.result.answer == KP_ANSWER_ERROR) &&
           CHECK_INT(faults.actions, 0) && CHECK_INT(faults.begun, 0) &&
           CHECK_INT(faults.handles, 0) &&
           CHECK_INT(rig_count_entries("/proc/self/fd"), open_before) &&
           CHECK(rig_clock_longest_wait_ns() < KP_NS_PER_S / 2); /* nor was it dialled again */
    if (rig.result.answer == KP_ANSWER_ERROR && rig.result.count > 0)
        fine = CHECK_STRING(rig.result.output, "out of memory") && fine;
    else if (rig.result.count > 0)
        fine = CHECK(begins_so(&rig, subject)) && fine;
    if (!fine)
        printf("  %s, %s %d: %s\n", subject->name, of_memory ? "memory" : "fault", (int)n,
               rig.result.output);
    return (of_memory ? state.calls : faults.calls) > n;
}

/* With descriptor 0 free: before the set is made, or before it begins. */
static void fire_without_input(const struct subject *subject, bool before_set)
{
    int kept = dup(0);
    size_t open_before;
    struct rig rig;

    rig_init(&rig, "1.36", &subject->handler);
    kp_handlers_free(rig.handlers);
    open_before = rig_count_entries("/proc/self/fd");
    if (before_set)
        close(0);
    CHECK_INT(kp_handlers_new(&rig.mem, &rig.handlers), KP_OK);
    if (!before_set)
        close(0);
    rig_clock_set(RIG_CLOCK_RUNS);
    rig_start(&rig);
    rig_drain(&rig);
    kp_handlers_free(rig.handlers);
    if (!CHECK(begins_so(&rig, subject)) || !CHECK_INT(rig.result.count, 1))
        printf("  %s, descriptor 0 %d\n", subject->name, before_set);
    CHECK(rig_clock_longest_wait_ns() < 2 * KP_NS_PER_S);
    CHECK_INT(rig_count_entries("/proc/self/fd"), open_before - 1);
    dup2(kept, 0);
    close(kept);
}

static void sweep(const struct subject *subject)
{
    int64_t n = 0;

    while (n < FAULTS_MAX && fire_with(n, subject, false))
        n++;
    CHECK(n > 4);
    CHECK(n < FAULTS_MAX);
    CHECK(!fire_with(FAULTS_MAX, subject, false));
    faults.for_good = true;
    for (n = 0; n < FAULTS_MAX && fire_with(n, subject, false); n++)
        ;
    faults.for_good = false;
    for (n = 0; n < FAULTS_MAX && fire_with(n, subject, true); n++)
        ;
    CHECK(n > 2);
    CHECK(n < FAULTS_MAX);
}

/* So that each piece is once the first one of a block. */
static void memory_may_end_anywhere(void)
{
    static char letters[4096];
    struct kp_http_header header = {.name = KP_TEXT("X-A")};
    struct kp_http_get_action get = {
        .port = {.kind = KP_INTSTR_INT}, .headers = &header, .header_count = 1};
    const struct subject subject = {"odd chunks", {.http_get = &get}, "fine"};
    int listener = rig_listen(&get.port.number);
    pid_t peer = rig_serve(listener,
                           KP_TEXT("HTTP/9.9 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                                   "4\r\nfine\r\n0\r\n\r\n"),
                           RIG_CLOSES);

    memset(letters, 'x', sizeof letters);
    for (size_t len = 0; len < sizeof letters; len += 64) {
        header.value = (struct kp_text){letters, len};
        for (int64_t n = 0; n < FAULTS_MAX && fire_with(n, &subject, true); n++)
            ;
    }
    rig_end_peer(peer, listener);
}

pid_t faults_serve_tls(int listener, struct kp_text reply, int delay_ms, const char *alpn)
{
    const struct timespec nap = {.tv_nsec = delay_ms * KP_NS_PER_MS};
    const struct cf_fire_tls_options options = {.alpn = kp_text_of(alpn)};
    pid_t pid = fork();

    if (pid != 0)
        return pid;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGPIPE, SIG_IGN);
    for (;;) {
        struct cf_fire_stop never = {.fd = -1};
        struct cf_fire_link link = {.fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK),
                                    .stop = &never};
        struct cf_out saw = {0};
        char request[4096];

        if (cf_fire_link_tls(&link, &options, &saw) &&
            cf_fire_link_read(&link, request, sizeof request) > 0) {
            nanosleep(&nap, NULL);
            cf_fire_link_write(&link, reply);
        }
        cf_fire_link_shut(&link);
        cf_fire_link_await_close(&link, &saw);
        cf_fire_link_close(&link);
        cf_out_deinit(&saw);
    }
}

static void each_call_may_fail(void)
{
    static const char refusal[] = RIG_H2_SETTINGS "\0\0\4\3\0\0\0\0\1\0\0\0\7";
    static const char health[] = RIG_H2_SETTINGS RIG_H2_HEAD RIG_H2_SERVING RIG_H2_TRAILERS;
    static const struct kp_text words[] = {{"sh", 2}, {"-c", 2}, {"echo a; echo b >&2", 18}};
    static const struct kp_exec_action exec = {{words, 3}};
    static const struct kp_http_header header = {{"X-A", 3}, {"", 0}};
    static char letters[6001]; /* more than a block of the scratch */
    static char moved[128];
    static char reply[6100];
    const struct kp_http_header large = {{"X-A", 3}, {letters, 6000}};
    struct kp_http_get_action far = {.port = {.kind = KP_INTSTR_INT}};
    struct kp_http_get_action wide = {.port = {.kind = KP_INTSTR_INT},
                                      .path = {letters, 6000},
                                      .headers = &large,
                                      .header_count = 1};
    struct kp_http_get_action get = {.port = {.kind = KP_INTSTR_INT}};
    struct kp_http_get_action named = {.host = KP_TEXT("localhost")};
    struct kp_http_get_action odd = {.port = {.kind = KP_INTSTR_INT}};
    struct kp_tcp_socket_action tcp = {.host = {"", 0}};
    struct kp_http_get_action tls = {.port = {.kind = KP_INTSTR_INT}, .scheme = KP_TEXT("HTTPS")};
    struct kp_grpc_action grpc = {0};
    struct kp_grpc_action service = {.service = {letters, 5000}}; /* more than a block, too */
    struct kp_grpc_action refused = {0};
    const struct subject subjects[] = {{"exec", {.exec = &exec}, "a\nb\n"},
                                       {"http", {.http_get = &get}, "fine"},
                                       {"a name", {.http_get = &named}, "fine"},
                                       {"odd head", {.http_get = &odd}, "fine"},
                                       {"tcp", {.tcp_socket = &tcp}, ""},
                                       {"grpc", {.grpc = &grpc}, "service healthy"},
                                       {"a redirect", {.http_get = &far}, "fine"},
                                       {"large texts", {.http_get = &wide}, letters},
                                       {"a long service", {.grpc = &service}, "service healthy"},
                                       {"a refusal",
                                        {.grpc = &refused},
                                        "error: health rpc probe failed: rpc error: code = "
                                        "Unavailable desc = stream terminated by RST_STREAM"},
                                       {"https", {.http_get = &tls}, "fine"}};
    const bool alone = CHECK(rig_no_child_is_left());
    int listeners[] = {rig_listen(&get.port.number),  rig_listen(&odd.port.number),
                       rig_listen(&grpc.port),        rig_listen(&far.port.number),
                       rig_listen(&wide.port.number), rig_listen(&refused.port),
                       rig_listen(&tls.port.number)};
    const int moved_len =
        snprintf(moved, sizeof moved, "HTTP/1.1 302 x\r\nLocation: http://127.0.0.1:%d/\r\n\r\n",
                 (int)get.port.number);
    const int reply_len = snprintf(reply, sizeof reply, "HTTP/1.1 200 OK\r\n\r\n%s",
                                   (const char *)memset(letters, 'x', sizeof letters - 1));
    pid_t peers[] = {
        rig_serve(listeners[0], KP_TEXT("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nfine"),
                  RIG_CLOSES),
        rig_serve(listeners[1], KP_TEXT("HTTP/9.9 200 OK\r\nContent-Length: 4\r\n\r\nfine"),
                  RIG_CLOSES),
        rig_serve(listeners[2], (struct kp_text){health, sizeof health - 1}, RIG_STAYS),
        rig_serve(listeners[3], (struct kp_text){moved, (size_t)moved_len}, RIG_CLOSES),
        rig_serve(listeners[4], (struct kp_text){reply, (size_t)reply_len}, RIG_CLOSES),
        rig_serve(listeners[5], (struct kp_text){refusal, sizeof refusal - 1}, RIG_STAYS),
        faults_serve_tls(listeners[6], KP_TEXT("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nfine"),
                         0, "")};

    get.headers = &header;
    get.header_count = 1;
    tcp.port = named.port = get.port;
    service.port = grpc.port;
    for (size_t i = 0; i < sizeof subjects / sizeof subjects[0]; i++) {
        sweep(&subjects[i]);
        fire_without_input(&subjects[i], false);
        fire_without_input(&subjects[i], true);
    }
    for (size_t i = 0; i < sizeof peers / sizeof peers[0]; i++)
        rig_end_peer(peers[i], listeners[i]);
    CHECK(alone && waitpid(-1, NULL, WNOHANG) == -1);
}

/* A set that lacks something is none. */
static void a_set_is_whole_or_none(void)
{
    struct kp_mem mem = fake_alloc_plain();
    struct kp_handlers *handlers;
    enum kp_err err = KP_ENOMEM;

    faults_forget();
    for (int64_t n = 0; n < FAULTS_MAX && err != KP_OK; n++) {
        faults.calls = 0;
        faults.fail_at = n;
        err = kp_handlers_new(&mem, &handlers);
        faults.fail_at = FAULTS_NEVER;
        CHECK(err != KP_OK || faults.calls <= n);
        CHECK_INT(faults.begun, err == KP_OK);
    }
    CHECK_INT(err, KP_OK);
    if (err == KP_OK)
        kp_handlers_free(handlers);
    CHECK_INT(faults.begun, 0);
}

const struct unit_test faults_test[] = {
    {"a set is whole or none", a_set_is_whole_or_none},
    {"memory may end anywhere", memory_may_end_anywhere},
    {"each call may fail", each_call_may_fail},
    {0},
};
