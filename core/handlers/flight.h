/*
 * flight.h: what the transports and the set share: an attempt in flight, descriptors that are
 * watched, transfers of libcurl.
 */
#ifndef KP_FLIGHT_H
#define KP_FLIGHT_H

#include "handler.h"
#include "scratch.h"

#include <curl/curl.h>
#include <openssl/bio.h>
#include <sys/socket.h>

struct kp_flight;

/* How one kind of probe is made. */
struct kp_transport {
    /* Begin; may finish at once.  false: no memory, and nothing was begun. */
    bool (*begin)(struct kp_flight *flight);
    /* Its time is over, or an instant that it asked for has come: see kp_flight_wake_at. */
    void (*wake)(struct kp_flight *flight, int64_t now_ns);
    /* Close and free everything; called once, however the attempt ends. */
    void (*end)(struct kp_flight *flight);
};

extern const struct kp_transport kp_transport_http;
extern const struct kp_transport kp_transport_tcp;
extern const struct kp_transport kp_transport_exec;
extern const struct kp_transport kp_transport_grpc;

struct kp_flight {
    struct kp_handlers *set;
    struct kp_attempt attempt;
    const struct kp_transport *transport;
    void *state;                  /* the transport's own */
    struct kp_transfer *transfer; /* what libcurl has of it; NULL: nothing */
    struct kp_scratch scratch;    /* for texts that live as long as the attempt */
    int64_t started_ns;
    int64_t deadline_ns;
    int64_t wake_ns; /* <= deadline_ns */
    size_t heap_at;  /* place among the wake-up times */
    uint32_t slot;
    bool done;
    bool told; /* `finished` was called: it is about to be closed */
    struct kp_attempt_result result;
    struct kp_flight *next_done;
};

/* timeoutSeconds or what stands in for it. */
int64_t kp_flight_timeout_ns(const struct kp_flight *flight);

/* The result is there; the transport's `end` follows.  The message is written out at once. */
void kp_flight_finish(struct kp_flight *flight, enum kp_answer answer,
                      const struct kp_message *message);
/* The same with a text. */
void kp_flight_finish_text(struct kp_flight *flight, enum kp_answer answer, struct kp_text text);

/* The number that `port` means; false: it means none, and the attempt is finished (P-134). */
bool kp_flight_resolve_port(struct kp_flight *flight, const struct kp_int_or_string *param,
                            int64_t *port);

/* Be woken earlier than at the deadline. */
void kp_flight_wake_at(struct kp_flight *flight, int64_t when_ns);

/* ---- descriptors ----------------------------------------------------------------------------- */

/* A descriptor that the loop watches for its owner. */
struct kp_watch {
    struct kp_flight *flight;
    void (*ready)(struct kp_watch *watch);
    int fd; /* -1: none */
};

/* Returns: false where the kernel has no room. */
bool kp_watch_begin(struct kp_watch *watch, uint32_t epoll_events);
/* Until it is begun again; it stays open. */
void kp_watch_pause(struct kp_watch *watch);
/* Stop watching and close; nothing where fd is -1. */
void kp_watch_close(struct kp_watch *watch);

/* ---- processes ------------------------------------------------------------------------------- */

/* A child of ours that does not end though its attempt has: the loop reaps it when it does. */
void kp_reap_later(struct kp_handlers *set, pid_t pid);

/* ---- transfers ------------------------------------------------------------------------------- */

#define KP_RECORD_HEAD_BYTES 5 /* of TLS */
#define KP_LOOK_BYTES 4096     /* at what came first of a reply */
#define KP_RECV_BYTES 16384

enum kp_hold {
    KP_HOLD_NONE,
    KP_HOLD_ASKED, /* kp_transfer_hold, and its request is not out yet */
    KP_HOLD_ON,    /* it is, and libcurl waits */
    KP_HOLD_TAKEN, /* libcurl waits for ever: the reply is read in its place */
    KP_HOLD_OVER,  /* libcurl reads it */
};

/* What came while hands were shaken. */
struct kp_handshake {
    bool answered;                            /* a message of the server's was whole */
    unsigned char head[KP_RECORD_HEAD_BYTES]; /* of the last record before it was */
    uint64_t bytes;
    uint64_t record_bytes; /* that the records have of which they are */
};

