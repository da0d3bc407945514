/* SPDX-License-Identifier: ISC */
/* surfacectl doctor: the check of surfaced-detect. */
#ifndef CLI_DOCTOR_DETECT_H
#define CLI_DOCTOR_DETECT_H

#include "cli/doctor/doctor.h"

void doctor_detection(struct doctor *d);
void doctor_fingerprints(struct doctor *d);

#endif
