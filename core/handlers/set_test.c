/* set_test.c: the set from inside: who is woken first, places, children, descriptors. */
#include "handlers.h"

#include "fakes/rig.h"

#include <errno.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WAITING = 7, CHILDREN = 20, ENDED = 100, CLOSED_A_TURN = 32, PLACES = 64 };

/* Of attempts that nobody answers. */
static struct kp_http_get_action silent = {.path = {"/", 1}, .port = {.kind = KP_INTSTR_INT}};

static void begin(struct rig *rig, int *listener)
{
    *listener = rig_listen(&silent.port.number);
    rig_init(rig, "1.36", &(struct kp_handler){.http_get = &silent});
    rig->attempt.timeout_ns = 100 * KP_NS_PER_S;
}

static void end(struct rig *rig, int listener)
{
    rig_end(rig);
    close(listener);
}

static struct kp_flight *start(struct rig *rig)
{
    kp_attempt_id id = rig_start(rig);

    return rig->handlers->slots[(uint32_t)id].flight;
}

/* ---- who is woken first ---------------------------------------------------------------------- */

static bool is_ordered(const struct kp_handlers *set)
{
    bool fine = true;

    for (size_t i = 0; i < set->in_flight; i++)
        fine = fine && set->heap[i]->heap_at == i &&
               set->heap[i > 0 ? (i - 1) / 2 : 0]->wake_ns <= set->heap[i]->wake_ns;
    return fine;
}

static void who_is_to_be_woken_first_is_first(void)
{
    struct kp_flight *flights[WAITING];
    struct rig rig;
    int listener;
    int64_t now_ns;

    begin(&rig, &listener);
    now_ns = kp_handlers_now_ns();
    for (size_t i = 0; i < WAITING; i++)
        flights[i] = start(&rig);
    for (int64_t k = 0; k < 200; k++) {
        kp_flight_wake_at(flights[k * 5 % WAITING], now_ns + (1 + k * 37 % 90) * KP_NS_PER_S);
        CHECK(is_ordered(rig.handlers));
    }
    kp_flight_wake_at(flights[0], flights[0]->deadline_ns + 1); /* there is no later than that */
    CHECK_INT(flights[0]->wake_ns, flights[0]->deadline_ns);
    end(&rig, listener);
}

static void all_that_are_due_are_woken(void)
{
    struct kp_flight *flights[3];
    struct rig rig;
    int listener;
    int64_t now_ns;

    begin(&rig, &listener);
    for (size_t i = 0; i < 3; i++)
        flights[i] = start(&rig);
    now_ns = kp_handlers_now_ns();
    kp_flight_wake_at(flights[2], now_ns); /* early: it is not to miss its deadline for that */
    for (size_t i = 0; i < 2; i++) {
        flights[i]->deadline_ns = now_ns - 2 + (int64_t)i;
        kp_flight_wake_at(flights[i], flights[i]->deadline_ns);
    }
    CHECK_INT(kp_handlers_step(rig.handlers, now_ns), 2);
    CHECK_INT(rig.result.count, 2);
    CHECK_INT(flights[2]->wake_ns, flights[2]->deadline_ns);
    end(&rig, listener);
}

static void who_is_done_is_not_woken(void)
{
    static const struct kp_probe without_handler = {.timeout_s = 10};
    struct rig rig;
    int listener;

    begin(&rig, &listener);
    rig.attempt.probe = &without_handler;
    rig.attempt.timeout_ns = 1;
    rig_start(&rig);
    CHECK_INT(kp_handlers_step(rig.handlers, KP_NEVER), 1);
    CHECK_INT(rig.result.answer, KP_ANSWER_ERROR);
    end(&rig, listener);
}

/* For libcurl nothing is, either. */
static void while_a_peer_is_silent_nothing_is_due(void)
{
    struct rig rig;
    int listener;
    int64_t until_ns = kp_handlers_now_ns() + 50 * KP_NS_PER_MS;

    begin(&rig, &listener);
    rig_start(&rig);
    CHECK_INT(kp_handlers_step(rig.handlers, until_ns), 0);
    CHECK(kp_handlers_now_ns() >= until_ns);
    CHECK(kp_handlers_due_ns(rig.handlers) > kp_handlers_now_ns());
    end(&rig, listener);
}

