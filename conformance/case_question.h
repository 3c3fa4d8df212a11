/* case_question.h: cases of one question and one answer: layers port, check and actions. */
#ifndef CF_CASE_QUESTION_H
#define CF_CASE_QUESTION_H

#include "conformance/case_read.h"

void cf_case_read_question(struct cf_reading *reading, struct cf_case *item);

#endif
