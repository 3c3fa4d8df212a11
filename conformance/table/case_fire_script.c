/* case_fire_script.c: what a fault server does, from a case's lines. */
#include "conformance/table/case_fire.h"

#include <string.h>

enum { TURNS_MAX = 64, STEPS_MAX = 64 };

/* A server's script being read. */
struct script {
    struct cf_reading *reading;
    struct cf_fire_server *server;
    struct cf_fire_turn *turns;
    size_t turn_room;
    struct cf_fire_step *steps; /* of the turn under way */
    size_t step_room;
};

struct verb {
    const char *word;
    enum cf_fire_do what;
    const char *wants;
};

/* clang-format off */
static const struct verb verbs[] = {
    {"tls",    CF_FIRE_TLS,    "tls [alpn PROTOCOL|-] [version 1.1|1.2] [certificate]"},
    {"reply",  CF_FIRE_REPLY,  "reply STATUS [NAME \"VALUE\"]... [\"BODY\"]"},
    {"send",   CF_FIRE_SEND,   "send \"BYTES\"..."},
    {"drip",   CF_FIRE_DRIP,   "drip 20ms \"BYTES\"..."},
    {"flood",  CF_FIRE_FLOOD,  "flood \"BYTES\""},
    {"pause",  CF_FIRE_PAUSE,  "pause 50ms"},
    {"renegotiate", CF_FIRE_RENEGOTIATE, "renegotiate"},
    {"shut",   CF_FIRE_SHUT,   "shut"},
    {"cut",    CF_FIRE_CUT,    "cut"},
    {"reset",  CF_FIRE_RESET,  "reset"},
    {"hold",   CF_FIRE_HOLD,   "hold"},
    {"h2",     CF_FIRE_H2,     "h2 reply|headers STATUS ..., part|stall STATUS \"BODY\" ..., serving N, message [NAME \"VALUE\"]... \"BYTES\" [NAME \"VALUE\"]..., status N \"TEXT\", reset N, goaway N N or hold"},
};
/* clang-format on */

static void add_step(struct script *script, const struct cf_line *line, enum cf_fire_do what,
                     int64_t ns, size_t from)
{
    struct cf_fire_turn *turn = &script->turns[script->server->turn_count - 1];
    size_t count = line->count - from;
    struct cf_word *words = cf_arena_array(script->reading->arena, count + 1, sizeof *words);
    struct cf_fire_step *steps;

    if (turn->count == STEPS_MAX) {
        cf_fault_at(script->reading, line->at, "more than %d steps in one turn", STEPS_MAX);
        return;
    }
    if (!words)
        return;
    memcpy(words, line->words + from, count * sizeof *words);
    steps = cf_arena_grow(script->reading->arena, script->steps, &script->step_room, turn->count,
                          sizeof *steps);
    if (!steps)
        return;
    turn->steps = script->steps = steps;
    steps[turn->count++] = (struct cf_fire_step){what, ns, words, count};
}

static void begin_turn(struct script *script, const struct cf_line *line)
{
    struct cf_fire_server *server = script->server;
    struct cf_fire_turn *turns;

    if (server->turn_count == TURNS_MAX) {
        cf_fault_at(script->reading, line->at, "more than %d turns", TURNS_MAX);
        return;
    }
    turns = cf_arena_grow(script->reading->arena, script->turns, &script->turn_room,
                          server->turn_count, sizeof *turns);
    if (!turns)
        return;
    server->turns = script->turns = turns;
    server->turn_count++;
    script->steps = NULL;
    script->step_room = 0;
}

/* await bytes | nothing; a turn that does not say awaits a request. */
static void read_await(struct script *script, const struct cf_line *line)
{
    if (line->count != 2)
        cf_fault_at(script->reading, line->at, "wanted: await request, bytes or nothing");
    else if (cf_line_is(line, 1, "bytes"))
        add_step(script, line, CF_FIRE_AWAIT_BYTES, 0, 2);
    else if (cf_line_is(line, 1, "request"))
        add_step(script, line, CF_FIRE_AWAIT_REQUEST, 0, 2);
    else if (!cf_line_is(line, 1, "nothing"))
        cf_fault_at(script->reading, line->at, "wanted: await request, bytes or nothing");
}

/* The word behind the NAME "VALUE" pairs from word k on, or behind as many as there may be. */
static size_t behind_fields(const struct cf_line *line, size_t k)
{
    size_t end = k + (size_t)2 * CF_FIRE_FIELDS_MAX;

    while (k + 1 < line->count && k < end && !line->words[k].quoted)
        k += 2;
    return k;
}

/* NAME "VALUE" pairs from word k on, then perhaps a quoted body. */
static bool is_reply(const struct cf_line *line, size_t k)
{
    k = behind_fields(line, k);
    return k == line->count || (k + 1 == line->count && line->words[k].quoted);
}

/* NAME "VALUE" pairs before quoted bytes, and behind them. */
static bool is_message(const struct cf_line *line, size_t k)
{
    k = behind_fields(line, k);
    return k < line->count && line->words[k].quoted && behind_fields(line, k + 1) == line->count;
}

static bool is_number(const struct cf_line *line, size_t k)
{
    struct kp_text word = cf_line_word(line, k);

    return word.len > 0 && word.len < 10 && kp_text_digits(word) == word.len;
}

static bool is_status(const struct cf_line *line, size_t k)
{
    return is_number(line, k) && cf_line_word(line, k).len == 3;
}

