/* SPDX-License-Identifier: ISC */
/* SHA-256 by OpenSSL, as the API prints it: 64 lower-case hexadecimal digits. */
#ifndef CLIENT_SHA256_H
#define CLIENT_SHA256_H

#include "base/base.h"

enum { SHA256_TEXT = 64 };

struct evp_md_ctx_st; /* OpenSSL's EVP_MD_CTX; its header comes before base.h */

struct evp_md_ctx_st *sha256_begin(void);
void sha256_add(struct evp_md_ctx_st *sum, const void *bytes, size_t n);
/* Frees the sum. */
void sha256_end(struct evp_md_ctx_st *sum, char out[SHA256_TEXT + 1]);
/* Adds the rest of a file; false with errno. */
bool sha256_add_file(struct evp_md_ctx_st *sum, int fd) MUST_USE;
/* The SHA-256 of a text. */
void sha256_text(struct str text, char out[SHA256_TEXT + 1]);
/* The SHA-256 of a file; false with errno. */
bool sha256_file(const char *path, char out[SHA256_TEXT + 1]) MUST_USE;

#endif
