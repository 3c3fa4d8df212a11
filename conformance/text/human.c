#define _DEFAULT_SOURCE /* TIOCGWINSZ */
#include "conformance/text/human.h"

#include "conformance/text/cli.h"
#include "conformance/text/print.h"

#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define NS_PER_S INT64_C(1000000000)
#define TENTH_NS (NS_PER_S / 10)
#define ELLIPSIS "\xe2\x80\xa6"

static int64_t rounded(int64_t ns, int64_t unit_ns, bool up)
{
    return (ns + (up ? unit_ns - 1 : 0)) / unit_ns;
}

static void put_seconds(struct cf_out *out, int64_t tenths)
{
    cf_out_put_int(out, tenths / 10);
    if (tenths % 10 > 0)
        cf_out_printf(out, ".%d", (int)(tenths % 10));
}

/* Of two units, the second where it is not 0. */
static void put_pair(struct cf_out *out, int64_t number, int64_t per, const char *big,
                     const char *small)
{
    cf_out_printf(out, "%lld %s", (long long)(number / per), big);
    if (number % per > 0)
        cf_out_printf(out, " %lld %s", (long long)(number % per), small);
}

void cf_put_duration(struct cf_out *out, int64_t ns, bool up)
{
    int64_t tenths = rounded(ns, TENTH_NS, up);
    int64_t seconds = rounded(ns, NS_PER_S, up);

    if (tenths <= 1200) {
        put_seconds(out, tenths);
        cf_out_put_string(out, " s");
    } else if (seconds < 3600) {
        put_pair(out, seconds, 60, "min", "s");
    } else {
        put_pair(out, rounded(ns, 60 * NS_PER_S, up), 60, "h", "min");
    }
}

void cf_put_exact(struct cf_out *out, int64_t ns, bool up)
{
    int64_t seconds = rounded(ns, NS_PER_S, up);

    if (seconds > 3600 && seconds % 3600 > 0) {
        cf_out_printf(out, "%lld h ", (long long)(seconds / 3600));
        ns = seconds % 3600 * NS_PER_S;
    }
    cf_put_duration(out, ns, up);
}

void cf_put_seconds(struct cf_out *out, int64_t seconds)
{
    if (seconds > INT64_MAX / NS_PER_S || seconds < 0)
        cf_out_printf(out, "%lld s", (long long)seconds);
    else
        cf_put_duration(out, seconds * NS_PER_S, false);
}

void cf_put_duration_range(struct cf_out *out, int64_t from_ns, int64_t to_ns)
{
    int64_t from = rounded(from_ns, TENTH_NS, false);
    int64_t to = rounded(to_ns, TENTH_NS, true);

    if (from > 1200 || to > 6000) {
        if (from >= 600 && from <= 1200)
            put_pair(out, from / 10, 60, "min", "s");
        else
            cf_put_duration(out, from_ns, false);
        cf_out_put_string(out, " to ");
        cf_put_duration(out, to_ns, true);
        return;
    }
    if (to > 1200)
        to = 10 * rounded(to_ns, NS_PER_S, true);
    if (from < to) {
        put_seconds(out, from);
        cf_out_put_string(out, " to ");
    }
    put_seconds(out, to);
    cf_out_put_string(out, " s");
}

/* Bytes of the first so many characters; `columns` becomes how many there are. */
static size_t bytes_of(struct kp_text text, size_t *columns)
{
    size_t max = *columns;
    size_t at = 0;

    for (*columns = 0; *columns < max && at < text.len; ++*columns) {
        size_t length = cf_utf8_length(kp_text_from(text, at));

        at += length > 0 ? length : 1;
    }
    return at;
}

size_t cf_columns_of(struct kp_text text)
{
    size_t columns = text.len;

    bytes_of(text, &columns);
    return columns;
}

/* At most so many columns of it, with … as the last where there are more. */
static void put_cut(struct cf_out *out, struct kp_text text, size_t columns)
{
    size_t less = columns > 0 ? columns - 1 : 0;

    if (cf_columns_of(text) <= columns) {
        cf_out_put(out, text);
        return;
    }
    cf_out_put(out, (struct kp_text){text.bytes, bytes_of(text, &less)});
    if (columns > 0)
        cf_out_put_string(out, ELLIPSIS);
}

/* Bytes of a line that is too wide up to the space where it breaks: the last one that has room,
 * else the first one behind it; all of them: there is none. */
static size_t break_of(struct kp_text line, size_t indent, size_t columns)
{
    size_t room = columns + 1;
    size_t at = bytes_of(line, &room);

    while (at > indent && line.bytes[at - 1] != ' ')
        at--;
    if (at > indent)
        return at - 1;
    for (at = indent; at < line.len && line.bytes[at] != ' ';)
        at++;
    return at;
}

static void put_folded(struct cf_out *out, struct kp_text line, size_t columns)
{
    enum { DEEPER = 2 };
    size_t indent = 0;
    size_t margin = 0; /* of what goes on below */
    size_t at;
    size_t end;

    while (indent < line.len && line.bytes[indent] == ' ')
        indent++;
    while (cf_columns_of(line) + margin > columns &&
           (at = break_of(line, margin > 0 ? 0 : indent, columns - margin)) < line.len) {
        margin = indent + DEEPER < columns ? indent + DEEPER : 0;
        for (end = at; end > 0 && line.bytes[end - 1] == ' ';)
            end--;
        cf_out_put(out, (struct kp_text){line.bytes, end});
        cf_out_printf(out, "\n%*s", (int)margin, "");
        line = (struct kp_text){line.bytes + at + 1, line.len - at - 1};
    }
    cf_out_put(out, line);
}

