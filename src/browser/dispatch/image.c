/* SPDX-License-Identifier: ISC */
/* Screenshots as files in evidence_directory, named by their SHA-256, so that equal images are
 * stored once. The image comes from a runner, which is not trusted:
 * - It is a memfd whose seals forbid any change, so it cannot change between check and write,
 *   and a shrinking file cannot raise SIGBUS here.
 * - Its size is bounded, and its first bytes are those of the declared type.
 *
 * A file is durable before its row is written: the file is written under a temporary name,
 * synced and renamed, and then the directories are synced. */
#include "config.h"

#include "browser/dispatch/evidence.h"
#include "daemon/conf.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/sha.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { IMAGE_MAX = 16 * 1024 * 1024 };

/* Maps the image if its seals prove that no process can change it. */
static const unsigned char *
map_sealed(int fd, size_t *n)
{
	const int sealed = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;
	struct stat st;
	void *p;

	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size <= 0 ||
	    st.st_size > IMAGE_MAX || (fcntl(fd, F_GET_SEALS) & sealed) != sealed)
		return NULL;
	*n = (size_t)st.st_size;
	p = mmap(NULL, *n, PROT_READ, MAP_PRIVATE, fd, 0);
	return p == MAP_FAILED ? NULL : p;
}

static bool
has_image_magic(const struct image *i, struct str mime)
{
	static const struct {
		const char *mime, *magic;
	} kinds[] = {
		{ "image/jpeg", "\xff\xd8\xff" },
		{ "image/png", "\x89PNG\r\n\x1a\n" },
	};

	for (size_t k = 0; k < COUNT(kinds); k++)
		if (str_is(mime, kinds[k].mime))
			return i->n > strlen(kinds[k].magic) &&
			       memcmp(i->p, kinds[k].magic, strlen(kinds[k].magic)) == 0;
	return false;
}

static bool
sync_image_directory(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool good = fd >= 0 && fsync(fd) == 0;

	fd_close(fd);
	return good;
}

/* Makes the directory path in parent, durably, unless it exists. */
static bool
make_durable_directory(const char *path, const char *parent)
{
	if (mkdir(path, 0750) == 0)
		return sync_image_directory(parent);
	return errno == EEXIST;
}

static bool
write_image_file(const struct evidence_path *at, const unsigned char *p, size_t n)
{
	const struct uuid u = uuid_random();
	char temporary[sizeof(at->file)];
	bool good;
	int fd, why;

	snprintf(temporary, sizeof(temporary), "%s/.%s", at->inner, uuid_text(&u).z);
	fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0640);
	if (fd < 0)
		return false;
	good = fd_write(fd, p, n) && fsync(fd) == 0 && rename(temporary, at->file) == 0;
	why = errno;
	close(fd);
	if (!good)
		unlink(temporary);
	errno = why;
	return good;
}

const char *
image_open(int fd, struct str mime, struct image *out)
{
	out->p = fd < 0 ? NULL : map_sealed(fd, &out->n);
	if (out->p == NULL)
		return "not a sealed image of at most 16 MiB";
	if (has_image_magic(out, mime))
		return NULL;
	image_close(out);
	return "the image does not have the declared type";
}

/* Syncs the directory even if the file exists: the process that wrote it may have died before its
   sync. */
bool
image_store(const struct image *i, unsigned char sha256[EVIDENCE_HASH_LEN])
{
	struct evidence_path at;
	struct stat st;
	bool good;

	SHA256(i->p, i->n, sha256);
	good = evidence_path(sha256, &at) &&
	       make_durable_directory(at.outer, conf.evidence_directory) &&
	       make_durable_directory(at.inner, at.outer) &&
	       ((stat(at.file, &st) == 0 && (size_t)st.st_size == i->n) ||
		   write_image_file(&at, i->p, i->n)) &&
	       sync_image_directory(at.inner);
	if (!good)
		log_event(LOGP_ERR, "evidence", "why=\"%s: %s\"", conf.evidence_directory,
		    strerror(errno));
	return good;
}

void
image_close(const struct image *i)
{
	munmap((void *)(uintptr_t)i->p, i->n);
}
