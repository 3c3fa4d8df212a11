#include "core/api/field_error.h"
#include "fakes/unit.h"

static void check_line(struct kp_field_error error, const char *k8s, const char *want)
{
    static const struct kp_path path = {.name = "f"};
    char storage[100];
    struct kp_buf buf = {storage, sizeof storage, 0};
    struct kp_profile profile = unit_profile(k8s);

    error.path = &path;
    error.type = KP_FIELD_ERROR_INVALID;
    kp_field_error_put(&buf, &profile, &error);
    CHECK_TEXT(kp_buf_text(&buf), kp_text_of(want));
}

/* Where Go prints a struct the cases are no judge: there are addresses in it. */
static void a_raw_value_is_printed_as_it_stands(void)
{
    check_line((struct kp_field_error){.value = KP_VALUE_RAW, .text = KP_TEXT("core.Probe{...}")},
               "1.24", "f: Invalid value: core.Probe{...}");
    check_line((struct kp_field_error){.value = KP_VALUE_STRING, .text = KP_TEXT("a&b")}, "1.36",
               "f: Invalid value: \"a&b\"");
}

/* No pod can say them; encoding/json replaces them one by one. */
static void bytes_that_are_no_utf_8_are_replaced(void)
{
    check_line((struct kp_field_error){.value = KP_VALUE_NAMED, .text = {"a\xe2\x80\xa8", 3}},
               "1.36", "f: Invalid value: \"a\\ufffd\\ufffd\"");
}

static void control_characters_are_escaped_as_json_does(void)
{
    check_line(
        (struct kp_field_error){.value = KP_VALUE_NAMED, .text = KP_TEXT("\b\f\n\r\t\"\\\x01")},
        "1.36", "f: Invalid value: \"\\b\\f\\n\\r\\t\\\"\\\\\\u0001\"");
}

/* Only %d is a place for a number. */
static void a_per_cent_sign_is_printed_as_it_stands(void)
{
    check_line((struct kp_field_error){.value = KP_VALUE_RAW,
                                       .text = KP_TEXT("7"),
                                       .detail = "%x of %d %",
                                       .detail_number = 12},
               "1.36", "f: Invalid value: 7: %x of 12 %");
}

/* As the causes of a Status name them. */
static void types_have_the_names_of_causes(void)
{
    static const char *const names[] = {
        [KP_FIELD_ERROR_REQUIRED] = "FieldValueRequired",
        [KP_FIELD_ERROR_INVALID] = "FieldValueInvalid",
        [KP_FIELD_ERROR_FORBIDDEN] = "FieldValueForbidden",
        [KP_FIELD_ERROR_NOT_SUPPORTED] = "FieldValueNotSupported",
        [KP_FIELD_ERROR_DUPLICATE] = "FieldValueDuplicate",
        [KP_FIELD_ERROR_NOT_FOUND] = "FieldValueNotFound",
        [KP_FIELD_ERROR_TOO_LONG] = "FieldValueTooLong",
        [KP_FIELD_ERROR_TOO_MANY] = "FieldValueTooMany",
    };

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (names[i])
            CHECK_STRING(kp_field_error_type_name((enum kp_field_error_type)i), names[i]);
}

const struct unit_test field_error_test[] = {
    {"types have the names of causes", types_have_the_names_of_causes},
    {"a raw value is printed as it stands", a_raw_value_is_printed_as_it_stands},
    {"bytes that are no UTF-8 are replaced", bytes_that_are_no_utf_8_are_replaced},
    {"control characters are escaped as JSON does", control_characters_are_escaped_as_json_does},
    {"a per cent sign is printed as it stands", a_per_cent_sign_is_printed_as_it_stands},
    {0},
};
