/* describe.c: what `kubectl describe pod` says of probes and events. */
#include "conformance/pod/describe.h"

#include "core/handlers/url.h"

#include <string.h>

/* A number with its unit, and the next smaller unit where it is not zero: "9m", "9m5s". */
static void put_two(struct kp_buf *buf, int64_t big, char big_unit, int64_t small, char small_unit)
{
    kp_buf_put_int(buf, big);
    kp_buf_put_char(buf, big_unit);
    if (small == 0)
        return;
    kp_buf_put_int(buf, small);
    kp_buf_put_char(buf, small_unit);
}

void cf_put_human_duration(struct kp_buf *buf, int64_t duration_ns)
{
    int64_t seconds = duration_ns / KP_NS_PER_S;
    int64_t minutes = seconds / 60;
    int64_t hours = minutes / 60;

    if (seconds < -1)
        kp_buf_put(buf, KP_TEXT("<invalid>"));
    else if (seconds < 120)
        put_two(buf, seconds < 0 ? 0 : seconds, 's', 0, 0);
    else if (minutes < 10)
        put_two(buf, minutes, 'm', seconds % 60, 's');
    else if (minutes < 180)
        put_two(buf, minutes, 'm', 0, 0);
    else if (hours < 8)
        put_two(buf, hours, 'h', minutes % 60, 'm');
    else if (hours < 48)
        put_two(buf, hours, 'h', 0, 0);
    else if (hours < 24 * 8)
        put_two(buf, hours / 24, 'd', hours % 24, 'h');
    else if (hours < 24 * 365 * 2)
        put_two(buf, hours / 24, 'd', 0, 0);
    else if (hours < 24 * 365 * 8)
        put_two(buf, hours / 24 / 365, 'y', hours / 24 % 365, 'd');
    else
        put_two(buf, hours / 24 / 365, 'y', 0, 0);
}

struct kp_text cf_field_path(struct cf_arena *arena, const struct kp_container *container)
{
    static const char *const lists[] = {"initContainers", "containers", "ephemeralContainers"};

    return cf_arena_format(arena, "spec.%s{%.*s}", lists[container->kind], KP_ARG(container->name));
}

/* When an event was last seen, how often, and since when (S-271). */
void cf_put_event_age(struct kp_buf *buf, const struct kp_event_object *event, int64_t now_ns)
{
    cf_put_human_duration(buf, kp_elapsed_ns(event->last_ns, now_ns));
    if (event->count <= 1)
        return;
    kp_buf_put(buf, KP_TEXT(" (x"));
    kp_buf_put_int(buf, event->count);
    kp_buf_put(buf, KP_TEXT(" over "));
    cf_put_human_duration(buf, kp_elapsed_ns(event->first_ns, now_ns));
    kp_buf_put_char(buf, ')');
}

void cf_describe_sort(const struct cf_described *events)
{
    for (size_t i = 1; i < events->count; i++) {
        const struct kp_event_object *event = events->list[i];
        size_t k = i;

        for (; k > 0 && events->list[k - 1]->last_ns > event->last_ns; k--)
            events->list[k] = events->list[k - 1];
        events->list[k] = event;
    }
}

struct cf_described cf_describe_events(struct cf_arena *arena,
                                       const struct kp_event_correlator *correlator)
{
    struct cf_described events = {NULL, 0};
    size_t count = 0;

    while (kp_event_correlator_get(correlator, count))
        count++;
    events.list = cf_arena_array(arena, count, sizeof *events.list);
    if (!events.list)
        return events;
    for (; events.count < count; events.count++)
        events.list[events.count] = kp_event_correlator_get(correlator, events.count);
    cf_describe_sort(&events);
    return events;
}

