/* SPDX-License-Identifier: ISC */
/* The name under which this host writes rows into the database. */
#include "config.h"

#include "daemon/conf.h"
#include "daemon/host.h"

#include <errno.h>
#include <sys/utsname.h>

static struct utsname
machine(void)
{
	struct utsname u;

	if (uname(&u) != 0)
		panic("uname: %s", strerror(errno));
	return u;
}

struct str
host_name(void)
{
	static char name[512];

	snprintf(name, sizeof(name), "%s:%s", machine().nodename, conf.run_directory);
	return str_of(name);
}

struct str
host_index(void)
{
	static char name[100];

	snprintf(name, sizeof(name), "%.32s:%.60s", machine().nodename, conf.index_directory);
	return str_of(name);
}