static bool is_tls(const struct cf_line *line)
{
    size_t k = 1;

    while (k < line->count)
        if (cf_line_is(line, k, "certificate"))
            k++;
        else if (cf_line_is(line, k, "alpn") && k + 1 < line->count)
            k += 2;
        else if (cf_line_is(line, k, "version") &&
                 (cf_line_is(line, k + 1, "1.1") || cf_line_is(line, k + 1, "1.2")))
            k += 2;
        else
            return false;
    return true;
}

static bool is_h2(const struct cf_line *line)
{
    bool one = line->count == 3;
    bool two = line->count == 4;

    if (cf_line_is(line, 1, "reply") || cf_line_is(line, 1, "headers"))
        return is_status(line, 2) && is_reply(line, 3);
    if (cf_line_is(line, 1, "part"))
        return line->count == 5 && is_status(line, 2) && line->words[3].quoted &&
               is_number(line, 4);
    if (cf_line_is(line, 1, "stall"))
        return two && is_status(line, 2) && line->words[3].quoted;
    if (cf_line_is(line, 1, "serving") || cf_line_is(line, 1, "reset"))
        return one && is_number(line, 2);
    if (cf_line_is(line, 1, "message"))
        return is_message(line, 2);
    if (cf_line_is(line, 1, "status"))
        return two && is_number(line, 2) && line->words[3].quoted;
    if (cf_line_is(line, 1, "goaway"))
        return two && is_number(line, 2) && is_number(line, 3);
    return cf_line_is(line, 1, "hold") && line->count == 2;
}

/* Do the words behind the verb have the form that it asks for? */
static bool is_formed(const struct cf_line *line, const struct verb *verb)
{
    size_t words = line->count - 1;

    switch (verb->what) {
    case CF_FIRE_TLS:
        return is_tls(line);
    case CF_FIRE_REPLY:
        return is_status(line, 1) && is_reply(line, 2);
    case CF_FIRE_H2:
        return is_h2(line);
    case CF_FIRE_SEND:
    case CF_FIRE_FLOOD:
        return words > 0 && line->words[1].quoted;
    case CF_FIRE_DRIP:
        return words > 1 && line->words[2].quoted;
    case CF_FIRE_PAUSE:
        return words == 1;
    default:
        return words == 0;
    }
}

static void read_verb(struct script *script, const struct cf_line *line, bool awaits)
{
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++) {
        const struct verb *verb = &verbs[i];
        bool timed = verb->what == CF_FIRE_PAUSE || verb->what == CF_FIRE_DRIP;
        int64_t ns = 0;

        if (!cf_line_is(line, 0, verb->word))
            continue;
        if (!is_formed(line, verb)) {
            cf_fault_at(script->reading, line->at, "wanted: %s", verb->wants);
            return;
        }
        if (timed)
            ns = cf_line_duration(script->reading, line, 1);
        if (awaits && verb->what != CF_FIRE_TLS && verb->what != CF_FIRE_H2)
            add_step(script, &(struct cf_line){.at = line->at}, CF_FIRE_AWAIT_REQUEST, 0, 0);
        add_step(script, line, verb->what, ns, timed ? 2 : 1);
        return;
    }
    cf_fault_at(
        script->reading, line->at,
        "wanted await, tls, reply, send, drip, flood, pause, renegotiate, shut, reset, hold, h2 or "
        "next");
}

static void read_listen(struct script *script, const struct cf_line *line)
{
    struct cf_fire_server *server = script->server;

    if (line->count != 2)
        cf_fault_at(script->reading, line->at, "wanted: listen nobody, full or ::1");
    else if (cf_line_is(line, 1, "nobody"))
        server->listens = CF_FIRE_NOBODY;
    else if (cf_line_is(line, 1, "full"))
        server->listens = CF_FIRE_FULL;
    else if (cf_line_is(line, 1, "::1"))
        server->v6 = true;
    else
        cf_fault_at(script->reading, line->at, "wanted: listen nobody, full or ::1");
}

void cf_fire_read_script(struct cf_reading *reading, const struct cf_node *node,
                         struct cf_fire_server *server)
{
    struct script script = {.reading = reading, .server = server};
    struct cf_lines lines;
    struct cf_line line;
    bool awaits = true;

    server->used = true;
    cf_lines_begin(&lines, reading, node);
    while (cf_lines_next(&lines, &line) && !reading->arena->failed) {
        if (cf_line_is(&line, 0, "listen")) {
            read_listen(&script, &line);
            continue;
        }
        if (server->turn_count == 0 || cf_line_is(&line, 0, "next")) {
            begin_turn(&script, &line);
            awaits = true;
        }
        if (cf_line_is(&line, 0, "next") && line.count > 1)
            cf_fault_at(reading, line.at,
                        "wanted: next, and the turn's steps on lines of their own");
        if (server->turn_count == 0 || cf_line_is(&line, 0, "next"))
            continue;
        if (cf_line_is(&line, 0, "await"))
            read_await(&script, &line);
        else
            read_verb(&script, &line, awaits);
        awaits = awaits && cf_line_is(&line, 0, "tls");
    }
}

bool cf_fire_does(const struct cf_fire_server *server, enum cf_fire_do what)
{
    for (size_t t = 0; t < server->turn_count; t++)
        for (size_t i = 0; i < server->turns[t].count; i++)
            if (server->turns[t].steps[i].what == what)
                return true;
    return false;
}
