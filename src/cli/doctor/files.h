/* SPDX-License-Identifier: ISC */
/* Checks of secret files. */
#ifndef CLI_DOCTOR_FILES_H
#define CLI_DOCTOR_FILES_H

#include "cli/doctor/doctor.h"

void doctor_secrets(struct doctor *d);
/* Whether the workers have read the present secret; after the check of the daemons. */
void doctor_unread_secret(struct doctor *d);

#endif
