/* SPDX-License-Identifier: ISC */
/* The file of an export: it is compressed while it is written, hashed in its compressed form, and
   cut at the last checkpoint when another process continues it (export.h). */
#include "config.h"

#include <openssl/evp.h> /* before base.h bans the word rand, which it uses for a parameter */

#include "daemon/conf.h"
#include "daemon/daemon.h"
#include "export/export.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

enum { ROOM = 131072, ZSTD_LEVEL = 3, GZIP_LEVEL = 6 };

struct out {
	int fd;
	char part[4096], whole[4096];
	EVP_MD_CTX *sha;
	int64_t bytes;
	bool locked;     /* this process has locked the file */
	bool inside;     /* a frame has begun and not ended */
	ZSTD_CCtx *zstd; /* NULL: not zstd */
	z_stream gzip;
	bool is_gzip;
	unsigned char room[ROOM];
};

static enum out_rc
out_error(const struct out *o, const char *what)
{
	int why = errno;

	log_event(
	    LOGP_ERR, "export_file", "file=%s what=%s why=\"%s\"", o->part, what, strerror(why));
	return why == ENOSPC || why == EDQUOT ? OUT_FULL : OUT_FAILED;
}

/* ---- opening ---- */

static void
out_names(struct out *o, const struct export *e)
{
	char name[EXPORT_NAME];

	export_file_name(e->uuid, e->format, e->compression, name);
	snprintf(
	    o->part, sizeof(o->part), "%s/%s.part", conf.export_directory, uuid_text(&e->uuid).z);
	snprintf(o->whole, sizeof(o->whole), "%s/%s", conf.export_directory, name);
}

static void
out_hash(struct out *o, const void *bytes, size_t n)
{
	if (EVP_DigestUpdate(o->sha, bytes, n) != 1)
		panic("SHA-256 failed");
}

/* Reads the file from its beginning for the hash, and leaves its position at the end. */
static enum out_rc
out_read_back(struct out *o, int64_t bytes)
{
	while (o->bytes < bytes) {
		ssize_t got = read(o->fd, o->room, sizeof(o->room));

		daemon_slot()->busy_since = mono_us();
		if (got < 0 && errno == EINTR)
			continue;
		if (got == 0)
			errno = ENODATA; /* another process cut the file */
		if (got <= 0)
			return out_error(o, "read");
		out_hash(o, o->room, (size_t)got);
		o->bytes += got;
	}
	return OUT_OK;
}

/* Whether the open file still has this name: its writer may have renamed it before the lock was
   taken. */
static bool
out_is_named(const struct out *o, const char *name)
{
	struct stat ours, theirs;

	return fstat(o->fd, &ours) == 0 && stat(name, &theirs) == 0 &&
	       ours.st_dev == theirs.st_dev && ours.st_ino == theirs.st_ino;
}

/* A process that was killed after the final rename has left no .part file. The file is renamed back
   under the lock, because the writer of a file holds the lock until its row is complete. */
static enum out_rc
out_lock(struct out *o)
{
	bool whole = access(o->part, F_OK) != 0 && access(o->whole, F_OK) == 0;
	const char *name = whole ? o->whole : o->part;

	o->fd = open(name, O_RDWR | O_CLOEXEC | (whole ? 0 : O_CREAT), 0640);
	if (o->fd < 0)
		return whole && errno == ENOENT ? OUT_BUSY : out_error(o, "open");
	if (flock(o->fd, LOCK_EX | LOCK_NB) != 0)
		return errno == EWOULDBLOCK ? OUT_BUSY : out_error(o, "flock");
	if (!out_is_named(o, name))
		return OUT_BUSY;
	o->locked = true;
	return whole && rename(o->whole, o->part) != 0 ? out_error(o, "rename") : OUT_OK;
}

static enum out_rc
out_cut(struct out *o, int64_t *bytes)
{
	struct stat st;

	if (fstat(o->fd, &st) != 0)
		return out_error(o, "stat");
	if (st.st_size < *bytes)
		*bytes = 0;
	if (ftruncate(o->fd, *bytes) != 0)
		return out_error(o, "truncate");
	return out_read_back(o, *bytes);
}

