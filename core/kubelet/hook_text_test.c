#include "core/kubelet/hook_text.h"

#include "fakes/unit_run.h"

/* S-226, S-343: what Go prints of a hook that no kubelet runs: generated.pb.go, String of Handler,
 * or of LifecycleHandler. */
static void a_handler_that_nobody_runs_is_printed(void)
{
    static const struct kp_tcp_socket_action named = {
        .port = {.kind = KP_INTSTR_STRING, .string = {"http", 4}}, .host = {"h", 1}};
    static const struct kp_tcp_socket_action numbered = {
        .port = {.kind = KP_INTSTR_INT, .number = 80}};
    static const struct kp_handler hooks[] = {
        {.tcp_socket = &named}, {.tcp_socket = &numbered}, {.exec = NULL}};
    static const struct {
        const char *k8s;
        int hook;
        const char *want;
    } rows[] = {
        {"1.15", 0,
         "Invalid handler: &Handler{Exec:nil,HTTPGet:nil,"
         "TCPSocket:&TCPSocketAction{Port:http,Host:h,},}"},
        {"1.16", 0,
         "invalid handler: &Handler{Exec:nil,HTTPGet:nil,"
         "TCPSocket:&TCPSocketAction{Port:{1 0 http},Host:h,},}"},
        {"1.16", 1,
         "invalid handler: &Handler{Exec:nil,HTTPGet:nil,"
         "TCPSocket:&TCPSocketAction{Port:{0 80 },Host:,},}"},
        {"1.15", 1,
         "Invalid handler: &Handler{Exec:nil,HTTPGet:nil,"
         "TCPSocket:&TCPSocketAction{Port:80,Host:,},}"},
        {"1.22", 2, "invalid handler: &Handler{Exec:nil,HTTPGet:nil,TCPSocket:nil,}"},
        {"1.23", 2, "invalid handler: &LifecycleHandler{Exec:nil,HTTPGet:nil,TCPSocket:nil,}"},
        {"1.29", 2,
         "invalid handler: &LifecycleHandler{Exec:nil,HTTPGet:nil,TCPSocket:nil,Sleep:nil,}"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct kp_container web = {
            .name = KP_TEXT("web"), .kind = KP_REGULAR, .post_start = &hooks[rows[i].hook]};
        const struct kp_pod pod = {.containers = &web, .regular_count = 1};
        struct kp_text said;
        struct unit_run own;

        open_run(&own, rows[i].k8s, &pod);
        said = kp_hook_text(own.run.sync, 0, web.post_start, KP_ANSWER_ERROR, 0, KP_TEXT_NONE);
        CHECK(kp_text_begins(said, "Cannot run handler: "));
        CHECK_TEXT(kp_text_from(said, sizeof "Cannot run handler: " - 1), kp_text_of(rows[i].want));
        close_run(&own);
    }
}

static struct kp_text say(struct unit_run *own, const struct kp_handler *hook,
                          enum kp_answer answer, const char *output)
{
    return kp_hook_text(own->run.sync, 0, hook, answer, 0, kp_text_of(output));
}

/* S-215: only a command that has ended has a code. */
static void a_hook_that_failed_is_reported(void)
{
    static const struct kp_text words[] = {{"a", 1}, {"b", 1}, {"c", 1}};
    static const struct kp_exec_action command = {.command = {words, 3}};
    static const struct kp_http_get_action root = {.path = {"/", 1}};
    static const struct kp_handler exec = {.exec = &command};
    static const struct kp_handler http = {.http_get = &root};
    static const struct kp_container web = {
        .name = {"web", 3}, .kind = KP_REGULAR, .post_start = &exec, .pre_stop = &http};
    static const struct kp_pod pod = {.name = {"p", 1},
                                      .namespace_ = {"ns", 2},
                                      .uid = {"u", 1},
                                      .containers = &web,
                                      .regular_count = 1};
    struct unit_run own;

    open_run(&own, "1.36", &pod);
    CHECK_TEXT(
        say(&own, &exec, KP_ANSWER_FAILURE, "out"),
        KP_TEXT("Exec lifecycle hook ([a b c]) for Container \"web\" in Pod \"p_ns(u)\" failed "
                "- error: command 'a b c' exited with 1: , message: \"out\""));
    CHECK_TEXT(
        say(&own, &exec, KP_ANSWER_ERROR, "gone"),
        KP_TEXT("Exec lifecycle hook ([a b c]) for Container \"web\" in Pod \"p_ns(u)\" failed "
                "- error: gone, message: \"\""));
    CHECK_TEXT(
        say(&own, &exec, KP_ANSWER_TIMEOUT, "late"),
        KP_TEXT("Exec lifecycle hook ([a b c]) for Container \"web\" in Pod \"p_ns(u)\" failed "
                "- error: late, message: \"\""));
    CHECK_TEXT(say(&own, &http, KP_ANSWER_FAILURE, "no"),
               KP_TEXT("HTTP lifecycle hook (/) for Container \"web\" in Pod \"p_ns(u)\" failed - "
                       "error: no, message: \"\""));
    close_run(&own);
}

/* Room there is for the longer of two hooks, whichever that is. */
static void the_longer_hook_has_room(void)
{
    static char letters[5000];
    static const struct kp_text word = {letters, sizeof letters};
    static const struct kp_exec_action command = {.command = {&word, 1}};
    static const struct kp_exec_action none;
    static const struct kp_handler longer = {.exec = &command};
    static const struct kp_handler shorter = {.exec = &none};

    memset(letters, 'x', sizeof letters);
    for (int swapped = 0; swapped < 2; swapped++) {
        struct kp_container web = {.name = KP_TEXT("web"),
                                   .kind = KP_REGULAR,
                                   .post_start = swapped ? &longer : &shorter,
                                   .pre_stop = swapped ? &shorter : &longer};
        struct kp_pod pod = {.containers = &web, .regular_count = 1};
        struct unit_run own;

        open_run(&own, "1.36", &pod);
        CHECK(kp_text_ends(say(&own, &longer, KP_ANSWER_FAILURE, "out"), "message: \"out\""));
        close_run(&own);
    }
}

const struct unit_test hook_text_test[] = {
    {"a hook that failed is reported", a_hook_that_failed_is_reported},
    {"the longer hook has room", the_longer_hook_has_room},
    {"a handler that nobody runs is printed", a_handler_that_nobody_runs_is_printed},
    {0},
};
