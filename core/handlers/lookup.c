#include "lookup.h"

#include "handlers.h"

#include <errno.h>
#include <sys/epoll.h>
#include <unistd.h>

/* ---- in the loop ----------------------------------------------------------------------------- */

/* Where no memory was found to report a socket nobody would be woken: whoever waits for libcurl
 * ends. */
static void fail_out_of_memory(struct kp_handlers *set)
{
    for (struct kp_lookup *lookup = set->lookups; lookup; lookup = lookup->next)
        kp_flight_out_of_memory(lookup->flight);
}

/* libcurl says which sockets it waits for. */
static int on_socket(CURL *easy, curl_socket_t fd, int what, void *ctx, void *unused)
{
    struct kp_handlers *set = ctx;
    struct epoll_event event = {.data = {.u64 = (uint64_t)fd << 1 | 1}};

    (void)easy, (void)unused;
    if (what & CURL_POLL_IN)
        event.events |= EPOLLIN;
    if (what & CURL_POLL_OUT)
        event.events |= EPOLLOUT;
    if (what == CURL_POLL_REMOVE)
        epoll_ctl(set->epoll_fd, EPOLL_CTL_DEL, fd, &event);
    else if (epoll_ctl(set->epoll_fd, EPOLL_CTL_ADD, fd, &event) != 0 &&
             epoll_ctl(set->epoll_fd, EPOLL_CTL_MOD, fd, &event) != 0)
        fail_out_of_memory(set);
    return 0;
}

static int on_timer(CURLM *multi, long timeout_ms, void *ctx)
{
    struct kp_handlers *set = ctx;

    (void)multi;
    set->curl_due_ns = timeout_ms < 0 ? KP_NEVER : kp_handlers_now_ns() + timeout_ms * KP_NS_PER_MS;
    return 0;
}

/* What the socket is ready for libcurl sees for itself: it asks for no more than a connection. */
void kp_curl_ready(struct kp_handlers *set, int fd)
{
    int running;

    if (curl_multi_socket_action(set->multi, fd, 0, &running) == CURLM_OUT_OF_MEMORY)
        fail_out_of_memory(set);
}

/* libcurl leaves the socket to its owner, who requested no more than a connection. */
static void finish(struct kp_lookup *lookup, CURLcode code)
{
    curl_socket_t fd = CURL_SOCKET_BAD;

    if (code == CURLE_OK)
        curl_easy_getinfo(lookup->easy, CURLINFO_ACTIVESOCKET, &fd);
    lookup->fd = fd;
    if (code == CURLE_OK && fd == CURL_SOCKET_BAD)
        code = CURLE_COULDNT_CONNECT;
    if (code != CURLE_OK && lookup->lacks_descriptors)
        code = CURLE_OUT_OF_MEMORY;
    lookup->finished(lookup->ctx, code);
}

void kp_curl_turn(struct kp_handlers *set, int64_t now_ns)
{
    CURLMsg *message;
    int left;

    if (set->curl_due_ns <= now_ns) {
        set->curl_due_ns = KP_NEVER;
        kp_curl_ready(set, CURL_SOCKET_TIMEOUT);
    }
    while ((message = curl_multi_info_read(set->multi, &left)) != NULL) {
        struct kp_lookup *lookup = NULL;
        CURLcode code = message->data.result;

        curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &lookup);
        if (!lookup->flight->done)
            finish(lookup, code);
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
    if (!set->multi)
        return; /* it never began: what the caller has of libcurl stays */
    curl_multi_cleanup(set->multi);
    curl_global_cleanup();
}

/* ---- one name -------------------------------------------------------------------------------- */

