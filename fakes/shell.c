#include "fakes/shell.h"

#define WORDS_MAX 16

struct words {
    struct kp_text items[WORDS_MAX];
    size_t count;
};

/* Where in the script the reading stands. */
struct reader {
    struct fake_shell *shell;
    struct kp_text rest;
    int64_t age_ns;
    bool ended;
};

static bool is(struct kp_text text, const char *word)
{
    return kp_text_equal(text, kp_text_of(word));
}

static bool is_shell(struct kp_text program)
{
    static const char *const shells[] = {"sh",  "/bin/sh",  "bash",          "/bin/bash",
                                         "ash", "/bin/ash", "/usr/bin/bash", NULL};

    return kp_text_is_one_of(program, shells);
}

/* The script of `sh -c SCRIPT`, wherever command and args divide it. */
static bool find_script(const struct kp_container *container, struct kp_text *script)
{
    struct words words = {0};

    for (size_t i = 0; i < container->command.count && words.count < WORDS_MAX; i++)
        words.items[words.count++] = container->command.items[i];
    for (size_t i = 0; i < container->args.count && words.count < WORDS_MAX; i++)
        words.items[words.count++] = container->args.items[i];
    if (words.count != 3 || !is_shell(words.items[0]) || !is(words.items[1], "-c"))
        return false;
    *script = words.items[2];
    return true;
}

/* ---- words
 * ----------------------------------------------------------------------------------------- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static bool is_special(char c)
{
    return c == '$' || c == '`' || c == '|' || c == '(' || c == ')' || c == '<' || c == '*' ||
           c == '?' || c == '{' || c == '}' || c == '\\' || c == '#';
}

/* The next statement's words, without quotes.  false: something that only a real shell understands.
 */
static bool take_statement(struct kp_text *rest, struct words *words)
{
    const char *at = rest->bytes;
    const char *end = at + rest->len;

    words->count = 0;
    while (at < end && *at != ';' && *at != '\n' && *at != '&') {
        char quote = *at == '"' || *at == '\'' ? *at : '\0';
        const char *start = at += quote != '\0';

        if (!quote && is_blank(*at)) {
            at++;
            continue;
        }
        while (at < end &&
               (quote ? *at != quote : !is_blank(*at) && *at != ';' && *at != '\n' && *at != '&'))
            if (is_special(*at++))
                return false;
        if (words->count == WORDS_MAX || (quote && at == end))
            return false;
        words->items[words->count++] = (struct kp_text){start, (size_t)(at - start)};
        at += quote != '\0';
    }
    if (at < end && *at == '&' && (end - at < 2 || at[1] != '&'))
        return false; /* a job in the background */
    if (at < end)
        at += *at == '&' ? 2 : 1;
    *rest = (struct kp_text){at, (size_t)(end - at)};
    return true;
}

/* "30", "0.5", "2m", "infinity". */
static bool read_sleep(struct kp_text text, int64_t *ns)
{
    int64_t unit = KP_NS_PER_S; /* of the digit being read, once the point was seen */
    bool fraction = false;

    *ns = is(text, "infinity") || is(text, "inf") ? KP_NEVER : 0;
    if (*ns == KP_NEVER)
        return true;
    if (text.len == 0 || text.len > 9)
        return false;
    for (size_t i = 0; i < text.len; i++) {
        char c = text.bytes[i];

        if (kp_is_digit(c) && !fraction)
            *ns = *ns * 10 + (c - '0') * KP_NS_PER_S;
        else if (kp_is_digit(c))
            *ns += (c - '0') * (unit /= 10);
        else if (c == '.' && !fraction)
            fraction = true;
        else if (i > 0 && i + 1 == text.len && (c == 's' || c == 'm' || c == 'h'))
            *ns *= c == 's' ? 1 : c == 'm' ? 60 : 3600;
        else
            return false;
    }
    return true;
}

/* ---- statements
 * ------------------------------------------------------------------------------------- */

static bool add_change(struct reader *reader, struct kp_text path, bool exists)
{
    struct fake_shell *shell = reader->shell;

    if (shell->change_count == FAKE_FILE_CHANGES)
        return false;
    shell->changes[shell->change_count++] = (struct fake_file_change){reader->age_ns, path, exists};
    return true;
}

static void end_script(struct reader *reader, int32_t code)
{
    reader->shell->ends_ns = reader->age_ns;
    reader->shell->exit_code = code;
    reader->ended = true;
}

static bool sleep_for(struct reader *reader, const struct words *words)
{
    int64_t ns;

    if (words->count != 2 || !read_sleep(words->items[1], &ns))
        return false;
    if (ns == KP_NEVER) {
        reader->age_ns = KP_NEVER;
        end_script(reader, 0);
    } else {
        reader->age_ns += ns;
    }
    return true;
}

