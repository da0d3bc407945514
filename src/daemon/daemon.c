/* SPDX-License-Identifier: ISC */
/* daemon_main: from the command line to a running master. Every fault that -t or a reload must find
   is found here, before the master owns anything. */
#include "config.h"

#include "daemon/conf.h"
#include "daemon/daemon_priv.h"
#include "daemon/journal.h"

#include <pwd.h>
#include <sys/stat.h>

/* Checked in the master, because a worker that cannot become conf.user would be restarted for
   ever. */
static bool
user_is_known(char *err, size_t room)
{
	if (conf.user[0] == '\0' || getpwnam(conf.user) != NULL)
		return true;
	snprintf(err, room, "user %s is unknown", conf.user);
	return false;
}

/* Reads the configuration and the pools. A daemon without pools gets one pool of one worker and no
   socket. */
static bool
load_settings(
    const struct daemon *d, const char *file, struct pool *pools, size_t *n, char *err, size_t room)
{
	if (!conf_load(d->name, file, err, room) || !user_is_known(err, room) ||
	    (d->check != NULL && !d->check(err, room)))
		return false;
	if (d->pools != NULL)
		return d->pools(pools, n, err, room);
	pools[0] = (struct pool){ .workers = 1 };
	snprintf(pools[0].name, sizeof(pools[0].name), "%s", d->name);
	*n = 1;
	return true;
}

int
daemon_main(int argc, char **argv, const struct daemon *d)
{
	static struct pool pools[POOLS_MAX];
	static struct inherited inherited;
	struct options o;
	char err[512] = "";
	int status = options_take(d, argc, argv, &o);
	size_t n = 0;

	umask(027);
	journal_use();
	if (status >= 0)
		return status;
	if (o.dump != NULL)
		return d->dump(d->name, o.dump);
	while (!load_settings(d, o.file, pools, &n, err, sizeof(err))) {
		log_event(LOGP_ERR, "config", "why=\"%s\"", err);
		if (o.test || !inherited_pause())
			return 1;
	}
	if (o.test)
		return printf("%s: the configuration is good\n", d->name) < 0;
	inherited_read(&inherited);
	return master_run(d, argv, pools, n, &inherited);
}
