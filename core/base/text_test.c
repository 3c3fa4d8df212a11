#include "core/model/trace.h"
#include "fakes/unit.h"

struct scratch {
    char bytes[256];
    struct kp_buf buf;
};

static struct kp_buf *fresh(struct scratch *scratch)
{
    scratch->buf = (struct kp_buf){scratch->bytes, sizeof scratch->bytes, 0};
    return &scratch->buf;
}

static void durations_read_as_go_prints_them(void)
{
    static const struct {
        int64_t ns;
        const char *want;
    } rows[] = {
        {0, "0s"},
        {1, "1ns"},
        {999, "999ns"},
        {1000, "1\302\265s"},
        {1001, "1.001\302\265s"},
        {1500, "1.5\302\265s"},
        {999999, "999.999\302\265s"},
        {1000000, "1ms"},
        {2000000, "2ms"},
        {1000000001, "1.000000001s"},
        {1500000000, "1.5s"},
        {10 * KP_NS_PER_S, "10s"},
        {60 * KP_NS_PER_S, "1m0s"},
        {160 * KP_NS_PER_S, "2m40s"},
        {3600 * KP_NS_PER_S, "1h0m0s"},
        {-90 * KP_NS_PER_S, "-1m30s"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct scratch scratch;

        kp_buf_put_duration(fresh(&scratch), rows[i].ns);
        CHECK_TEXT(kp_buf_text(&scratch.buf), kp_text_of(rows[i].want));
    }
}

static void parts_are_found_at_their_place(void)
{
    const struct kp_text text = KP_TEXT("a: b: c");

    CHECK(kp_text_begins(text, "a:") && kp_text_begins(text, "") && !kp_text_begins(text, "b"));
    CHECK(kp_text_ends(text, ": c") && kp_text_ends(text, "") && !kp_text_ends(text, "b"));
    CHECK(kp_text_begins(text, "a: b: c") && kp_text_ends(text, "a: b: c"));
    CHECK(!kp_text_begins(text, "a: b: cd") && !kp_text_ends(text, "0a: b: c"));
    CHECK(!kp_text_begins(KP_TEXT_NONE, "a") && !kp_text_ends(KP_TEXT_NONE, "a"));
    CHECK_INT(kp_text_find(text, KP_TEXT(": ")), 1);
    CHECK_INT(kp_text_find(text, KP_TEXT("c")), 6);
    CHECK_INT(kp_text_find(text, KP_TEXT("d")), 7);
    CHECK_INT(kp_text_find(text, KP_TEXT("a: b: cd")), 7);
    CHECK(kp_text_has(text, "b:") && !kp_text_has(text, "b;") && !kp_text_has(KP_TEXT_NONE, "a"));
    CHECK_TEXT(kp_text_from(text, 3), KP_TEXT("b: c"));
    CHECK_TEXT(kp_text_from(text, 7), KP_TEXT(""));
}

static void a_number_is_digits_alone_up_to_the_most(void)
{
    static const struct {
        const char *text;
        uint64_t most;
        bool is_one;
        uint64_t number;
    } rows[] = {
        {"0", 0, true, 0},
        {"1", 0, false, 7},
        {"007", 9, true, 7},
        {"9", 9, true, 9},
        {"10", 9, false, 7},
        {"2147483647", INT32_MAX, true, INT32_MAX},
        {"2147483648", INT32_MAX, false, 7},
        {"2147483650", INT32_MAX, false, 7},
        {"18446744073709551615", UINT64_MAX, true, UINT64_MAX},
        {"18446744073709551616", UINT64_MAX, false, 7},
        {"18446744073709551620", UINT64_MAX, false, 7},
        {"184467440737095516150", UINT64_MAX, false, 7},
        {"", 9, false, 7},
        {"-1", 9, false, 7},
        {"+1", 9, false, 7},
        {"1 ", 9, false, 7},
        {"1:", 99, false, 7},
        {"/1", 99, false, 7},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint64_t number = 7;

        CHECK_INT(kp_text_number(kp_text_of(rows[i].text), rows[i].most, &number), rows[i].is_one);
        CHECK(number == rows[i].number);
    }
}

static void leading_digits_are_counted(void)
{
    CHECK_INT(kp_text_digits(KP_TEXT("0190")), 4);
    CHECK_INT(kp_text_digits(KP_TEXT("12/3")), 2);
    CHECK_INT(kp_text_digits(KP_TEXT(":1")), 0);
    CHECK_INT(kp_text_digits(KP_TEXT_NONE), 0);
}

static void blanks_are_cut_at_both_ends(void)
{
    CHECK_TEXT(kp_text_trim(KP_TEXT(" \ta b\t "), " \t"), KP_TEXT("a b"));
    CHECK_TEXT(kp_text_trim(KP_TEXT(" a\n"), " "), KP_TEXT("a\n"));
    CHECK_TEXT(kp_text_trim(KP_TEXT("a\0"), " "), KP_TEXT("a\0"));
    CHECK_TEXT(kp_text_trim(KP_TEXT("  "), " "), KP_TEXT(""));
    CHECK_TEXT(kp_text_trim(KP_TEXT_NONE, " "), KP_TEXT(""));
}

static void a_full_buffer_counts_and_drops(void)
{
    char small[16] = "....!";
    struct kp_buf buf = {small, 4, 0};

    for (int i = 0; i < 3; i++)
        kp_buf_put(&buf, KP_TEXT("abc"));
    CHECK_INT(buf.need, 9);
    CHECK_STRING(small, "abca!");
    buf.need = 0;
    kp_buf_put_int(&buf, INT64_MIN);
    CHECK_INT(buf.need, 20);
    CHECK_TEXT(kp_buf_text(&buf), KP_TEXT("-922"));
    buf = (struct kp_buf){small, 4, 4};
    kp_buf_put_char(&buf, 'x');
    CHECK_INT(buf.need, 5);
    CHECK_INT(small[4], '!');
}

static void messages_are_said_part_by_part(void)
{
    static const struct kp_text words[] = {{"cat", 3}, {"/tmp/\"x", 7}};
    const struct kp_text_list argv = {words, 2};
    struct kp_message message = {0};
    struct scratch scratch;

    kp_message_add(&message, KP_TEXT("command timed out: "));
    kp_message_add_argv(&message, &argv);
    kp_message_add(&message, KP_TEXT(" timed out after "));
    kp_message_add_duration(&message, KP_NS_PER_S);
    kp_message_put(fresh(&scratch), &message);
    CHECK_TEXT(kp_buf_text(&scratch.buf),
               KP_TEXT("command timed out: \"cat /tmp/\\\"x\" timed out after 1s"));
}

static void letters_of_ascii_are_equal_in_either_case(void)
{
    CHECK(kp_text_equal_any_case(KP_TEXT("Content-TYPE"), "content-type"));
    CHECK(!kp_text_equal_any_case(KP_TEXT("content-type"), "content-typ"));
    CHECK(!kp_text_equal_any_case(KP_TEXT("content-typ"), "content-type"));
    CHECK(!kp_text_equal_any_case(KP_TEXT("a\0b"), "a"));
    CHECK(kp_text_equal_any_case(KP_TEXT("AMZ"), "amz"));
    CHECK(!kp_text_equal_any_case(KP_TEXT("@["), "`{")); /* beside the letters */
    CHECK(!kp_text_equal_any_case(KP_TEXT("\xc3\x84"), "\xc3\xa4"));
    CHECK(kp_text_equal_any_case(KP_TEXT_NONE, ""));
}

static void a_text_is_cut_at_the_first_of_a_byte(void)
{
    static const struct {
        struct kp_text text;
        bool has_it;
        const char *head, *tail;
    } rows[] = {
        {{"a:b:c", 5}, true, "a", "b:c"}, {{":b", 2}, true, "", "b"}, {{"ab:", 3}, true, "ab", ""},
        {{"ab:", 2}, false, "ab", ""},    {{NULL, 0}, false, "", ""},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kp_text head;
        struct kp_text tail = KP_TEXT("before");

        CHECK_INT(kp_text_cut(rows[i].text, ':', &head, &tail), rows[i].has_it);
        CHECK_TEXT(head, kp_text_of(rows[i].head));
        CHECK_TEXT(tail, kp_text_of(rows[i].tail));
    }
}

static void a_text_is_cut_into_lines(void)
{
    struct kp_text left = KP_TEXT("a\n\nb\r\nc");
    struct kp_text line;

    CHECK_INT(kp_text_count_lines(left), 4);
    CHECK(kp_text_next_line(&left, &line) && kp_text_equal(line, KP_TEXT("a")));
    CHECK(kp_text_next_line(&left, &line) && kp_text_equal(line, KP_TEXT("")));
    CHECK(kp_text_next_line(&left, &line) && kp_text_equal(line, KP_TEXT("b\r")));
    CHECK(kp_text_next_line(&left, &line) && kp_text_equal(line, KP_TEXT("c")));
    CHECK(!kp_text_next_line(&left, &line));
    left = KP_TEXT("a\n");
    CHECK(kp_text_next_line(&left, &line) && !kp_text_next_line(&left, &line));
}

static void hexadecimal_digits_have_values(void)
{
    static const char digits[] = "0123456789abcdefABCDEF";

    for (int i = 0; digits[i]; i++)
        CHECK_INT(kp_hex_value(digits[i]), i < 16 ? i : i - 6);
    for (const char *other = "/:@G`g"; *other; other++)
        CHECK_INT(kp_hex_value(*other), -1);
}

static void lines_are_counted_by_their_ends(void)
{
    CHECK_INT(kp_text_count_lines(KP_TEXT("")), 1);
    CHECK_INT(kp_text_count_lines(KP_TEXT("a")), 1);
    CHECK_INT(kp_text_count_lines(KP_TEXT("a\nb")), 2);
    CHECK_INT(kp_text_count_lines(KP_TEXT("\na\n")), 3);
}

static void a_word_is_one_of_several(void)
{
    static const char *const several[] = {"a", "b", NULL};

    CHECK(kp_text_is_one_of(KP_TEXT("a"), several));
    CHECK(kp_text_is_one_of(KP_TEXT("b"), several));
    CHECK(!kp_text_is_one_of(KP_TEXT("c"), several));
}

const struct unit_test text_test[] = {
    {"a word is one of several", a_word_is_one_of_several},
    {"lines are counted by their ends", lines_are_counted_by_their_ends},
    {"a text is cut at the first of a byte", a_text_is_cut_at_the_first_of_a_byte},
    {"a text is cut into lines", a_text_is_cut_into_lines},
    {"hexadecimal digits have values", hexadecimal_digits_have_values},
    {"durations read as Go prints them", durations_read_as_go_prints_them},
    {"parts are found at their place", parts_are_found_at_their_place},
    {"leading digits are counted", leading_digits_are_counted},
    {"a number is digits alone, up to the most", a_number_is_digits_alone_up_to_the_most},
    {"blanks are cut at both ends", blanks_are_cut_at_both_ends},
    {"a full buffer counts and drops", a_full_buffer_counts_and_drops},
    {"messages are said part by part", messages_are_said_part_by_part},
    {"letters of ASCII are equal in either case", letters_of_ascii_are_equal_in_either_case},
    {0},
};