static curl_socket_t open_socket(void *ctx, curlsocktype purpose, struct curl_sockaddr *address)
{
    struct kp_lookup *lookup = ctx;
    struct kp_dial *dial = lookup->dial;
    int fd = socket(address->family, address->socktype | SOCK_CLOEXEC | SOCK_NONBLOCK,
                    address->protocol);

    (void)purpose;
    lookup->lacks_descriptors |= fd < 0 && kp_dial_is_short(errno);
    if (dial->tried)
        return fd;
    lookup->first = fd;
    if (address->addrlen <= sizeof dial->address)
        memcpy(&dial->address, &address->addr, address->addrlen);
    dial->tried = true;
    dial->no_socket = fd < 0;
    lookup->first_error = fd < 0 ? errno : 0;
    return fd;
}

static int os_errno(const struct kp_lookup *lookup)
{
    long error = 0;

    curl_easy_getinfo(lookup->easy, CURLINFO_OS_ERRNO, &error);
    return (int)error;
}

/* Who cannot be connected to is closed before the next one is tried. */
static int close_socket(void *ctx, curl_socket_t fd)
{
    struct kp_lookup *lookup = ctx;

    if (fd == lookup->first) {
        lookup->first_error = os_errno(lookup);
        lookup->first = -1;
    }
    return fd == lookup->fd ? 0 : close(fd);
}

/* P-111.  Not by a proxy, with no file or variable of the user's, and nothing of it is kept. */
static bool set_options(struct kp_lookup *lookup)
{
    static const struct {
        CURLoption option;
        long value;
    } options[] = {
        {CURLOPT_CONNECT_ONLY, 1},
        {CURLOPT_NOSIGNAL, 1},
        {CURLOPT_FRESH_CONNECT, 1},
        {CURLOPT_DNS_CACHE_TIMEOUT, 0},
        {CURLOPT_HAPPY_EYEBALLS_TIMEOUT_MS, 300},
#if LIBCURL_VERSION_NUM >= 0x075700
        {CURLOPT_QUICK_EXIT, 1}, /* a name that nobody resolves in time is not waited for */
#endif
    };
    CURL *easy = lookup->easy;

    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++)
        curl_easy_setopt(easy, options[i].option, options[i].value);
    curl_easy_setopt(easy, CURLOPT_PRIVATE, lookup);
    curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, open_socket);
    curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, lookup);
    curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, close_socket);
    curl_easy_setopt(easy, CURLOPT_CLOSESOCKETDATA, lookup);
    curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS,
                     (long)(kp_flight_timeout_ns(lookup->flight) / KP_NS_PER_MS) + 60000);
    return curl_easy_setopt(easy, CURLOPT_PROXY, "") == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_URL, lookup->dial->url) == CURLE_OK;
}

static void enter(struct kp_lookup *lookup)
{
    struct kp_lookup **first = &lookup->flight->set->lookups;

    lookup->next = *first;
    lookup->link = first;
    if (*first)
        (*first)->link = &lookup->next;
    *first = lookup;
}

static void leave(struct kp_lookup *lookup)
{
    *lookup->link = lookup->next;
    if (lookup->next)
        lookup->next->link = lookup->link;
}

bool kp_lookup_begin(struct kp_lookup *lookup, struct kp_flight *flight, struct kp_dial *dial,
                     void (*finished)(void *ctx, CURLcode code), void *ctx)
{
    *lookup = (struct kp_lookup){
        .flight = flight, .dial = dial, .first = -1, .fd = -1, .finished = finished, .ctx = ctx};
    lookup->easy = curl_easy_init();
    if (!lookup->easy)
        return false;
    enter(lookup);
    return set_options(lookup) &&
           curl_multi_add_handle(flight->set->multi, lookup->easy) == CURLM_OK;
}

int kp_lookup_errno(const struct kp_lookup *lookup)
{
    return lookup->first_error;
}

void kp_lookup_end(struct kp_lookup *lookup)
{
    if (!lookup || !lookup->easy)
        return;
    leave(lookup);
    curl_multi_remove_handle(lookup->flight->set->multi, lookup->easy);
    curl_easy_cleanup(lookup->easy);
    lookup->easy = NULL;
}
