/* SPDX-License-Identifier: ISC */
#include "config.h"

#include <openssl/crypto.h>

#include "cli/archive/backup.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <sys/stat.h>
#include <unistd.h>

enum { KEY_MOST = 4096 };

/* The file has this mode before it has its contents. */
static bool
write_key(const char *path, mode_t mode, const struct buf *key)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	const struct group *g = geteuid() == 0 && mode != 0600 ? getgrnam("surfaced-detect") : NULL;
	bool good = fd >= 0 && (g == NULL || fchown(fd, 0, g->gr_gid) == 0) &&
		    fchmod(fd, mode) == 0 && fd_write(fd, key->p, key->n) && fsync(fd) == 0;

	fd_close(fd);
	return good;
}

static void
wipe(struct buf *key)
{
	if (key->n > 0)
		OPENSSL_cleanse(key->p, key->n);
	buf_free(key);
}

static void
hash_key(const struct buf *key, char hex[SHA256_HEX + 1])
{
	struct sha256 sum;

	sha256_begin(&sum);
	sha256_add(&sum, key->p, key->n);
	sha256_end(&sum, hex);
}

bool
backup_key(const char *from, const char *to, char hex[SHA256_HEX + 1], int64_t *bytes)
{
	struct buf key = { 0 };
	bool good = file_read(from, KEY_MOST, &key);

	*bytes = 0;
	if (!good) {
		good = errno == ENOENT;
		wipe(&key);
		return good;
	}
	hash_key(&key, hex);
	*bytes = (int64_t)key.n;
	good = write_key(to, 0600, &key);
	wipe(&key);
	return good;
}

enum copied
restore_key(const char *from, struct str sha256, const char *to)
{
	struct buf key = { 0 }, there = { 0 };
	enum copied done = file_read(from, KEY_MOST, &key) ? COPIED : COPY_FAILED;
	char hex[SHA256_HEX + 1];

	if (done == COPIED) {
		hash_key(&key, hex);
		done = str_is(sha256, hex) ? COPIED : COPY_DAMAGED;
	}
	if (done == COPIED && file_read(to, KEY_MOST, &there)) {
		if (there.n != key.n || memcmp(there.p, key.p, key.n) != 0)
			fprintf(stderr,
			    "surfacectl: %s differs from that of the backup and stays: each secret "
			    "that was found "
			    "becomes another finding, unless %s takes its place\n",
			    to, from);
	} else if (done == COPIED && (errno != ENOENT || !write_key(to, 0640, &key))) {
		done = COPY_FAILED;
	}
	wipe(&key);
	wipe(&there);
	return done;
}
