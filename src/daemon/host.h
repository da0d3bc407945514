/* SPDX-License-Identifier: ISC */
/* The name of this host in the database. */
#ifndef DAEMON_HOST_H
#define DAEMON_HOST_H

#include "base/base.h"

/* "machine:run_directory": what is restored elsewhere is another one. Static. */
struct str host_name(void);

#endif
