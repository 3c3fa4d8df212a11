/* yaml_hint.h: what is wrong with YAML that does not parse, in the words of who wrote it. */
#pragma once

#include "conformance/text/node.h"

/*
 * Put a parser's error otherwise where it is sure what was meant: a template, a tab, a line
 * that stands in no object's column, a colon too many.  Else it stays.
 *
 * bytes:  the whole text.
 * fault:  message and place; go_text stays.
 */
void cf_yaml_hint(struct cf_arena *arena, struct kp_text bytes, struct cf_fault *fault);
