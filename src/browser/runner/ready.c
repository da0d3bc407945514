/* SPDX-License-Identifier: ISC */
#include "config.h"

#include "browser/runner/ready.h"
#include "browser/runner/runner.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

bool
browser_may_run(char *err, size_t room)
{
	if (geteuid() == 0) {
		snprintf(err, room, "browsers are never run as root: set user in "
				    "surfaced-dispatch.conf(5)");
		return false;
	}
	if (access(conf.bubblewrap, X_OK) != 0) {
		snprintf(err, room,
		    "%s: %s; install the package bubblewrap, or set bubblewrap in "
		    "surfaced.conf(5)",
		    conf.bubblewrap, strerror(errno));
		return false;
	}
	return true;
}

int
ready_check(void)
{
	return 0;
}
