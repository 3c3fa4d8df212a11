#include "conformance/table/divergences.h"

#include "conformance/table/builtin.h"
#include "conformance/text/human.h"

#include <string.h>
#include <strings.h>

/* Take what stands before `end` off the front, and `end`; all of it where there is none. */
static struct kp_text take(struct kp_text *text, const char *end)
{
    struct kp_text before = {text->bytes, kp_text_find(*text, kp_text_of(end))};

    *text = before.len < text->len ? kp_text_from(*text, before.len + strlen(end)) : KP_TEXT_NONE;
    return before;
}

/* "| id | seen | minors | outcome |" */
static bool put_row(struct cf_out *out, struct kp_text line, const char *id)
{
    static const char *const heads[] = {"", "", "minors", "outcome"};
    size_t len = strlen(id);

    if (line.len < len + 4 || memcmp(line.bytes, "| ", 2) != 0 || line.bytes[2 + len] != ' ' ||
        strncasecmp(line.bytes + 2, id, len) != 0)
        return false;
    line = kp_text_from(line, 2);
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        struct kp_text cell = take(&line, " |");

        if (line.len > 0)
            line = kp_text_from(line, 1); /* the blank behind it */
        if (i == 2)
            cf_out_put_char(out, '\n');
        if (i < 2)
            cf_put_wrapped(out, 2 * i, 2, cell);
        else
            cf_put_named(out, heads[i], cell);
    }
    return true;
}

bool cf_put_divergence(struct cf_out *out, struct cf_arena *arena, const char *id)
{
    struct kp_text text = KP_TEXT_NONE;

    if (strlen(id) >= 3 && id[1] == '-')
        text = cf_builtin_file(arena, "oracle/divergences.md");
    while (text.len > 0)
        if (put_row(out, take(&text, "\n"), id))
            return true;
    return false;
}
