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

const struct unit_test hook_text_test[] = {
    {"a handler that nobody runs is printed", a_handler_that_nobody_runs_is_printed},
    {0},
};
