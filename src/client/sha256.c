/* SPDX-License-Identifier: ISC */
#include "config.h"

#include <openssl/evp.h>

#include "client/sha256.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

enum { READ_BYTES = 65536 };

EVP_MD_CTX *
sha256_begin(void)
{
	EVP_MD_CTX *sum = EVP_MD_CTX_new();

	if (sum == NULL || EVP_DigestInit_ex(sum, EVP_sha256(), NULL) != 1)
		panic("OpenSSL has no SHA-256"); /* UNCOVERED: malloc fails */
	return sum;
}

void
sha256_add(EVP_MD_CTX *sum, const void *bytes, size_t n)
{
	if (EVP_DigestUpdate(sum, bytes, n) != 1)
		panic("EVP_DigestUpdate failed"); /* UNCOVERED: it has no reason to */
}

void
sha256_end(EVP_MD_CTX *sum, char out[SHA256_TEXT + 1])
{
	unsigned char bytes[SHA256_TEXT / 2];

	if (EVP_DigestFinal_ex(sum, bytes, NULL) != 1)
		panic("EVP_DigestFinal_ex failed"); /* UNCOVERED: it has no reason to */
	EVP_MD_CTX_free(sum);
	hex_print(out, bytes, sizeof(bytes));
}

bool
sha256_add_file(EVP_MD_CTX *sum, int fd)
{
	unsigned char bytes[READ_BYTES];
	ssize_t n;

	while ((n = read(fd, bytes, sizeof(bytes))) > 0 || (n < 0 && errno == EINTR))
		if (n > 0)
			sha256_add(sum, bytes, (size_t)n);
	return n == 0;
}

void
sha256_text(struct str text, char out[SHA256_TEXT + 1])
{
	EVP_MD_CTX *sum = sha256_begin();

	sha256_add(sum, text.p, text.n);
	sha256_end(sum, out);
}

bool
sha256_file(const char *path, char out[SHA256_TEXT + 1])
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	EVP_MD_CTX *sum;
	bool good;

	if (fd < 0)
		return false;
	sum = sha256_begin();
	good = sha256_add_file(sum, fd);
	sha256_end(sum, out);
	fd_close(fd);
	return good;
}