/* Each line from `from` on, anew. */
static void put_lines(struct cf_out *out, size_t from, size_t columns,
                      void (*put)(struct cf_out *out, struct kp_text line, size_t columns))
{
    struct cf_out cut = {0};
    struct kp_text rest = {out->bytes + from, out->len - from};

    while (rest.len > 0) {
        const char *end = memchr(rest.bytes, '\n', rest.len);
        size_t len = end ? (size_t)(end - rest.bytes) : rest.len;

        put(&cut, (struct kp_text){rest.bytes, len}, columns);
        if (end)
            cf_out_put_char(&cut, '\n');
        len += end ? 1 : 0;
        rest = kp_text_from(rest, len);
    }
    out->len = from;
    cf_out_put(out, cf_out_text(&cut));
    cf_out_deinit(&cut);
}

void cf_cut_lines(struct cf_out *out, size_t from, size_t columns)
{
    put_lines(out, from, columns, put_cut);
}

void cf_fold_lines(struct cf_out *out, size_t from, size_t columns)
{
    put_lines(out, from, columns, put_folded);
}

#define LEGEND "rules: probetest explain"
enum { ID_LEN = 5, LEGEND_RULES = (CF_COLUMNS - (int)sizeof LEGEND + 1) / (ID_LEN + 1) };

/* The id of the next "[S-130]"; NULL: there is none. */
static const char *next_id(const char *from, const char *end)
{
    for (; end - from >= ID_LEN + 2; from++)
        if (from[0] == '[' && from[1] >= 'A' && from[1] <= 'Z' && from[2] == '-' &&
            from[ID_LEN + 1] == ']')
            return from + 1;
    return NULL;
}

void cf_put_legend(struct cf_out *out)
{
    const char *end = out->bytes ? out->bytes + out->len : NULL;
    const char *ids[LEGEND_RULES];
    int count = 0;
    struct cf_out legend = {0};

    for (const char *id = out->bytes; id && count < LEGEND_RULES && (id = next_id(id, end));) {
        int known = 0;

        while (known < count && memcmp(ids[known], id, ID_LEN) != 0)
            known++;
        if (known == count)
            ids[count++] = id;
    }
    for (int i = 0; i < count; i++)
        cf_out_printf(&legend, "%s %.*s", i == 0 ? LEGEND : "", ID_LEN, ids[i]);
    if (count > 0)
        cf_out_put_char(&legend, '\n');
    cf_out_put(out, cf_out_text(&legend));
    cf_out_deinit(&legend);
}

static void put_wrapped(struct cf_out *out, size_t first, size_t indent, size_t columns,
                        struct kp_text text)
{
    struct kp_text word;
    size_t column = 0;

    while (text.len > 0) {
        (void)kp_text_cut(text, ' ', &word, &text);
        if (column > 0 && column + 1 + word.len > columns) {
            cf_out_put_char(out, '\n');
            column = 0;
            first = indent;
        }
        if (column == 0)
            cf_out_printf(out, "%*s", (int)first, "");
        else
            cf_out_put_char(out, ' ');
        column += (column == 0 ? first : 1) + word.len;
        cf_out_put(out, word);
    }
    cf_out_put_char(out, '\n');
}

void cf_put_wrapped(struct cf_out *out, size_t first, size_t indent, struct kp_text text)
{
    put_wrapped(out, first, indent, 79, text);
}

void cf_put_prose(struct cf_out *out, size_t columns, struct kp_text text)
{
    put_wrapped(out, 0, 0, columns, text);
}

void cf_put_named(struct cf_out *out, const char *name, struct kp_text text)
{
    struct cf_out line = {0};

    cf_out_printf(&line, "%-9s %.*s", name, KP_ARG(text));
    cf_put_wrapped(out, 2, 12, cf_out_text(&line));
    cf_out_deinit(&line);
}

/* What a line is about, by the words of the answers. */
static const char *colour_of(struct kp_text line)
{
    static const struct {
        const char *word;
        const char *colour;
    } rows[] = {
        {": killed ", "31"}, {"SIGTERM (", "31"},        {"never Ready", "31"},
        {"SIGKILL: ", "31"}, {"CrashLoopBackOff", "33"}, {" on Kubernetes 1.", "1"},
        {"change  ", "32"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (kp_text_has(line, rows[i].word))
            return rows[i].colour;
    return NULL;
}

int cf_write_answer(const char *command, enum cf_colour colour, struct kp_text text)
{
    struct kp_text line;

    if (colour == CF_COLOUR_NEVER || (colour == CF_COLOUR_AUTO && !cf_colours(stdout)))
        return cf_write_out(command, NULL, text.bytes, text.len);
    while (kp_text_next_line(&text, &line)) {
        const char *code = colour_of(line);

        cf_print_colour(stdout, code);
        cf_print_text(stdout, line);
        cf_print_colour(stdout, code ? "0" : NULL);
        cf_print(stdout, "\n");
    }
    return CF_EXIT_OK;
}

size_t cf_terminal_columns(FILE *stream)
{
    struct winsize size;

    if (isatty(fileno(stream)) && ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        return size.ws_col;
    return CF_COLUMNS;
}

void cf_put_cell(struct cf_out *out, struct kp_text text, size_t columns)
{
    size_t used = cf_columns_of(text);

    put_cut(out, text, columns);
    for (; used <= columns; used++)
        cf_out_put_char(out, ' ');
    if (used > columns + 1)
        cf_out_put_char(out, ' ');
}
