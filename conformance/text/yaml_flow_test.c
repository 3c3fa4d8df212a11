#include "conformance/text/yaml_flow.h"

#include "fakes/unit.h"

/* A byte order mark is no character of the document; what is not there is at its end. */
static void characters_have_offsets(void)
{
    static const struct {
        const char *text;
        size_t index;
        size_t offset;
    } rows[] = {
        {"", 0, 0},
        {"ab", 0, 0},
        {"ab", 1, 1},
        {"ab", 2, 2},
        {"ab", 7, 2},
        {"\xc3\xa9\xe2\x82\xacx", 1, 2},
        {"\xc3\xa9\xe2\x82\xacx", 2, 5},
        {"\xef\xbb\xbf", 0, 3},
        {"\xef\xbb\xbf"
         "ab",
         0, 3},
        {"\xef\xbb\xbf"
         "ab",
         1, 4},
        {"\xef\xbb\xbe"
         "a",
         1, 3},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        CHECK_INT(cf_flow_offset(kp_text_of(rows[i].text), rows[i].index), rows[i].offset);
}

/* UTF-8 of the characters from U+E000 up to this one. */
static size_t put_private(char *text, int last)
{
    size_t len = 0;

    for (int code = 0xE000; code <= last; code++) {
        text[len++] = (char)(0xE0 | code >> 12);
        text[len++] = (char)(0x80 | (code >> 6 & 0x3F));
        text[len++] = (char)(0x80 | (code & 0x3F));
    }
    return len;
}

static void the_first_character_that_is_free_stands_for_a_colon(void)
{
    static const struct {
        int last;
        const char *stand_in;
    } rows[] = {
        {0, "\xee\x80\x80"},      {0xE000, "\xee\x80\x81"}, {0xE03E, "\xee\x80\xbf"},
        {0xE03F, "\xee\x81\x80"}, {0xE0FF, "\xee\x84\x80"}, {0xEFFF, "\xef\x80\x80"},
        {0xF8FE, "\xef\xa3\xbf"}, {0xF8FF, NULL},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct cf_arena arena = {.mem = cf_libc_mem()};
        static char text[3 * 6400 + 1];
        size_t len = put_private(text, rows[i].last);
        struct cf_colons colons = {.bytes = {text, len + 1}};
        bool hidden;

        text[len] = ':';
        hidden = cf_colons_hide(&colons, &arena, len / 3);
        CHECK_INT(hidden, rows[i].stand_in != NULL);
        if (rows[i].stand_in) {
            CHECK_STRING(colons.stand_in, rows[i].stand_in);
            CHECK_INT(colons.bytes.len, len + 3);
            CHECK_STRING(colons.bytes.bytes + len, rows[i].stand_in);
        } else {
            CHECK(!cf_colons_hide(&colons, &arena, len / 3));
            CHECK_INT(colons.bytes.len, len + 1);
        }
        cf_arena_deinit(&arena);
    }
}

static void only_a_colon_is_hidden(void)
{
    static const struct {
        struct kp_text text;
        size_t index;
        const char *hidden;
    } rows[] = {
        {{"a:b:c", 5},
         1,
         "a\xee\x80\x80"
         "b:c"},
        {{"a:b:c", 5},
         3,
         "a:b\xee\x80\x80"
         "c"},
        {{":", 1}, 0, "\xee\x80\x80"},
        {{"\xc3\xa9:", 3}, 1, "\xc3\xa9\xee\x80\x80"},
        {{"a:b", 3}, 2, NULL},
        {{"a:", 1}, 1, NULL},
        {{"a:", 2}, 9, NULL},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct cf_arena arena = {.mem = cf_libc_mem()};
        struct cf_colons colons = {.bytes = rows[i].text};

        CHECK_INT(cf_colons_hide(&colons, &arena, rows[i].index), rows[i].hidden != NULL);
        CHECK_TEXT(colons.bytes, rows[i].hidden ? kp_text_of(rows[i].hidden) : rows[i].text);
        cf_arena_deinit(&arena);
    }
}

static void a_document_is_read_so_often(void)
{
    for (size_t more = 0; more < 2; more++) {
        struct cf_arena arena = {.mem = cf_libc_mem()};
        struct cf_colons colons = {.bytes = KP_TEXT("a:"),
                                   .read_bytes = CF_COLONS_BYTES_MAX - 2 + more};

        CHECK_INT(cf_colons_hide(&colons, &arena, 1), more == 0);
        cf_arena_deinit(&arena);
    }
}

static void what_was_hidden_is_shown(void)
{
    static const char *const rows[][2] = {
        {"", ""},
        {"a", "a"},
        {"\xee\x80\x80", ":"},
        {"ab\xee\x80\x80", "ab:"},
        {"\xee\x80\x80"
         "a\xee\x80\x80\xee\x80\x80"
         "bcd",
         ":a::bcd"},
        {"\xee\x80\x81\xee\x80", "\xee\x80\x81\xee\x80"},
    };
    const struct cf_colons colons = {.stand_in = "\xee\x80\x80"};
    const struct cf_colons none = {0};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct cf_arena arena = {.mem = cf_libc_mem()};
        struct kp_text text = kp_text_of(rows[i][0]);
        struct kp_text shown = cf_colons_show(&colons, &arena, text);

        CHECK_TEXT(shown, kp_text_of(rows[i][1]));
        CHECK_INT(shown.bytes[shown.len], 0);
        CHECK_TEXT(cf_colons_show(&none, &arena, text), text);
        cf_arena_deinit(&arena);
    }
}

const struct unit_test yaml_flow_test[] = {
    {"characters have offsets", characters_have_offsets},
    {"the first character that is free stands for a colon",
     the_first_character_that_is_free_stands_for_a_colon},
    {"only a colon is hidden", only_a_colon_is_hidden},
    {"a document is read so often", a_document_is_read_so_often},
    {"what was hidden is shown", what_was_hidden_is_shown},
    {0},
};
