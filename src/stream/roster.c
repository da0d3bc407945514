/* SPDX-License-Identifier: ISC */
/* Finds killed stream processes, so that their slots are released at once and a session need not
 * wait until a lease expires. Each process holds a lock on a file of its own in
 * run_directory/stream; the kernel drops the lock when the process ends, however it ends.
 *
 *   start       lock the own file; lock every other file that can be locked: its process is dead
 *   first keep  the database releases the slots of the dead
 *   then        unlink the files, in this order: a failure leaves them to the next process
 *
 * The locks on the files of the dead are kept meanwhile, so that no second process reports them. */
#include "config.h"

#include "daemon/conf.h"
#include "stream/gate.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DEAD_MAX = 256 };

struct roster {
	int dir, self;
	char name[UUID_LEN + 1];
	size_t n;
	struct dead {
		char name[UUID_LEN + 1];
		int fd; /* holds the lock, so that no other process reports it */
	} dead[DEAD_MAX];
	struct str names[DEAD_MAX];
};

static int
open_locked(const struct roster *r, const char *name, int flags)
{
	int fd = openat(r->dir, name, O_RDWR | O_CLOEXEC | O_NOFOLLOW | flags, 0600);

	if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0)
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

static void
find_dead(struct roster *r)
{
	int fd = openat(r->dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *e;
	struct uuid u;

	while (d != NULL && r->n < DEAD_MAX && (e = readdir(d)) != NULL) {
		struct dead *dead = &r->dead[r->n];

		if (strcmp(e->d_name, r->name) == 0 || !uuid_parse(str_of(e->d_name), &u) ||
		    (dead->fd = open_locked(r, e->d_name, 0)) < 0)
			continue;
		memcpy(dead->name, e->d_name, sizeof(dead->name));
		r->names[r->n] = str_of(dead->name);
		r->n++;
	}
	if (d != NULL)
		closedir(d);
}

/* A missing directory is not fatal: the slots of dead processes then expire with their leases. */
struct roster *
roster_new(struct uuid self)
{
	struct roster *r = mem_zero(sizeof(*r));
	char path[256];

	uuid_print(&self, r->name);
	snprintf(path, sizeof(path), "%s/stream", conf.run_directory);
	if (mkdir(path, 0750) != 0 && errno != EEXIST)
		log_event(LOGP_WARNING, "roster", "path=%s why=\"%s\"", path, strerror(errno));
	r->dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	r->self = open_locked(r, r->name, O_CREAT | O_EXCL);
	find_dead(r);
	return r;
}

struct strs
roster_dead(struct roster *r)
{
	return (struct strs){ r->names, r->n };
}

void
roster_forget(struct roster *r)
{
	for (size_t i = 0; i < r->n; i++) {
		unlinkat(r->dir, r->dead[i].name, 0);
		close(r->dead[i].fd);
	}
	r->n = 0;
}

void
roster_free(struct roster *r)
{
	for (size_t i = 0; i < r->n; i++)
		close(r->dead[i].fd);
	if (r->self >= 0) {
		unlinkat(r->dir, r->name, 0);
		close(r->self);
	}
	if (r->dir >= 0)
		close(r->dir);
	free(r);
}
