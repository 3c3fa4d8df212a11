#include "conformance/pod/pod_api.h"

#include "core/rules/profile.h"
#include "fakes/unit.h"

/* A preset and a template hold what a pod does; they are none. */
static bool is_of_a_pod(enum cf_api_type type)
{
    return type != CF_API_PodPreset && type != CF_API_PodPresetSpec &&
           type != CF_API_PodTemplateSpec;
}

/* The fields of types.go in k8s.io/api core/v1 and apimachinery meta/v1 that a Pod leads to, 1.15
 * first: how many, and the sum of what their names ("Container.image") hash to. */
static void each_minor_has_its_fields(void)
{
    static const struct {
        size_t count;
        uint32_t sum;
    } wanted[] = {
        {449, 0x69c6ed25}, {461, 0xb88fdada}, {461, 0xb88fdada}, {462, 0x843b5401},
        {482, 0xd5eb08d3}, {482, 0xd5eb08d3}, {483, 0x7a512843}, {486, 0x81b1551f},
        {491, 0x209c8414}, {492, 0x524f3817}, {495, 0x91bb1f16}, {508, 0x98c4da18},
        {515, 0x00c4dae0}, {522, 0xe2093cb0}, {535, 0xe069da19}, {545, 0x438a567f},
        {559, 0x8ff4b601}, {561, 0x7df58e30}, {565, 0x44668dbc}, {590, 0x82d3ae06},
        {597, 0x98b2ac14}, {603, 0xcb236ba1}, {632, 0xe6a027f5},
    };

    for (int minor = KP_MINOR_MIN; minor <= KP_MINOR_MAX; minor++) {
        size_t count = 0;
        uint64_t sum = 0;

        for (int type = CF_API_NONE + 1; type < CF_API_TYPES; type++) {
            const struct cf_api_field *field = cf_api_fields((enum cf_api_type)type);
            struct kp_text owner = kp_text_of(cf_api_type_name((enum cf_api_type)type));

            for (; field->owner == (enum cf_api_type)type; field++)
                if (cf_api_has(field, minor) && is_of_a_pod(field->owner)) {
                    count++;
                    sum += kp_text_hash(kp_text_hash(kp_text_hash(KP_HASH, owner), KP_TEXT(".")),
                                        kp_text_of(field->name));
                }
        }
        CHECK_INT(count, wanted[minor - KP_MINOR_MIN].count);
        CHECK_INT((uint32_t)sum, wanted[minor - KP_MINOR_MIN].sum);
    }
}

const struct unit_test pod_api_test[] = {
    {"each minor has its fields", each_minor_has_its_fields},
    {0},
};