struct quitter {
    struct rig rig;
    kp_attempt_id other;
    int64_t live; /* what it takes away with it in the turn; -1: it was not called */
    size_t idle;  /* places that the next one may have by then */
};

static void quit(void *ctx, const struct kp_attempt_result *result)
{
    struct quitter *quitter = ctx;
    int64_t before = quitter->rig.memory.live;
    size_t idle_before = quitter->rig.handlers->idle_count;

    (void)result;
    kp_handlers_cancel(quitter->rig.handlers, quitter->other);
    quitter->live = before - quitter->rig.memory.live;
    quitter->idle = quitter->rig.handlers->idle_count - idle_before;
}

/* Events of that turn may still name it. */
static void what_is_cancelled_in_a_turn_is_freed_behind_it(void)
{
    static const struct kp_text words[] = {{"true", 4}};
    static const struct kp_exec_action exec = {{words, 1}};
    const struct kp_probe probe = {.handler = {.exec = &exec}, .timeout_s = 10};
    struct quitter quitter = {.live = -1};
    int listener;

    begin(&quitter.rig, &listener);
    quitter.other = rig_start(&quitter.rig);
    quitter.rig.attempt.probe = &probe;
    quitter.rig.attempt.finished = quit;
    quitter.rig.attempt.ctx = &quitter;
    if (rig_start(&quitter.rig) == 0)
        kp_handlers_cancel(quitter.rig.handlers, quitter.other);
    rig_drain(&quitter.rig);
    CHECK_INT(quitter.live, 0);
    CHECK_INT(quitter.idle, 0);
    end(&quitter.rig, listener);
}

/* Also where that one was the last of those who wait to be reported. */
static void who_is_done_behind_a_cancelled_one_is_reported(void)
{
    static const struct kp_probe without_handler = {.timeout_s = 10};
    struct rig rig;
    int listener;

    begin(&rig, &listener);
    rig.attempt.probe = &without_handler;
    kp_handlers_cancel(rig.handlers, rig_start(&rig));
    rig_start(&rig);
    CHECK_INT(kp_handlers_step(rig.handlers, kp_handlers_now_ns() + KP_NS_PER_S), 1);
    end(&rig, listener);
}

static void a_step_without_an_end_ends_with_an_answer(void)
{
    struct rig rig;
    int listener;

    begin(&rig, &listener);
    CHECK_INT(kp_handlers_step(rig.handlers, kp_handlers_now_ns()), 0); /* of nobody */
    rig.attempt.timeout_ns = 50 * KP_NS_PER_MS;
    if (rig_start(&rig) != 0)
        CHECK_INT(kp_handlers_step(rig.handlers, KP_NEVER), 1);
    end(&rig, listener);
}

/* In `finished`: another is to be woken at once. */
static void hurry(void *ctx, const struct kp_attempt_result *result)
{
    (void)result;
    if (ctx)
        kp_flight_wake_at(ctx, kp_handlers_now_ns());
}

/* All that ended, or some of them where somebody else's time has come. */
static void what_ended_is_closed_while_nobody_is_to_be_woken(void)
{
    static const struct kp_probe without_handler = {.timeout_s = 10};
    struct kp_flight *urgent;
    struct rig rig;
    int64_t until_ns;
    int listener;

    begin(&rig, &listener);
    urgent = start(&rig);
    rig.attempt.probe = &without_handler;
    rig.attempt.finished = hurry;
    for (int somebody_waits = 0; somebody_waits < 2; somebody_waits++) {
        size_t left;

        rig.attempt.ctx = somebody_waits ? urgent : NULL;
        for (int i = 0; i < ENDED; i++)
            rig_start(&rig);
        CHECK_INT(kp_handlers_step(rig.handlers, kp_handlers_now_ns()), ENDED);
        left = kp_handlers_in_flight(rig.handlers);
        CHECK_INT(left, somebody_waits ? 1 + ENDED - CLOSED_A_TURN : 1);
        CHECK(rig.handlers->ended == NULL);
    }
    kp_flight_wake_later(urgent, urgent->deadline_ns);
    until_ns = kp_handlers_now_ns() + 10 * KP_NS_PER_S;
    CHECK_INT(kp_handlers_step(rig.handlers, until_ns), 0);
    CHECK(kp_handlers_now_ns() < until_ns);
    CHECK_INT(kp_handlers_in_flight(rig.handlers), 1);
    end(&rig, listener);
}

