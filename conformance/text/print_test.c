#include "conformance/text/print.h"

#include "fakes/unit.h"

static struct kp_text read_back(FILE *file, char *bytes, size_t size)
{
    rewind(file);
    return (struct kp_text){bytes, fread(bytes, 1, size, file)};
}

static void what_a_terminal_obeys_is_shown(void)
{
    const struct {
        struct kp_text text;
        const char *shown;
    } rows[] = {
        {KP_TEXT("\033]0;OWNED\007\033[31m"), "\\u001b]0;OWNED\\u0007\\u001b[31m"},
        {KP_TEXT("a\nb\tc\r\n"), "a\\nb\\tc\\r\\n"},
        {KP_TEXT("a\0b"), "a\\u0000b"},
        {KP_TEXT("\x7f\xc2\x80\xc2\x9b"
                 "31m\xc2\x9f\xc2\xa0"),
         "\\u007f\\u0080\\u009b31m\\u009f\xc2\xa0"},
        {KP_TEXT("\xe2\x80\x8d\xe2\x80\x8e\xe2\x80\xae\xe2\x81\xa6\xe2\x81\xaa"),
         "\xe2\x80\x8d\\u200e\\u202e\\u2066\xe2\x81\xaa"},
        {KP_TEXT("\xff\x9b\xc3"), "\\xff\\x9b\\xc3"},
        {KP_TEXT("gr\xc3\xbc\xc3\x9f dich \xf0\x9f\x90\xb3 \\d"),
         "gr\xc3\xbc\xc3\x9f dich \xf0\x9f\x90\xb3 \\d"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct cf_out out = {0};

        cf_out_put_shown(&out, rows[i].text);
        CHECK_TEXT(cf_out_text(&out), kp_text_of(rows[i].shown));
        cf_out_deinit(&out);
    }
}

static void formats_are_printfs(void)
{
    FILE *file = tmpfile();
    char bytes[256];

    if (!CHECK(file))
        return;
    cf_print(file, "\033[K%s: %.*s|%-6s|%6s|%2d|%zu|%lld|%c|%04x|100%%\n", "a\033b", 2, "cde", "x",
             "yz", 7, (size_t)8, -9LL, 'q', 255);
    CHECK_TEXT(read_back(file, bytes, sizeof bytes),
               KP_TEXT("\033[Ka\\u001bb: cd|x     |    yz| 7|8|-9|q|00ff|100%\n"));
    fclose(file);
}

static void lines_stay_lines(void)
{
    FILE *file = tmpfile();
    char bytes[64];

    if (!CHECK(file))
        return;
    CHECK(cf_print_text(file, KP_TEXT("a\tb\n\033c\r\n")));
    CHECK_TEXT(read_back(file, bytes, sizeof bytes), KP_TEXT("a\tb\n\\u001bc\\r\n"));
    fclose(file);
}

const struct unit_test print_test[] = {
    {"what a terminal obeys is shown", what_a_terminal_obeys_is_shown},
    {"formats are printf's", formats_are_printfs},
    {"lines stay lines", lines_stay_lines},
    {0},
};
