/* SPDX-License-Identifier: ISC */
/* From a command line to a running master: options, configuration, pools. */
#include "config.h"

#include "base/daemon_priv.h"

#include <fcntl.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

struct options {
	const char *file; /* NULL: defaults alone */
	const char *dump;
	bool test, version;
};

static int
usage(const struct daemon *d)
{
	fprintf(stderr, "usage: %s [-tV] [-c file]%s\n", d->name,
	    d->dump != NULL ? " [-D what]" : "");
	return 2;
}

static bool
read_options(int argc, char **argv, struct options *o)
{
	int c;

	while ((c = getopt(argc, argv, "c:D:tV")) != -1)
		switch (c) {
		case 'c':
			o->file = optarg;
			break;
		case 'D':
			o->dump = optarg;
			break;
		case 't':
			o->test = true;
			break;
		case 'V':
			o->version = true;
			break;
		default: /* getopt has said what is wrong */
			return false;
		}
	return optind == argc;
}

/* A relative name would mean another file after a chdir of the caller's successor. */
static const char *
default_file(const struct daemon *d, char *room, size_t n)
{
	if ((size_t)snprintf(room, n, "%s/%s.conf", SYSCONFDIR, d->name) >= n)
		panic("the configuration file's name is too long");
	return access(room, F_OK) == 0 ? room : NULL;
}

/* Here, not in every worker again and again. */
static bool
user_is_known(char *err, size_t room)
{
	if (conf.user[0] == '\0' || getpwnam(conf.user) != NULL)
		return true;
	snprintf(err, room, "user %s is unknown", conf.user);
	return false;
}

/* A daemon without pools is one worker that listens on nothing. */
static bool
prepare(const struct daemon *d, const char *file, struct pool *pools, size_t *n,
    char *err, size_t room)
{
	if (!conf_load(file, err, room) || !user_is_known(err, room) ||
	    (d->check != NULL && !d->check(err, room)))
		return false;
	if (d->pools != NULL)
		return d->pools(pools, n, err, room);
	pools[0] = (struct pool){ .workers = 1 };
	snprintf(pools[0].name, sizeof(pools[0].name), "%s", d->name);
	*n = 1;
	return true;
}

/* So that no descriptor of ours becomes stdin, stdout or stderr. */
static void
hold_standard_descriptors(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	while (fd >= 0 && fd <= STDERR_FILENO && fcntl(fd, F_SETFD, 0) == 0);
	if (fd >= 0)
		close(fd);
}

int
daemon_main(int argc, char **argv, const struct daemon *d)
{
	static struct pool pools[POOLS_MAX];
	static struct heritage heritage;
	struct options o = { 0 };
	char path[4096], err[512] = "";
	size_t n = 0;

	hold_standard_descriptors();
	umask(027);
	o.file = default_file(d, path, sizeof(path));
	if (!read_options(argc, argv, &o) || (o.dump != NULL && d->dump == NULL))
		return usage(d);
	if (o.version)
		return printf("%s %s\n", d->name, PACKAGE_VERSION) < 0;
	if (o.dump != NULL)
		return d->dump(o.dump);
	while (!prepare(d, o.file, pools, &n, err, sizeof(err))) {
		log_event(LOGP_ERR, "config", "why=\"%s\"", err);
		if (o.test || !heritage_pause())
			return 1;
	}
	if (o.test)
		return printf("%s: the configuration is good\n", d->name) < 0;
	heritage_take(&heritage);
	return master_run(d, argv, pools, n, &heritage);
}
