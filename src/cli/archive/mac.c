/* SPDX-License-Identifier: ISC */
/* The proof of a backup: HMAC-SHA-256 of the text of manifest.json. The key is the file
   backup_key_file, which no backup contains: whoever can write to the place of the backups does not
   know it. */
#include "config.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "cli/archive/backup.h"
#include "daemon/conf.h"
#include "secret/fingerprint.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAC_BYTES = SHA256_HEX / 2, MAC_FILE_MOST = 1024 };

static bool
fail(const char *why)
{
	return cli_fail(EXIT_FAILED, "%s", why) == EXIT_OK;
}

static bool
make_key(const char *path)
{
	unsigned char bytes[MAC_BYTES];
	char text[SHA256_HEX + 2];
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	bool good;

	if (fd < 0)
		return false;
	random_bytes(bytes, sizeof(bytes));
	hex_print(text, bytes, sizeof(bytes));
	text[SHA256_HEX] = '\n';
	good = fd_write(fd, text, SHA256_HEX + 1) && fsync(fd) == 0;
	fd_close(fd);
	OPENSSL_cleanse(bytes, sizeof(bytes));
	OPENSSL_cleanse(text, sizeof(text));
	if (good)
		fprintf(stderr,
		    "surfacectl: %s is new: keep a copy of it apart from the backups, since a "
		    "restore on another machine needs it\n",
		    path);
	else
		unlink(path);
	return good;
}

static bool
read_key(struct secret_key *key)
{
	char err[512];
	struct stat st;

	if (stat(conf.backup_key_file, &st) == 0 && (st.st_mode & S_IRWXO) != 0) {
		snprintf(err, sizeof(err), "%.400s can be read by every user; chmod 0600",
		    conf.backup_key_file);
		return fail(err);
	}
	return secret_key_read(conf.backup_key_file, key, err, sizeof(err)) || fail(err);
}

bool
mac_key_open(struct secret_key *key)
{
	const char *path = conf.backup_key_file;

	if (access(path, F_OK) != 0 && errno == ENOENT && !make_key(path) && errno != EEXIST)
		return cli_fail(EXIT_FAILED, "backup_key_file: %s: %s", path, strerror(errno)) ==
		       EXIT_OK;
	return read_key(key);
}

static void
print_mac(const struct secret_key *key, struct str manifest, char hex[SHA256_HEX + 1])
{
	unsigned char mac[MAC_BYTES];

	if (HMAC(EVP_sha256(), key->bytes, sizeof(key->bytes), (const unsigned char *)manifest.p,
		manifest.n, mac, NULL) == NULL)
		panic("HMAC failed");
	hex_print(hex, mac, sizeof(mac));
}

bool
mac_write(const struct secret_key *key, struct str manifest, const char *folder)
{
	char text[SHA256_HEX + 2];
	int fd = open(path_of(folder, BACKUP_MAC).z,
	    O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	bool good;

	if (fd < 0)
		return false;
	print_mac(key, manifest, text);
	text[SHA256_HEX] = '\n';
	good = fd_write(fd, text, SHA256_HEX + 1);
	fd_close(fd);
	return good;
}

bool
mac_check(struct str manifest, const char *folder)
{
	struct secret_key key;
	struct buf is = { 0 };
	char due[SHA256_HEX + 1];
	bool good = read_key(&key);

	if (!good)
		return false;
	print_mac(&key, manifest, due);
	OPENSSL_cleanse(&key, sizeof(key));
	good = file_read(path_of(folder, BACKUP_MAC).z, MAC_FILE_MOST, &is) &&
	       is.n == SHA256_HEX + 1 && CRYPTO_memcmp(is.p, due, SHA256_HEX) == 0;
	buf_free(&is);
	return good || cli_fail(EXIT_FAILED,
			   "%s: it was changed, or made by a machine with another key than %s: "
			   "put the key of that machine there, or give --trust if nobody else "
			   "can have written to the backup",
			   folder, conf.backup_key_file) == EXIT_OK;
}
