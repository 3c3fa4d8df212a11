/* pod_time.c: the times of the API.  Upstream: metav1.Time, Go's time.Parse with RFC 3339. */
#include "conformance/pod/pod_tree.h"

#include "core/model/trace.h"

#include <stdlib.h>
#include <string.h>

#define NS_SECONDS_MAX INT64_C(9000000000)

/* Days since 1970-01-01 of a date of the Gregorian calendar. */
static int64_t days_from_date(int64_t year, int64_t month, int64_t day)
{
    int64_t era;
    int64_t year_of_era;
    int64_t day_of_year;

    year -= month <= 2;
    era = (year + 400) / 400 - 1; /* the year of a time is -2 at least */
    year_of_era = year - era * 400;
    day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return era * 146097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year -
           719468;
}

static int64_t month_days(int64_t year, int64_t month)
{
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;

    return month == 2 ? (leap ? 29 : 28) : 30 + ((month ^ month >> 3) & 1);
}

/* ---- reading ------------------------------------------------------------------------------------
 */

struct reading {
    struct kp_text rest;
    const char *element; /* of the layout, where the text is no such thing; NULL: none yet */
    const char *range;   /* what is out of its range; NULL: nothing yet */
    bool extra;          /* there is more than a time */
};

static bool is_digit(struct kp_text text, size_t at)
{
    return at < text.len && kp_is_digit(text.bytes[at]);
}

static void skip(struct reading *reading, size_t count)
{
    reading->rest.bytes += count;
    reading->rest.len -= count;
}

/* A number of so many digits, or of one less where it is `loose`. */
static bool take_number(struct reading *reading, size_t digits, bool loose, const char *element,
                        int64_t *value)
{
    size_t count = 0;

    *value = 0;
    while (count < digits && is_digit(reading->rest, count))
        *value = *value * 10 + (reading->rest.bytes[count++] - '0');
    if (count < digits - loose) {
        reading->element = element;
        return false;
    }
    skip(reading, count);
    return true;
}

static bool take_char(struct reading *reading, const char *character)
{
    if (reading->rest.len == 0 || reading->rest.bytes[0] != character[0]) {
        reading->element = character;
        return false;
    }
    skip(reading, 1);
    return true;
}

static bool is_within(struct reading *reading, int64_t value, int64_t least, int64_t most,
                      const char *what)
{
    if (value < least || value > most)
        reading->range = what;
    return reading->range == NULL;
}

static bool take_date(struct reading *reading, int64_t *year, int64_t *month, int64_t *day)
{
    return take_number(reading, 4, false, "2006", year) && take_char(reading, "-") &&
           take_number(reading, 2, false, "01", month) &&
           is_within(reading, *month, 1, 12, "month") && take_char(reading, "-") &&
           take_number(reading, 2, false, "02", day) && take_char(reading, "T");
}

static void take_fraction(struct reading *reading, int64_t *ns)
{
    int64_t unit = 100000000;

    *ns = 0;
    if (reading->rest.len == 0 ||
        (reading->rest.bytes[0] != '.' && reading->rest.bytes[0] != ',') ||
        !is_digit(reading->rest, 1))
        return;
    skip(reading, 1);
    for (; is_digit(reading->rest, 0); unit /= 10, skip(reading, 1))
        *ns += unit * (reading->rest.bytes[0] - '0');
}

static bool take_clock(struct reading *reading, int64_t *seconds, int64_t *ns)
{
    int64_t hour, minute, second;

    if (!take_number(reading, 2, true, "15", &hour) || !is_within(reading, hour, 0, 23, "hour") ||
        !take_char(reading, ":") || !take_number(reading, 2, false, "04", &minute) ||
        !is_within(reading, minute, 0, 59, "minute") || !take_char(reading, ":") ||
        !take_number(reading, 2, false, "05", &second) ||
        !is_within(reading, second, 0, 59, "second"))
        return false;
    take_fraction(reading, ns);
    *seconds = hour * 3600 + minute * 60 + second;
    return true;
}

static bool take_zone(struct reading *reading, int64_t *offset_s)
{
    struct kp_text rest = reading->rest;
    int64_t hours, minutes;

    *offset_s = 0;
    if (rest.len > 0 && rest.bytes[0] == 'Z') {
        skip(reading, 1);
        return true;
    }
    reading->element = "Z07:00";
    if (rest.len < 6 || rest.bytes[3] != ':' || !is_digit(rest, 1) || !is_digit(rest, 2) ||
        !is_digit(rest, 4) || !is_digit(rest, 5))
        return false;
    hours = 10 * (rest.bytes[1] - '0') + (rest.bytes[2] - '0');
    minutes = 10 * (rest.bytes[4] - '0') + (rest.bytes[5] - '0');
    (void)is_within(reading, hours, 0, 24, "time zone offset hour");
    (void)is_within(reading, minutes, 0, 60, "time zone offset minute"); /* it has the last word */
    if (reading->range || (rest.bytes[0] != '+' && rest.bytes[0] != '-'))
        return false;
    skip(reading, 6);
    *offset_s = (hours * 60 + minutes) * (rest.bytes[0] == '-' ? -60 : 60);
    return true;
}

