#include "fakes/deadline.h"

#include "core/api/port.h"

#define WHILE_AWAITING "(Client.Timeout exceeded while awaiting headers)"

int64_t fake_deadline_ns(const struct kp_profile *profile, const struct kp_probe *probe)
{
    bool is_enforced = profile->exec_timeout_is_answer && profile->gates[KP_GATE_ExecProbeTimeout];

    if (probe->handler.exec && !is_enforced)
        return KP_NEVER;
    return probe->timeout_s * KP_NS_PER_S;
}

static int64_t port_of(const struct kp_profile *profile, const struct kp_container *container,
                       const struct kp_int_or_string *port)
{
    char bytes[256];
    struct kp_buf why = {bytes, sizeof bytes, 0};
    int64_t number = 0;

    kp_port_resolve(profile, port, container, &number, &why);
    return number;
}

static void put_address(struct kp_buf *text, struct kp_text host, int64_t port)
{
    bool is_ipv6 = kp_text_find(host, KP_TEXT(":")) < host.len;

    kp_buf_put(text, is_ipv6 ? KP_TEXT("[") : KP_TEXT(""));
    kp_buf_put(text, host.len > 0 ? host : KP_TEXT(FAKE_POD_IP));
    kp_buf_put(text, is_ipv6 ? KP_TEXT("]:") : KP_TEXT(":"));
    kp_buf_put_int(text, port);
}

/* P-117: the URL is quoted from Go 1.14 on. */
static void put_http(struct kp_buf *text, const struct kp_profile *profile,
                     const struct kp_container *container, const struct kp_http_get_action *get,
                     struct kp_text cause)
{
    const char *quote = profile->error_url_quoted ? "\"" : "";

    kp_buf_put(text, KP_TEXT("Get "));
    kp_buf_put(text, kp_text_of(quote));
    kp_buf_put(text, kp_text_equal(get->scheme, KP_TEXT("HTTPS")) ? KP_TEXT("https://")
                                                                  : KP_TEXT("http://"));
    put_address(text, get->host, port_of(profile, container, &get->port));
    if (get->path.len == 0 || get->path.bytes[0] != '/')
        kp_buf_put_char(text, '/');
    kp_buf_put(text, get->path);
    kp_buf_put(text, kp_text_of(quote));
    kp_buf_put(text, KP_TEXT(": "));
    kp_buf_put(text, cause);
}

static void put_dial(struct kp_buf *text, struct kp_text host, int64_t port, struct kp_text cause)
{
    kp_buf_put(text, KP_TEXT("dial tcp "));
    put_address(text, host, port);
    kp_buf_put(text, KP_TEXT(": "));
    kp_buf_put(text, cause);
}

enum kp_answer fake_deadline_answer(const struct kp_profile *profile,
                                    const struct kp_container *container,
                                    const struct kp_probe *probe, struct kp_buf *text)
{
    const struct kp_handler *handler = &probe->handler;

    if (handler->exec)
        return KP_ANSWER_TIMEOUT;
    if (handler->http_get) {
        put_http(text, profile, container, handler->http_get,
                 profile->with_go_115 ? KP_TEXT("context deadline exceeded " WHILE_AWAITING)
                                      : KP_TEXT("net/http: request canceled " WHILE_AWAITING));
    } else if (handler->tcp_socket) {
        put_dial(text, handler->tcp_socket->host,
                 port_of(profile, container, &handler->tcp_socket->port), KP_TEXT("i/o timeout"));
    } else {
        kp_buf_put(text, KP_TEXT("timeout: health rpc did not complete within "));
        kp_buf_put_duration(text, probe->timeout_s * KP_NS_PER_S);
    }
    return KP_ANSWER_FAILURE;
}

int64_t fake_refused(const struct kp_profile *profile, const struct kp_container *container,
                     const struct kp_probe *probe, struct kp_buf *text)
{
    const struct kp_handler *handler = &probe->handler;
    const struct kp_text refused = KP_TEXT("connect: connection refused");
    char bytes[300];
    struct kp_buf dial = {bytes, sizeof bytes, 0};

    if (handler->exec)
        return 0;
    if (handler->http_get) {
        put_dial(&dial, handler->http_get->host,
                 port_of(profile, container, &handler->http_get->port), refused);
        put_http(text, profile, container, handler->http_get, kp_buf_text(&dial));
        return 0;
    }
    if (handler->tcp_socket) {
        put_dial(text, handler->tcp_socket->host,
                 port_of(profile, container, &handler->tcp_socket->port), refused);
        return 0;
    }
    kp_buf_put(text, KP_TEXT("timeout: failed to connect service \""));
    put_address(text, KP_TEXT_NONE, handler->grpc ? handler->grpc->port : 0);
    kp_buf_put(text, KP_TEXT("\" within "));
    kp_buf_put_duration(text, probe->timeout_s * KP_NS_PER_S);
    kp_buf_put(text, KP_TEXT(": context deadline exceeded"));
    return probe->timeout_s * KP_NS_PER_S - KP_NS_PER_MS; /* and before the world ends it */
}
