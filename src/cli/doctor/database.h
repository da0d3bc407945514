/* SPDX-License-Identifier: ISC */
/* The checks of the database that have files of their own. */
#ifndef CLI_DOCTOR_DATABASE_H
#define CLI_DOCTOR_DATABASE_H

#include "cli/doctor/doctor.h"

/* The advice for the message of a failed connection; file: the program whose configuration has the
   conninfo. */
struct advice doctor_login_advice(
    struct doctor *d, const char *conninfo, const char *why, const char *file);
/* Logs in as each daemon. */
void doctor_logins(struct doctor *d);
/* Checks the disk of a server on this machine, and whether the server can store rows. */
void doctor_storing(struct doctor *d);

#endif