/* ---- places ---------------------------------------------------------------------------------- */

static void nobody_gets_the_place_of_another(void)
{
    kp_attempt_id first, ids[3];
    struct rig rig;
    int listener;

    begin(&rig, &listener);
    first = rig_start(&rig);
    ids[0] = rig_start(&rig);
    kp_handlers_cancel(rig.handlers, first);
    for (size_t i = 1; i < 3; i++)
        ids[i] = rig_start(&rig);
    for (size_t i = 0; i < 3; i++)
        CHECK((uint32_t)ids[i] != (uint32_t)ids[(i + 1) % 3]);
    kp_handlers_cancel(rig.handlers, (kp_attempt_id)1 << 32 | rig.handlers->cap); /* nobody's */
    CHECK_INT(kp_handlers_in_flight(rig.handlers), 3);
    end(&rig, listener);
}

static void there_is_a_place_for_each(void)
{
    struct rig rig;
    int listener;

    begin(&rig, &listener);
    for (size_t i = 0; i < PLACES; i++)
        rig_start(&rig);
    CHECK_INT(rig.handlers->cap, PLACES);
    rig_start(&rig);
    CHECK_INT(rig.handlers->cap, 2 * PLACES);
    CHECK_INT(rig.handlers->in_flight, PLACES + 1);
    CHECK(is_ordered(rig.handlers));
    end(&rig, listener);
}

static void some_places_are_kept(void)
{
    kp_attempt_id ids[KP_IDLE_FLIGHTS + 1];
    struct rig rig;
    int listener;

    begin(&rig, &listener);
    for (size_t i = 0; i < KP_IDLE_FLIGHTS + 1; i++)
        ids[i] = rig_start(&rig);
    for (size_t i = 0; i < KP_IDLE_FLIGHTS + 1; i++)
        kp_handlers_cancel(rig.handlers, ids[i]);
    CHECK_INT(rig.handlers->idle_count, KP_IDLE_FLIGHTS);
    rig_start(&rig);
    CHECK_INT(rig.handlers->idle_count, KP_IDLE_FLIGHTS - 1);
    end(&rig, listener);
}

/* ---- children -------------------------------------------------------------------------------- */

static void kill_child(pid_t pid)
{
    siginfo_t about;

    kill(pid, SIGKILL);
    CHECK_INT(waitid(P_PID, (id_t)pid, &about, WEXITED | WNOWAIT), 0);
}

/* They are left to the set, and then they end, but the last. */
static pid_t leave_children(struct rig *rig, size_t count)
{
    pid_t pids[CHILDREN];

    for (size_t i = 0; i < count; i++) {
        pids[i] = fork();
        while (pids[i] == 0)
            pause();
        kp_reap_later(rig->handlers, pids[i]);
    }
    for (size_t i = 0; i + 1 < count; i++)
        kill_child(pids[i]);
    return pids[count - 1];
}

static bool is_childless(void)
{
    return waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD;
}

static void children_that_end_late_are_waited_for(void)
{
    struct rig rig;
    pid_t last;
    int listener;

    begin(&rig, &listener);
    last = leave_children(&rig, CHILDREN);
    CHECK_INT(rig.handlers->unreaped_count, CHILDREN);
    kp_handlers_step(rig.handlers, kp_handlers_now_ns());
    CHECK_INT(rig.handlers->unreaped_count, 1);
    kill_child(last);
    kp_handlers_step(rig.handlers, kp_handlers_now_ns());
    CHECK_INT(rig.handlers->unreaped_count, 0);
    CHECK(is_childless());
    kill_child(leave_children(&rig, 1));
    end(&rig, listener);
    CHECK(is_childless());
}

