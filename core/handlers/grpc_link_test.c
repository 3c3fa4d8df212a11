#include "grpc_link.h"

#include "fakes/rig.h"

#include <sys/ioctl.h>

#define PREFACE "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
#define SETTINGS                                                                                   \
    "\0\0\x0c\4\0\0\0\0\0"                                                                         \
    "\0\3\0\0\0\x64"                                                                               \
    "\0\4\0\0\0\x0a"
#define WINDOW_UPDATE "\0\0\4\x08\0\0\0\0\0\0\0\0\1"

static int left(int fd)
{
    int bytes = -1;

    ioctl(fd, FIONREAD, &bytes);
    return bytes;
}

/* However it comes: what of it goes out first is the preface and all of SETTINGS, and no more. */
static void what_libcurl_says_first_is_waited_for(void)
{
    static const char said[] = PREFACE SETTINGS WINDOW_UPDATE;
    const size_t whole = sizeof(PREFACE SETTINGS) - 1;
    const struct kp_dial dial = {.url = "http://127.0.0.1:1"};
    struct kp_grpc_link link = {.greeted = false};
    struct kp_profile profile;
    struct kp_flight flight = {.attempt = {.profile = &profile}};
    struct rig rig;
    int ends[2];

    CHECK_INT(kp_profile_init(&profile, KP_TEXT("1.36")), KP_OK);
    rig_init(&rig, "1.36", &(struct kp_handler){.grpc = NULL});
    flight.set = rig.handlers;
    CHECK(kp_grpc_link_dial(&link, &flight, &dial, false));
    CHECK_INT(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    link.feed.fd = ends[0];
    for (size_t i = 0; i < sizeof said - 1; i++) {
        CHECK_INT(send(ends[1], said + i, 1, 0), 1);
        if (!link.greeted)
            link.feed.ready(&link.feed);
        CHECK_INT(link.greeted, i + 1 >= whole);
        CHECK_INT(left(ends[0]), i + 1 >= whole ? i + 1 - whole : i + 1);
    }
    kp_grpc_link_end(&link);
    close(ends[1]);
    rig_end(&rig);
}

const struct unit_test grpc_link_test[] = {
    {"what libcurl says first is waited for", what_libcurl_says_first_is_waited_for},
    {0},
};
