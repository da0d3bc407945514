/* SPDX-License-Identifier: ISC */
/* surfacectl doctor: what people need to sign in. */
#ifndef CLI_DOCTOR_PEOPLE_H
#define CLI_DOCTOR_PEOPLE_H

#include "cli/doctor/doctor.h"

void doctor_public_url(struct doctor *d);
void doctor_sealed(struct doctor *d);

#endif
