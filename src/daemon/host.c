/* SPDX-License-Identifier: ISC */
/* The name under which this host writes rows into the database. */
#include "config.h"

#include "daemon/conf.h"
#include "daemon/host.h"

#include <errno.h>
#include <sys/utsname.h>

struct str
host_name(void)
{
	static char name[512];
	struct utsname u;

	if (uname(&u) != 0)
		panic("uname: %s", strerror(errno));
	snprintf(name, sizeof(name), "%s:%s", u.nodename, conf.run_directory);
	return str_of(name);
}
