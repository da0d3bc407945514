/* SPDX-License-Identifier: ISC */
/* Removes the files of all exports that are not queued, running or complete. The names in the
   directory are compared with the table, so a file without a row is removed, too. */
#include "config.h"

#include "daemon/conf.h"
#include "daemon/host.h"
#include "db/guard.h"
#include "export/export.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

enum {
	KEEP_US = 5000000,
	ROW_DAYS = 90, /* days of the rows of ended exports; the audit log keeps them */
};

struct unwanted {
	struct uuid uuid;
};

static const struct field unwanted_out[] = {
	FIELD(struct unwanted, uuid, 0),
	FIELD_END,
};

STMT_LIST(sweep_exports, struct unwanted, unwanted_out,
    "SELECT uuid FROM export_sweep($1::text[]::uuid[], $2, $3) AS uuid");

/* The host whose files are swept: this one, or STR_NULL where all hosts share a directory. */
static struct str
swept_host(void)
{
	return strcmp(conf.export_shared, "no") == 0 ? host_name() : STR_NULL;
}

/* Parses the UUID of an export from the name of its file: UUID.part, UUID.csv.gz. */
static bool
export_of_file(const char *name, struct uuid *out)
{
	size_t n = strlen(name);

	return n > UUID_LEN + 1 && name[UUID_LEN] == '.' &&
	       uuid_parse((struct str){ name, UUID_LEN }, out);
}

static size_t
list_files(DIR *dir, struct arena *a, struct str **out)
{
	size_t n = 0, room = 0;
	const struct dirent *e;
	struct uuid uuid;

	*out = NULL;
	rewinddir(dir);
	while ((e = readdir(dir)) != NULL) {
		if (!export_of_file(e->d_name, &uuid))
			continue;
		if (n == room) {
			struct str *more = ARENA_ARRAY(a, 2 * room + 64, struct str);

			if (n > 0)
				memcpy(more, *out, n * sizeof(*more));
			*out = more;
			room = 2 * room + 64;
		}
		(*out)[n++] = arena_uuid(a, &uuid);
	}
	return n;
}

static void
remove_files(DIR *dir, const struct unwanted *rows, size_t n)
{
	const struct dirent *e;
	struct uuid uuid;

	rewinddir(dir);
	while ((e = readdir(dir)) != NULL) {
		if (!export_of_file(e->d_name, &uuid))
			continue;
		for (size_t i = 0; i < n; i++)
			if (uuid_cmp(&rows[i].uuid, &uuid) == 0 &&
			    unlinkat(dirfd(dir), e->d_name, 0) == 0)
				log_event(LOGP_INFO, "export_removed", "file=%s", e->d_name);
	}
}

bool
keep_files(struct exporter *x)
{
	bool changed = db_notified(x->db);
	struct strs present = { 0 };
	const int64_t days = ROW_DAYS;
	struct str *names;
	struct list rows;
	DIR *dir;

	if ((!mono_due(&x->keep_at, KEEP_US) && !changed) || !db_up(x->db))
		return changed;
	dir = opendir(conf.export_directory);
	if (dir == NULL) {
		log_event(LOGP_ERR, "export_directory", "path=%s why=\"%s\"", conf.export_directory,
		    strerror(errno));
		return changed;
	}
	present.n = list_files(dir, x->arena, &names);
	present.p = names;
	if (db_ok(x->db,
		db_list(x->db, &sweep_exports, &rows, P(present), P(days), P(swept_host())),
		"sweep"))
		remove_files(dir, rows.items, rows.n);
	closedir(dir);
	return changed;
}
