/* SPDX-License-Identifier: ISC */
/* The secrets of people that the database keeps, by the keys of sign_in_keys that have sealed
   them. */
#ifndef CLI_SECRETS_H
#define CLI_SECRETS_H

#include "cli/cli.h"

struct sealed_secrets {
	struct str kid;
	int64_t secrets;
};

/* A list of struct sealed_secrets. */
enum db_rc sealed_list(struct cli *c, struct list *out) MUST_USE;
/* NULL: the key has sealed none. */
const struct sealed_secrets *sealed_with(const struct list *sealed, const char *kid);

#endif
