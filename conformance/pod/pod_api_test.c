#include "conformance/pod/pod_api.h"

#include "core/rules/profile.h"
#include "fakes/unit.h"

static uint64_t add(uint64_t hash, const char *text)
{
    return kp_text_hash(kp_text_hash(hash, kp_text_of(text)), KP_TEXT(";"));
}

/* All that a row says of a field, in the order of the fields of its struct. */
static uint64_t hash_of(enum cf_api_type type, int minor, size_t *count)
{
    const struct cf_api_field *field = cf_api_fields(type);
    uint64_t hash = KP_HASH;
    size_t found = 0;

    for (; field->owner == type; field++) {
        const char digits[] = {(char)('0' + field->kind), (char)('0' + field->shape),
                               (char)('0' + field->empty), '\0'};

        if (!cf_api_has(field, minor))
            continue;
        found++;
        hash =
            add(add(add(hash, cf_api_type_name(type)), field->name), cf_api_type_name(field->of));
        hash = add(add(add(hash, field->go_type), field->embedded), digits);
    }
    *count += found;
    return found > 0 ? hash : 0;
}

/* The fields of k8s.io/api core/v1 and settings/v1alpha1 and of apimachinery meta/v1 that a Pod, a
 * PodTemplateSpec and a PodPreset lead to, 1.15 first: how many, and the sum of what their structs
 * hash to.  Read out of the Go declarations of each minor's last patch, not of our table:
 * conformance/oracle/fields.go. */
static void each_minor_has_its_fields(void)
{
    static const struct {
        size_t count;
        uint32_t sum;
    } wanted[] = {
        {460, 0x96185f8b}, {472, 0x779838bb}, {472, 0x779838bb}, {473, 0xc428c257},
        {493, 0x75fbf608}, {484, 0x584d7b0c}, {485, 0x64b5511a}, {488, 0xaee9b6fd},
        {493, 0xa360bceb}, {494, 0x7b488ac3}, {497, 0x2b9a8314}, {510, 0x24cbf3aa},
        {517, 0x5e493e99}, {524, 0xdad2f5a3}, {537, 0x3999f800}, {547, 0x5b20e424},
        {561, 0xb3b2f719}, {563, 0x30463ee7}, {567, 0x0a031235}, {592, 0xe6b7a5d4},
        {599, 0x70d8d210}, {605, 0x089146f8}, {634, 0x30f23c4f},
    };

    for (int minor = KP_MINOR_MIN; minor <= KP_MINOR_MAX; minor++) {
        size_t count = 0;
        uint64_t sum = 0;

        for (int type = CF_API_NONE + 1; type < CF_API_TYPES; type++)
            sum += hash_of((enum cf_api_type)type, minor, &count);
        CHECK_INT(count, wanted[minor - KP_MINOR_MIN].count);
        CHECK_INT((uint32_t)sum, wanted[minor - KP_MINOR_MIN].sum);
    }
}

const struct unit_test pod_api_test[] = {
    {"each minor has its fields", each_minor_has_its_fields},
    {0},
};
