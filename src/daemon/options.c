/* SPDX-License-Identifier: ISC */
/* The command line of a daemon, or of a program with the same options (surfaced-index,
   surfaced-runner). */
#include "config.h"

#include "daemon/daemon.h"

#include <fcntl.h>
#include <unistd.h>

static int
print_usage(const struct daemon *d, FILE *out)
{
	fprintf(out, "usage: %s [-tV] [-c file]%s%s\n", d->name,
	    d->dump != NULL ? " [-D what [of]]" : "", d->usage != NULL ? d->usage : "");
	return 2;
}

/* True for "PROGRAM --help" and the like: long options are accepted alone, for people at a
   terminal. */
static bool
is_long_option(int argc, char **argv, const char *option)
{
	return argc == 2 && strcmp(argv[1], option) == 0;
}

static int
print_daemon_help(const struct daemon *d)
{
	print_usage(d, stdout);
	return printf("  -c  the configuration file, instead of %s/%s.conf\n"
		      "  -t  test the configuration and exit\n"
		      "  -V  print the version\n%s"
		      "%s(8) and surfaced.conf(5) are its manuals.\n",
		   SYSCONFDIR, d->name,
		   d->dump != NULL ? "  -D  print a table: see the manual\n" : "", d->name) < 0;
}

/* Returns "what of", the text that the program's dump gets from -D WHAT OF. */
static const char *
join_dump(const char *what, const char *of)
{
	static char room[256];

	return (size_t)snprintf(room, sizeof(room), "%s %s", what, of) < sizeof(room) ? room : what;
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
		default: /* getopt has printed the error */
			return false;
		}
	if (o->dump != NULL && optind + 1 == argc)
		o->dump = join_dump(o->dump, argv[optind++]);
	return optind == argc;
}

static const char *
default_conf_file(const struct daemon *d)
{
	static char path[4096];

	if ((size_t)snprintf(path, sizeof(path), "%s/%s.conf", SYSCONFDIR, d->name) >= sizeof(path))
		panic("the configuration file's name is too long");
	return access(path, F_OK) == 0 ? path : NULL;
}

/* Opens /dev/null for each standard descriptor that is closed. Otherwise the first socket or file
   of the daemon would become stdin, stdout or stderr, and log lines would be written into it. */
static void
open_standard_descriptors(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	while (fd >= 0 && fd <= STDERR_FILENO && fcntl(fd, F_SETFD, 0) == 0);
	if (fd >= 0)
		close(fd);
}

int
options_take(const struct daemon *d, int argc, char **argv, struct options *o)
{
	open_standard_descriptors();
	*o = (struct options){ .file = default_conf_file(d) };
	if (is_long_option(argc, argv, "--help"))
		return print_daemon_help(d);
	if (is_long_option(argc, argv, "--version"))
		o->version = true;
	else if (!read_options(argc, argv, o) || (o->dump != NULL && d->dump == NULL))
		return print_usage(d, stderr);
	if (o->version)
		return printf("%s %s\n", d->name, PACKAGE_VERSION) < 0;
	return -1;
}
