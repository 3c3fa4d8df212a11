#include "conformance/text/print.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- what is shown ------------------------------------------------------------------------ */

static unsigned code_of(const char *bytes, size_t len)
{
    unsigned code = (unsigned char)bytes[0];

    if (len == 1)
        return code;
    code &= 0x7FU >> len;
    for (size_t i = 1; i < len; i++)
        code = code << 6 | ((unsigned char)bytes[i] & 0x3FU);
    return code;
}

/* Controls of C0 and C1, line and paragraph separators, and marks, overrides and isolates that
 * turn the direction of writing. */
static bool is_obeyed(unsigned code)
{
    return code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0x061C || code == 0x200E ||
           code == 0x200F || (code >= 0x2028 && code <= 0x202E) ||
           (code >= 0x2066 && code <= 0x2069);
}

static void put_code(struct cf_out *out, unsigned code)
{
    if (code == '\n' || code == '\r' || code == '\t')
        cf_out_printf(out, "\\%c", code == '\n' ? 'n' : code == '\r' ? 'r' : 't');
    else
        cf_out_printf(out, "\\u%04x", code);
}

static size_t plain_bytes(struct kp_text text)
{
    size_t len = 0;

    while (len < text.len && text.bytes[len] >= ' ' && text.bytes[len] < 0x7F)
        len++;
    return len;
}

/* stands: of the characters that are obeyed, those that stand as they are. */
static void put(struct cf_out *out, struct kp_text text, const char *stands)
{
    while (text.len > 0) {
        size_t plain = plain_bytes(text);
        size_t len = plain > 0 ? plain : cf_utf8_length(text);
        unsigned code = plain == 0 && len > 0 ? code_of(text.bytes, len) : ' ';

        if (len == 0)
            cf_out_printf(out, "\\x%02x", (unsigned char)text.bytes[0]);
        else if (is_obeyed(code) && (code == 0 || code > 0x20 || !strchr(stands, (int)code)))
            put_code(out, code);
        else
            cf_out_put(out, (struct kp_text){text.bytes, len});
        len += len == 0;
        text = kp_text_from(text, len);
    }
}

void cf_out_put_shown(struct cf_out *out, struct kp_text text)
{
    put(out, text, "");
}

bool cf_print_text(FILE *to, struct kp_text text)
{
    struct cf_out out = {0};
    bool fine;

    put(&out, text, "\n\t");
    fine = out.len == 0 || fwrite(out.bytes, 1, out.len, to) == out.len;
    cf_out_deinit(&out);
    return fine;
}

/* ---- formats ------------------------------------------------------------------------------ */

enum { SPEC_MAX = 16 };

/* Its width is filled with blanks, on the right where `left`. */
static void put_string(struct cf_out *out, struct kp_text text, int width, bool left)
{
    struct cf_out shown = {0};

    cf_out_put_shown(&shown, text);
    cf_out_printf(out, "%*s", left || width < (int)shown.len ? 0 : width - (int)shown.len, "");
    cf_out_put(out, cf_out_text(&shown));
    cf_out_printf(out, "%*s", left && width > (int)shown.len ? width - (int)shown.len : 0, "");
    cf_out_deinit(&shown);
}

/* The conversion behind a percent sign.  Returns: what follows it. */
static const char *put_conversion(struct cf_out *out, const char *at, va_list *arguments)
{
    size_t len = strspn(at, "-0123456789.*lz");
    bool counted = strncmp(at, ".*", 2) == 0;
    char spec[SPEC_MAX] = "%";

    assert(len + 2 < sizeof spec);
    memcpy(spec + 1, at, len + 1);
    if (at[len] == 's') {
        int width = atoi(at + (*at == '-'));
        int bytes = counted ? va_arg(*arguments, int) : 0;
        const char *text = va_arg(*arguments, const char *);

        put_string(out, (struct kp_text){text, counted ? (size_t)bytes : strlen(text)}, width,
                   *at == '-');
    } else if (at[len] == '%') {
        cf_out_put_char(out, '%');
    } else if (strncmp(at + len - (len > 1 ? 2 : 0), "ll", 2) == 0) {
        cf_out_printf(out, spec, va_arg(*arguments, long long));
    } else if (len > 0 && at[len - 1] == 'z') {
        cf_out_printf(out, spec, va_arg(*arguments, size_t));
    } else {
        assert(strchr("dxuc", at[len]) != NULL);
        cf_out_printf(out, spec, va_arg(*arguments, int));
    }
    return at + len + 1;
}

void cf_vprint(FILE *to, const char *format, va_list *arguments)
{
    struct cf_out out = {0};

    while (*format) {
        size_t len = strcspn(format, "%");

        cf_out_put(&out, (struct kp_text){format, len});
        format += len;
        if (*format)
            format = put_conversion(&out, format + 1, arguments);
    }
    if (out.len > 0)
        fwrite(out.bytes, 1, out.len, to);
    cf_out_deinit(&out);
}

void cf_print(FILE *to, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    cf_vprint(to, format, &arguments);
    va_end(arguments);
}

void cf_print_colour(FILE *to, const char *colour)
{
    if (colour)
        fprintf(to, "\033[%sm", colour);
}
