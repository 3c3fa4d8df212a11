#include "conformance/pod/pod_api.h"

#include "core/rules/profile.h"

enum { NOW = KP_MINOR_MAX };

static const struct cf_api_field fields[] = {
#define TYPE(name)
#define FIELD(type, name, kind, shape, of, go_type, empty, since, until, embedded)                 \
    {CF_API_##type, name,           CF_API_##kind, CF_API_##shape, of,                             \
     go_type,       CF_API_##empty, since,         until,          embedded},
#include "conformance/pod/pod_api.def"
#include "conformance/pod/pod_api_volumes.def"
#undef TYPE
#undef FIELD
    {CF_API_NONE, "", CF_API_RAW, CF_API_ONE, CF_API_NONE, "", CF_API_KEEP, 0, 0, ""},
};

static const char *const type_names[] = {
    "",
#define TYPE(name) #name,
#define FIELD(type, name, kind, shape, of, go_type, empty, since, until, embedded)
#include "conformance/pod/pod_api.def"
#include "conformance/pod/pod_api_volumes.def"
#undef TYPE
#undef FIELD
};

const struct cf_api_field *cf_api_fields(enum cf_api_type type)
{
    size_t low = 0;
    size_t high = sizeof fields / sizeof fields[0] - 1;

    /* The rows stand in the order of the types. */
    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (fields[middle].owner < type)
            low = middle + 1;
        else
            high = middle;
    }
    return &fields[low];
}

bool cf_api_has(const struct cf_api_field *field, int minor)
{
    return minor >= field->since && minor <= field->until;
}

const struct cf_api_field *cf_api_find(enum cf_api_type type, struct kp_text name, int minor)
{
    if (name.len == 0)
        return NULL;
    for (const struct cf_api_field *field = cf_api_fields(type); field->owner == type; field++)
        if (field->name[0] == name.bytes[0] && cf_api_has(field, minor) &&
            kp_text_equal(name, kp_text_of(field->name)))
            return field;
    return NULL;
}

const char *cf_api_type_name(enum cf_api_type type)
{
    return type_names[type];
}
