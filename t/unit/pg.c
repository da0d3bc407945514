/* SPDX-License-Identifier: ISC */
#include "config.h"

#include "t/unit/pg.h"

#include <stdio.h>
#include <stdlib.h>

static char dir[] = "/tmp/surfaced-unit.XXXXXX";

static void
shell(const char *command)
{
	/* NOLINTNEXTLINE(cert-env33-c): constant words and our own folder */
	if (system(command) == 0)
		return;
	printf("Bail out! %s\n", command);
	exit(1);
}

void
pg_do(const char *what)
{
	char command[200];
	static int made;

	if (!made++ && mkdtemp(dir) == NULL) {
		printf("Bail out! cannot make %s\n", dir);
		exit(1);
	}
	snprintf(command, sizeof(command), "t/helper/pg %s %s", what, dir);
	shell(command);
}

const char *
pg_conninfo(const char *user)
{
	static char text[200];

	snprintf(text, sizeof(text), "host=%s dbname=surfaced user=%s", dir, user);
	return text;
}

const char *
pg_dir(void)
{
	return dir;
}

void
pg_remove(void)
{
	char command[200];

	pg_do("stop");
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	shell(command);
}
