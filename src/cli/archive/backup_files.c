/* SPDX-License-Identifier: ISC */
/* Copies and hashes files of a backup. A file gets its name only after it was copied completely. */
#include "config.h"

#include <openssl/evp.h>

#include "cli/archive/backup.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PIECE = 256 * 1024 };

struct path
path_of(const char *folder, const char *name)
{
	struct path p;

	if ((size_t)snprintf(p.z, sizeof(p.z), "%s/%s", folder, name) >= sizeof(p.z))
		panic("a path is too long");
	return p;
}

struct path
path_of_evidence(struct str sha256)
{
	struct path p;

	snprintf(p.z, sizeof(p.z), "%.2s/%.2s/%.*s", sha256.p, sha256.p + 2, SHA256_HEX, sha256.p);
	return p;
}

bool
make_directory(const char *path)
{
	return mkdir(path, 0700) == 0 || errno == EEXIST;
}

bool
sync_directory(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool done = fd >= 0 && syncfs(fd) == 0;

	fd_close(fd);
	return done;
}

void
sha256_begin(struct sha256 *s)
{
	s->md = EVP_MD_CTX_new();
	if (s->md == NULL || EVP_DigestInit_ex(s->md, EVP_sha256(), NULL) != 1)
		panic("SHA-256 failed");
}

void
sha256_add(struct sha256 *s, const void *bytes, size_t n)
{
	if (EVP_DigestUpdate(s->md, bytes, n) != 1)
		panic("SHA-256 failed");
}

void
sha256_end(struct sha256 *s, char hex[SHA256_HEX + 1])
{
	unsigned char sum[SHA256_HEX / 2];

	if (EVP_DigestFinal_ex(s->md, sum, NULL) != 1)
		panic("SHA-256 failed");
	EVP_MD_CTX_free(s->md);
	hex_print(hex, sum, sizeof(sum));
}

bool
copy_hashed(int in, int out, char hex[SHA256_HEX + 1], int64_t *bytes)
{
	static unsigned char piece[PIECE];
	struct sha256 sum;
	bool good = true;
	ssize_t n = 0;

	*bytes = 0;
	sha256_begin(&sum);
	while (good && (n = read(in, piece, sizeof(piece))) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		good = n > 0 && (out < 0 || fd_write(out, piece, (size_t)n));
		if (n > 0)
			sha256_add(&sum, piece, (size_t)n);
		*bytes += n;
	}
	sha256_end(&sum, hex);
	return good;
}

bool
hash_file(const char *path, char hex[SHA256_HEX + 1], int64_t *bytes)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	bool good = fd >= 0 && copy_hashed(fd, -1, hex, bytes);

	fd_close(fd);
	return good;
}

static bool
is_whole(const char *path, struct str sha256, int64_t *bytes)
{
	char hex[SHA256_HEX + 1];

	return hash_file(path, hex, bytes) && str_is(sha256, hex);
}

/* Does not synchronise each file: the caller synchronises the file system before anything names the
   files, and a file that a crash cut short is detected by its hash. */
static enum copied
copy_file(const char *from, const char *to, struct str sha256, int64_t *bytes)
{
	struct path fresh;
	char hex[SHA256_HEX + 1];
	int in = open(from, O_RDONLY | O_CLOEXEC | O_NOFOLLOW), out;
	bool good;

	if (in < 0)
		return errno == ENOENT ? COPY_ABSENT : COPY_FAILED;
	if ((size_t)snprintf(fresh.z, sizeof(fresh.z), "%s.new", to) >= sizeof(fresh.z))
		panic("a path is too long");
	out = open(fresh.z, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0640);
	good = out >= 0 && copy_hashed(in, out, hex, bytes);
	fd_close(in);
	if (!good)
		fd_close(out); /* keeps errno */
	else if (close(out) != 0)
		good = false;
	if (good && !str_is(sha256, hex)) {
		unlink(fresh.z);
		return COPY_DAMAGED;
	}
	return good && rename(fresh.z, to) == 0 ? COPIED : COPY_FAILED;
}

/* Gives new files and directories the owner of the evidence directory, since root may run the
   restore. */
static bool
give_to_owner(const char *root, const char *path)
{
	struct stat st;

	return geteuid() != 0 || (stat(root, &st) == 0 && lchown(path, st.st_uid, st.st_gid) == 0);
}

static bool
make_folders(const char *root, struct str sha256)
{
	struct path p = path_of(root, path_of_evidence(sha256).z);
	size_t top = strlen(root);

	for (size_t cut = top + 3; cut <= top + 6; cut += 3) {
		p.z[cut] = '\0';
		if (mkdir(p.z, 0750) == 0 ? !give_to_owner(root, p.z) : errno != EEXIST)
			return false;
		p.z[cut] = '/';
	}
	return true;
}

/* Makes sure that the target has the file, by the cheapest way that is safe:

     there already       hashed; kept when it is whole
     --since             linked from the older backup, then hashed: the older file may be damaged
     otherwise           copied to NAME.new, hashed on the way, and renamed

   The hash is the name, so no file of another content can take the place of a whole one. A link
   shares the disk space with the older backup; deleting that backup leaves the file here. */
enum copied
copy_evidence(
    struct str sha256, const char *from, const char *since, const char *to, int64_t *bytes)
{
	struct path name = path_of_evidence(sha256), target = path_of(to, name.z);
	enum copied done;

	if (is_whole(target.z, sha256, bytes))
		return COPIED;
	if (!make_folders(to, sha256))
		return COPY_FAILED;
	if (since != NULL) {
		unlink(target.z);
		if (link(path_of(since, name.z).z, target.z) == 0 &&
		    is_whole(target.z, sha256, bytes))
			return COPIED;
		unlink(target.z);
	}
	done = copy_file(path_of(from, name.z).z, target.z, sha256, bytes);
	if (done == COPIED && !give_to_owner(to, target.z))
		return COPY_FAILED;
	return done;
}

const char *
copied_word(enum copied c)
{
	switch (c) {
	case COPIED:
		break;
	case COPY_ABSENT:
		return "it is missing";
	case COPY_DAMAGED:
		return "it is damaged: it has another SHA-256";
	case COPY_FAILED:
		return strerror(errno);
	}
	panic("copied %d", (int)c);
}