/* The message; from 1.35 the field path stands before it (S-272). */
void cf_put_event_message(struct cf_out *out, const struct kp_profile *profile,
                          const struct kp_event_note *note)
{
    struct kp_text message = kp_text_trim(note->message, " \t\n\v\f\r");

    if (profile->kubectl_field_path && note->field_path.len > 0) {
        cf_out_put(out, note->field_path);
        cf_out_put_string(out, ": ");
    }
    cf_out_put(out, message);
}

static void put_port(struct cf_out *out, const struct kp_int_or_string *port)
{
    if (port->kind == KP_INTSTR_STRING)
        cf_out_put(out, port->string);
    else
        cf_out_put_int(out, port->number);
}

static void put_exec(struct cf_out *out, const struct kp_exec_action *exec)
{
    cf_out_put_string(out, "exec [");
    for (size_t i = 0; i < exec->command.count; i++) {
        if (i > 0)
            cf_out_put_char(out, ' ');
        cf_out_put(out, exec->command.items[i]);
    }
    cf_out_put_char(out, ']');
}

/* host:port, the host in brackets where it has a colon (net.JoinHostPort); of no port the host. */
static struct kp_text host_of(struct kp_scratch *scratch, const struct kp_http_get_action *http)
{
    struct cf_out host = {0};
    struct kp_text text;
    bool colon = http->host.len > 0 && memchr(http->host.bytes, ':', http->host.len) != NULL;

    if (http->port.kind == KP_INTSTR_STRING && http->port.string.len == 0)
        return http->host;
    cf_out_put_string(&host, colon ? "[" : "");
    cf_out_put(&host, http->host);
    cf_out_put_string(&host, colon ? "]:" : ":");
    put_port(&host, &http->port);
    text = kp_scratch_copy(scratch, cf_out_text(&host));
    cf_out_deinit(&host);
    return text;
}

static struct kp_text lower_case(struct kp_scratch *scratch, struct kp_text text)
{
    struct kp_buf buf = kp_scratch_buf(scratch, text.len);

    for (size_t i = 0; i < text.len; i++) {
        char c = text.bytes[i];

        kp_buf_put_char(&buf, c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c);
    }
    return kp_buf_text(&buf);
}

/* The path is written into a URL as it stands, so that a query in it is escaped. */
static void put_http_get(struct cf_out *out, const struct kp_http_get_action *http)
{
    struct kp_scratch scratch;
    struct kp_url url = {.path = http->path};

    kp_scratch_init(&scratch, cf_libc_mem());
    url.scheme = lower_case(&scratch, http->scheme);
    url.host = host_of(&scratch, http);
    cf_out_put_string(out, "http-get ");
    cf_out_put(out, kp_url_text(&scratch, &url, KP_URL_USER));
    kp_scratch_deinit(&scratch);
}

static void put_handler(struct cf_out *out, const struct kp_handler *handler)
{
    if (handler->exec) {
        put_exec(out, handler->exec);
    } else if (handler->http_get) {
        put_http_get(out, handler->http_get);
    } else if (handler->tcp_socket) {
        cf_out_put_string(out, "tcp-socket ");
        cf_out_put(out, handler->tcp_socket->host);
        cf_out_put_char(out, ':');
        put_port(out, &handler->tcp_socket->port);
    } else if (handler->grpc) {
        cf_out_printf(out, "grpc <pod>:%d ", (int)handler->grpc->port);
        cf_out_put(out, handler->grpc->service);
    } else {
        cf_out_put_string(out, "unknown");
    }
}

/* A probe in one line (S-273). */
void cf_put_probe(struct cf_out *out, const struct kp_profile *profile,
                  const struct kp_probe *probe)
{
    bool names = profile->kubectl_threshold_names;

    put_handler(out, &probe->handler);
    cf_out_printf(out, " delay=%ds timeout=%ds period=%ds", (int)probe->initial_delay_s,
                  (int)probe->timeout_s, (int)probe->period_s);
    cf_out_printf(out,
                  names ? " successThreshold=%d failureThreshold=%d" : " #success=%d #failure=%d",
                  (int)probe->success_threshold, (int)probe->failure_threshold);
}