static void a_child_is_forgotten_where_there_is_no_memory(void)
{
    struct rig rig;
    int listener;
    pid_t pid = fork();

    while (pid == 0)
        pause();
    begin(&rig, &listener);
    rig.memory.fail_at = rig.memory.calls;
    kp_reap_later(rig.handlers, pid);
    CHECK_INT(rig.handlers->unreaped_count, 0);
    end(&rig, listener);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

/* ---- descriptors ----------------------------------------------------------------------------- */

static void what_is_closed_is_closed_once(void)
{
    struct kp_watch watch;
    struct rig rig;
    int listener;
    int ends[2];

    begin(&rig, &listener);
    CHECK_INT(pipe(ends), 0);
    watch = (struct kp_watch){.flight = start(&rig), .fd = ends[0]};
    CHECK(kp_watch_begin(&watch, EPOLLIN));
    kp_watch_close(&watch);
    CHECK_INT(watch.fd, -1);
    close(ends[1]);
    end(&rig, listener);
}

enum { PIPES = 3, LAST = PIPES - 1 };

struct piped {
    struct kp_watch watch;
    int ready; /* so often */
    uint32_t events;
    bool finishes;
};

static void on_ready(struct kp_watch *watch, uint32_t epoll_events)
{
    struct piped *piped = (struct piped *)watch;

    piped->ready++;
    piped->events = epoll_events;
    if (piped->finishes)
        kp_flight_finish_text(watch->flight, KP_ANSWER_SUCCESS, KP_TEXT(""));
}

/* Also of one attempt; but where that is done nothing more of it is looked at. */
static void what_is_ready_is_looked_at_once_a_turn(void)
{
    for (int finishes = 0; finishes < 2; finishes++) {
        struct piped pipes[PIPES];
        struct epoll_event libcurls;
        struct kp_flight *flight;
        struct rig rig;
        int ends[PIPES][2];
        int ready = 0;
        int listener;

        begin(&rig, &listener);
        flight = start(&rig); /* whose connection the listener has, as if libcurl watched it */
        libcurls = (struct epoll_event){EPOLLIN, {.u64 = (uint64_t)listener << 1 | 1}};
        for (size_t i = 0; i < PIPES; i++) {
            CHECK_INT(pipe(ends[i]), 0);
            CHECK_INT(write(ends[i][1], "", 1), 1);
            pipes[i] = (struct piped){{flight, on_ready, ends[i][0]}, .finishes = finishes};
            CHECK(kp_watch_begin(&pipes[i].watch, EPOLLIN));
        }
        close(ends[LAST][1]);
        CHECK_INT(epoll_ctl(rig.handlers->epoll_fd, EPOLL_CTL_ADD, listener, &libcurls), 0);
        CHECK_INT(kp_handlers_step(rig.handlers, kp_handlers_now_ns()), finishes);
        for (size_t i = 0; i < PIPES; i++) {
            CHECK(finishes || pipes[i].ready == 1);
            CHECK(finishes || pipes[i].events == (i < LAST ? EPOLLIN : EPOLLIN | EPOLLHUP));
            ready += pipes[i].ready;
            kp_watch_close(&pipes[i].watch);
            if (i < LAST)
                close(ends[i][1]);
        }
        CHECK_INT(ready, finishes ? 1 : PIPES);
        CHECK_INT(rig.result.count, finishes);
        end(&rig, listener);
    }
}

const struct unit_test set_test[] = {
    {"who is to be woken first is first", who_is_to_be_woken_first_is_first},
    {"all that are due are woken", all_that_are_due_are_woken},
    {"who is done is not woken", who_is_done_is_not_woken},
    {"while a peer is silent nothing is due", while_a_peer_is_silent_nothing_is_due},
    {"who is done behind a cancelled one is reported",
     who_is_done_behind_a_cancelled_one_is_reported},
    {"what is cancelled in a turn is freed behind it",
     what_is_cancelled_in_a_turn_is_freed_behind_it},
    {"a step without an end ends with an answer", a_step_without_an_end_ends_with_an_answer},
    {"what ended is closed while nobody is to be woken",
     what_ended_is_closed_while_nobody_is_to_be_woken},
    {"nobody gets the place of another", nobody_gets_the_place_of_another},
    {"there is a place for each", there_is_a_place_for_each},
    {"some places are kept", some_places_are_kept},
    {"children that end late are waited for", children_that_end_late_are_waited_for},
    {"a child is forgotten where there is no memory",
     a_child_is_forgotten_where_there_is_no_memory},
    {"what is ready is looked at once a turn", what_is_ready_is_looked_at_once_a_turn},
    {"what is closed is closed once", what_is_closed_is_closed_once},
    {0},
};