/* A transfer of libcurl's; the owner embeds it. */
struct kp_transfer {
    struct kp_flight *flight;
    CURL *easy;
    void (*finished)(struct kp_transfer *transfer, CURLcode code);
    bool dialled; /* an address was tried: address holds the first one */
    struct sockaddr_storage address;
    bool h2_alone; /* over TLS: ALPN offers nothing else */
    enum kp_hold hold;
    size_t request_bytes; /* to be out before libcurl waits */
    bool (*reply_came)(struct kp_transfer *transfer, struct kp_text bytes);
    void (*readable)(struct kp_transfer *transfer);
    BIO *reads;        /* libcurl's, while it waits; NULL: where it belongs */
    int fd;            /* that the reply comes from, or may */
    bool lacks_memory; /* for an option */
    bool watched;      /* a socket of its is, or was */
    bool in_http2;     /* the peer chose it, and the request is out */
    bool shakes_hands; /* before a request of HTTP; when it has for too long it is woken */
    struct kp_handshake handshake;
    int alert_level; /* of the last alert of TLS that came; 0: none did */
    int alert;
    int read_error;              /* errno of who reads before libcurl does; 0: none */
    char words[CURL_ERROR_SIZE]; /* libcurl's own, of a failure */
};

/*
 * Take an easy handle with everything set that all probes share: no proxy, no netrc, no redirects,
 * no signals, a fresh connection that is closed afterwards, certificates not verified.
 *
 * Returns: false: no memory.
 */
bool kp_transfer_begin(struct kp_transfer *transfer, struct kp_flight *flight,
                       void (*finished)(struct kp_transfer *transfer, CURLcode code));
/* An option that libcurl copies: where it finds no memory for it, the transfer is not sent. */
void kp_transfer_set_text(struct kp_transfer *transfer, CURLoption option, const char *text);
/* Hand it to the loop: `finished` is called from a later step. false: no memory. */
bool kp_transfer_send(struct kp_transfer *transfer);
/* Take it out of the loop, close its connection, give the handle back. Nothing where easy is NULL.
 */
void kp_transfer_end(struct kp_transfer *transfer);
/* What went wrong while the reply was read, or 0. */
int kp_transfer_errno(const struct kp_transfer *transfer);

/*
 * Let libcurl wait, once the request is out, until the reply has been looked at.  Where the peer
 * chose HTTP/2 it does not wait, nor where the request takes more than one write.
 *
 * request_bytes: how long the request is.
 * reply_came: is told what of it is there, decrypted, at most KP_LOOK_BYTES.  true: libcurl never
 *             reads it, and `readable` is called, at once and whenever there is more.
 */
void kp_transfer_hold(struct kp_transfer *transfer, size_t request_bytes,
                      bool (*reply_came)(struct kp_transfer *transfer, struct kp_text bytes),
                      void (*readable)(struct kp_transfer *transfer));
/*
 * Read in the place of libcurl, decrypted.
 *
 * bytes:    room for KP_RECV_BYTES, what a record of TLS holds: nobody would be told of its rest.
 * Returns:  as recv that does not wait.
 */
ssize_t kp_transfer_recv(struct kp_transfer *transfer, char *bytes);
/* It has failed, as errno says: the transfer is finished. */
void kp_transfer_fail(struct kp_transfer *transfer);

/*
 * libcurl has connected, and was to do no more (CURLOPT_CONNECT_ONLY): the caller goes on, by
 * curl_easy_send and curl_easy_recv.
 *
 * readable: is called whenever there is something to receive.
 * Returns:  CURLE_OUT_OF_MEMORY: there is no room for its socket; CURLE_COULDNT_CONNECT: libcurl
 *           found its connection closed, and has closed it, too.
 */
CURLcode kp_transfer_take(struct kp_transfer *transfer,
                          void (*readable)(struct kp_transfer *transfer));
/* Did the peer choose HTTP/2?  Over TLS alone, and once something was sent. */
bool kp_transfer_is_http2(const struct kp_transfer *transfer);

/*
 * Hand a transfer to the loop whose request comes to the caller, who answers it.
 *
 * Returns:  where it comes to, the caller closes it; -1: no memory, or no descriptors.
 */
int kp_transfer_send_to_us(struct kp_transfer *transfer);
/* libcurl reads what the caller has answered. */
void kp_transfer_read(struct kp_transfer *transfer);

#endif