static bool read_time(struct reading *reading, struct cf_time *time)
{
    int64_t year, month, day, seconds, offset_s;

    if (!take_date(reading, &year, &month, &day) ||
        !take_clock(reading, &seconds, &time->fraction_ns) || !take_zone(reading, &offset_s))
        return false;
    if (reading->rest.len > 0) {
        reading->extra = true;
        return false;
    }
    if (!is_within(reading, day, 1, month_days(year, month), "day"))
        return false;
    time->seconds = days_from_date(year, month, day) * 86400 + seconds - offset_s;
    return true;
}

bool cf_time_parse(struct kp_text text, struct cf_time *time)
{
    struct reading reading = {.rest = text};

    return read_time(&reading, time);
}

/* In quotes, as package time quotes. */
static void put_quoted(struct kp_buf *buf, struct kp_text text)
{
    static const char hex[] = "0123456789abcdef";

    kp_buf_put_char(buf, '"');
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.bytes[i];

        if (c >= 0x80 || c < ' ') {
            kp_buf_put(buf, KP_TEXT("\\x"));
            kp_buf_put_char(buf, hex[c / 16]);
            kp_buf_put_char(buf, hex[c % 16]);
            continue;
        }
        if (c == '"' || c == '\\')
            kp_buf_put_char(buf, '\\');
        kp_buf_put_char(buf, (char)c);
    }
    kp_buf_put_char(buf, '"');
}

static void put_fault(struct kp_buf *buf, struct kp_text text, const struct reading *reading)
{
    kp_buf_put(buf, KP_TEXT("parsing time "));
    put_quoted(buf, text);
    if (reading->range) {
        kp_buf_put(buf, KP_TEXT(": "));
        kp_buf_put(buf, kp_text_of(reading->range));
        kp_buf_put(buf, KP_TEXT(" out of range"));
    } else if (reading->extra) {
        kp_buf_put(buf, KP_TEXT(": extra text: "));
        put_quoted(buf, reading->rest);
    } else {
        kp_buf_put(buf, KP_TEXT(" as \"2006-01-02T15:04:05Z07:00\": cannot parse "));
        put_quoted(buf, reading->rest);
        kp_buf_put(buf, KP_TEXT(" as \""));
        kp_buf_put(buf, kp_text_of(reading->element));
        kp_buf_put_char(buf, '"');
    }
}

struct kp_text cf_time_fault(struct cf_arena *arena, struct kp_text text)
{
    struct reading reading = {.rest = text};
    struct kp_buf buf = {0};
    struct cf_time time;

    if (read_time(&reading, &time))
        return KP_TEXT_NONE;
    put_fault(&buf, text, &reading);
    buf = cf_arena_buf(arena, buf.need);
    if (!buf.bytes)
        return KP_TEXT_NONE;
    put_fault(&buf, text, &reading);
    return kp_buf_text(&buf);
}

int64_t cf_time_ns(struct kp_text text)
{
    struct cf_time time;

    if (!cf_time_parse(text, &time))
        return 0;
    if (time.seconds > NS_SECONDS_MAX)
        return NS_SECONDS_MAX * KP_NS_PER_S;
    if (time.seconds < -NS_SECONDS_MAX)
        return -NS_SECONDS_MAX * KP_NS_PER_S;
    return time.seconds * KP_NS_PER_S + time.fraction_ns;
}

/* ---- writing ------------------------------------------------------------------------------------
 */

struct kp_text cf_time_format(struct cf_arena *arena, const struct cf_time *time)
{
    int64_t days = time->seconds / 86400 - (time->seconds % 86400 < 0);
    int64_t rest = time->seconds - days * 86400;
    int64_t year = 1970 + (days < 0 ? days / 365 - 1 : days / 366); /* or an earlier one */
    int64_t month = 1;

    while (days_from_date(year + 1, 1, 1) <= days)
        year++;
    days -= days_from_date(year, 1, 1);
    while (days >= month_days(year, month))
        days -= month_days(year, month++);
    return cf_arena_format(arena, "%s%04lld-%02lld-%02lldT%02lld:%02lld:%02lldZ",
                           year < 0 ? "-" : "", llabs(year), (long long)month, (long long)days + 1,
                           (long long)(rest / 3600), (long long)(rest / 60 % 60),
                           (long long)(rest % 60));
}
