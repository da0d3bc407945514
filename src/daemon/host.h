/* SPDX-License-Identifier: ISC */
/* The name of this host in the database, for programs whose rows belong to a machine. */
#ifndef DAEMON_HOST_H
#define DAEMON_HOST_H

#include "base/base.h"

/* "machine:run_directory". A copy of the installation on another machine, or a second one on the
   same machine, has another name. The text is static. */
struct str host_name(void);

/* The name of this machine's index in the table search_feed: "machine:index_directory", of both the
   first bytes. The text is static. */
struct str host_index(void);

#endif
