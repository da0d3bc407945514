/* SPDX-License-Identifier: ISC */
/* surfacectl doctor: the disk of the database server. A full disk lets the server answer everything
   that only reads. */
#include "config.h"

#include "cli/doctor/database.h"
#include "db/pooled.h"

#include <unistd.h>

/* The data directory of a server on this machine: the working directory of its processes. NULL: not
   known, as behind a pooler or for a user who may not look. */
static const char *
data_directory(struct doctor *d)
{
	char link[64], path[4096];
	int pid = db_server_pid(d->c->db);
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/%d/cwd", pid);
	n = pid > 0 ? readlink(link, path, sizeof(path) - 1) : -1;
	if (n <= 0)
		return NULL;
	path[n] = '\0';
	if (access(PRINTED(d, "%s/PG_VERSION", path), F_OK) != 0)
		return NULL;
	return PRINTED(d, "%s", path);
}

/* A megabyte or more, so that the server cannot write it into free space of its files. */
#define STORE                                                                                      \
	"CREATE TEMPORARY TABLE surfaced_doctor ON COMMIT DROP AS"                                 \
	" SELECT repeat(md5(g::text), 50) AS filler FROM generate_series(1, 1000) AS g"

void
doctor_storing(struct doctor *d)
{
	const char *directory = data_directory(d);

	if (directory != NULL)
		doctor_disk(d, &(struct disk){ .path = directory });
	if (db_script(d->c->db, STORE) == DB_OK)
		return;
	doctor_report(d, HEALTH_FAILED, "database",
	    DO_WITH(MAKE_ROOM, directory == NULL ? "PostgreSQL" : directory),
	    "it cannot store rows: %s", db_message(d->c->db));
	if (directory != NULL)
		doctor_cause(d, "disk", directory);
}