static bool change_files(struct reader *reader, const struct words *words, bool exists)
{
    for (size_t i = 1; i < words->count; i++)
        if (words->items[i].bytes[0] != '-' && !add_change(reader, words->items[i], exists))
            return false;
    return true;
}

static bool exit_with(struct reader *reader, const struct words *words)
{
    uint64_t code = 0;

    if (words->count > 1 && !kp_text_number(words->items[1], 999, &code))
        return false;
    end_script(reader, (int32_t)code & 0xff);
    return true;
}

/* `echo ok > FILE` makes a file. */
static bool print_into(struct reader *reader, const struct words *words)
{
    for (size_t i = 1; i < words->count; i++) {
        struct kp_text word = words->items[i];

        if (word.len == 0 || word.bytes[0] != '>')
            continue;
        while (word.len > 0 && word.bytes[0] == '>')
            word = kp_text_from(word, 1);
        if (word.len == 0 && i + 1 < words->count)
            word = words->items[i + 1];
        return word.len > 0 && add_change(reader, word, true);
    }
    return true;
}

/* `while true; do sleep 1; done` at the end of a script: it goes on for ever, whatever it sleeps.
 */
static bool loop_for_ever(struct reader *reader)
{
    struct words words;

    while (reader->rest.len > 0) {
        if (!take_statement(&reader->rest, &words))
            return false;
        if (words.count > 0 && is(words.items[0], "do"))
            words.items[0] = words.count > 1 ? words.items[1] : words.items[0];
        if (words.count > 0 && is(words.items[0], "done"))
            break;
        if (words.count > 0 && !is(words.items[0], "sleep") && !is(words.items[0], "echo"))
            return false;
    }
    reader->age_ns = KP_NEVER;
    end_script(reader, 0);
    return true;
}

static bool run_statement(struct reader *reader, const struct words *words)
{
    static const char *const idle[] = {"true", ":", NULL};
    struct kp_text program = words->items[0];

    if (is(program, "sleep"))
        return sleep_for(reader, words);
    if (is(program, "touch"))
        return change_files(reader, words, true);
    if (is(program, "rm"))
        return change_files(reader, words, false);
    if (is(program, "echo"))
        return print_into(reader, words);
    if (is(program, "exit"))
        return exit_with(reader, words);
    if (is(program, "while") && words->count == 2 && kp_text_is_one_of(words->items[1], idle))
        return loop_for_ever(reader);
    return kp_text_is_one_of(program, idle) && words->count == 1;
}

bool fake_shell_read(struct fake_shell *shell, const struct kp_container *container)
{
    struct reader reader = {.shell = shell};
    struct words words;

    *shell = (struct fake_shell){.ends_ns = KP_NEVER};
    if (!find_script(container, &reader.rest))
        return false;
    while (reader.rest.len > 0 && !reader.ended) {
        if (!take_statement(&reader.rest, &words))
            return false;
        if (words.count > 0 && !run_statement(&reader, &words))
            return false;
    }
    if (!reader.ended)
        end_script(&reader, 0);
    return true;
}

/* ---- probes
 * ----------------------------------------------------------------------------------------- */

static bool exists_at(const struct fake_shell *shell, struct kp_text path, int64_t age_ns)
{
    bool exists = false;

    for (size_t i = 0; i < shell->change_count && shell->changes[i].age_ns <= age_ns; i++)
        if (kp_text_equal(shell->changes[i].path, path))
            exists = shell->changes[i].exists;
    return exists;
}

/* Does the script ever speak of that file?  Of others nothing is known. */
static bool speaks_of(const struct fake_shell *shell, struct kp_text path)
{
    for (size_t i = 0; i < shell->change_count; i++)
        if (kp_text_equal(shell->changes[i].path, path))
            return true;
    return false;
}

bool fake_shell_exec(const struct fake_shell *shell, const struct kp_text_list *command,
                     int64_t age_ns, int32_t *code, struct kp_buf *output)
{
    static const char *const flags[] = {"-e", "-f", "-r", "-a", NULL};
    bool cat = command->count == 2 && is(command->items[0], "cat");
    bool ls = command->count == 2 && (is(command->items[0], "ls") || is(command->items[0], "stat"));
    bool test = command->count >= 3 &&
                (is(command->items[0], "test") || is(command->items[0], "[")) &&
                kp_text_is_one_of(command->items[1], flags);
    struct kp_text path;

    if (!cat && !ls && !test)
        return false;
    path = command->items[test ? 2 : 1];
    if (!speaks_of(shell, path))
        return false;
    *code = exists_at(shell, path, age_ns) ? 0 : 1;
    if (*code != 0 && !test) {
        kp_buf_put(output, command->items[0]);
        kp_buf_put(output, cat ? KP_TEXT(": can't open '") : KP_TEXT(": "));
        kp_buf_put(output, path);
        kp_buf_put(output, cat ? KP_TEXT("'") : KP_TEXT(""));
        kp_buf_put(output, KP_TEXT(": No such file or directory\n"));
    }
    return true;
}