static void
out_compress(struct out *o, struct str compression)
{
	if (str_is(compression, "zstd")) {
		o->zstd = ZSTD_createCCtx();
		if (o->zstd == NULL ||
		    ZSTD_isError(
			ZSTD_CCtx_setParameter(o->zstd, ZSTD_c_compressionLevel, ZSTD_LEVEL)) ||
		    ZSTD_isError(ZSTD_CCtx_setParameter(o->zstd, ZSTD_c_checksumFlag, 1)))
			panic("zstd cannot be initialised");
	}
	o->is_gzip = str_is(compression, "gzip");
	if (o->is_gzip &&
	    deflateInit2(&o->gzip, GZIP_LEVEL, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
		panic("zlib cannot be initialised");
}

enum out_rc
out_open(const struct export *e, int64_t *bytes, struct out **out)
{
	struct out *o = mem_zero(sizeof(*o));
	enum out_rc rc;

	o->fd = -1;
	o->sha = EVP_MD_CTX_new();
	if (o->sha == NULL || EVP_DigestInit_ex(o->sha, EVP_sha256(), NULL) != 1)
		panic("SHA-256 cannot be initialised");
	out_names(o, e);
	out_compress(o, e->compression);
	rc = out_lock(o);
	if (rc == OUT_OK)
		rc = out_cut(o, bytes);
	if (o->locked && rc != OUT_OK)
		out_remove(o);
	if (rc != OUT_OK) {
		out_close(o);
		o = NULL;
	}
	*out = o;
	return rc;
}

/* ---- writing ---- */

static enum out_rc
out_put(struct out *o, const void *bytes, size_t n)
{
	out_hash(o, bytes, n);
	o->bytes += (int64_t)n;
	return fd_write(o->fd, bytes, n) ? OUT_OK : out_error(o, "write");
}

static enum out_rc
put_zstd(struct out *o, struct str text, ZSTD_EndDirective how)
{
	ZSTD_inBuffer in = { text.p, text.n, 0 };
	enum out_rc rc = OUT_OK;
	size_t left;

	do {
		ZSTD_outBuffer to = { o->room, sizeof(o->room), 0 };

		left = ZSTD_compressStream2(o->zstd, &to, &in, how);
		if (ZSTD_isError(left))
			panic("zstd: %s", ZSTD_getErrorName(left));
		if (to.pos > 0)
			rc = out_put(o, o->room, to.pos);
	} while (rc == OUT_OK && (in.pos < in.size || (how == ZSTD_e_end && left > 0)));
	return rc;
}

static enum out_rc
put_gzip(struct out *o, struct str text, int how)
{
	enum out_rc rc = OUT_OK;
	int done;

	o->gzip.next_in = (unsigned char *)(uintptr_t)text.p;
	o->gzip.avail_in = (unsigned)text.n;
	do {
		o->gzip.next_out = o->room;
		o->gzip.avail_out = sizeof(o->room);
		done = deflate(&o->gzip, how);
		if (done == Z_STREAM_ERROR)
			panic("deflate failed");
		if (o->gzip.avail_out < sizeof(o->room))
			rc = out_put(o, o->room, sizeof(o->room) - o->gzip.avail_out);
	} while (rc == OUT_OK && (o->gzip.avail_in > 0 || o->gzip.avail_out == 0 ||
				     (how == Z_FINISH && done != Z_STREAM_END)));
	return rc;
}

enum out_rc
out_write(struct out *o, struct str text)
{
	o->inside = true;
	if (o->zstd != NULL)
		return put_zstd(o, text, ZSTD_e_continue);
	return o->is_gzip ? put_gzip(o, text, Z_NO_FLUSH) : out_put(o, text.p, text.n);
}

static enum out_rc
end_frame(struct out *o)
{
	enum out_rc rc = OUT_OK;

	if (!o->inside)
		return OUT_OK;
	o->inside = false;
	if (o->zstd != NULL)
		rc = put_zstd(o, STR(""), ZSTD_e_end);
	if (o->is_gzip) {
		rc = put_gzip(o, STR(""), Z_FINISH);
		if (deflateReset(&o->gzip) != Z_OK)
			panic("deflateReset failed");
	}
	return rc;
}

enum out_rc
out_checkpoint(struct out *o, int64_t *bytes)
{
	enum out_rc rc = end_frame(o);
	struct statvfs v;

	if (rc != OUT_OK)
		return rc;
	if (fdatasync(o->fd) != 0)
		return out_error(o, "sync");
	if (fstatvfs(o->fd, &v) == 0 &&
	    (uint64_t)v.f_bavail * v.f_frsize < (uint64_t)conf.export_reserve) {
		log_event(LOGP_ERR, "export_file",
		    "file=%s why=\"less than export_reserve is free\"", o->part);
		return OUT_FULL;
	}
	*bytes = o->bytes;
	return OUT_OK;
}

enum out_rc
out_finish(struct out *o, unsigned char sha256[32])
{
	int directory;

	if (EVP_DigestFinal_ex(o->sha, sha256, NULL) != 1)
		panic("SHA-256 failed");
	if (rename(o->part, o->whole) != 0)
		return out_error(o, "rename");
	directory = open(conf.export_directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (directory < 0 || fsync(directory) != 0) {
		fd_close(directory);
		return out_error(o, "sync");
	}
	close(directory);
	return OUT_OK;
}

void
out_remove(struct out *o)
{
	(void)unlink(o->part);
	(void)unlink(o->whole);
}

void
out_close(struct out *o)
{
	fd_close(o->fd);
	EVP_MD_CTX_free(o->sha);
	ZSTD_freeCCtx(o->zstd);
	if (o->is_gzip)
		(void)deflateEnd(&o->gzip);
	free(o);
}
