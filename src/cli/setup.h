/* SPDX-License-Identifier: ISC */
/* Accounts, members and keys, for their own commands and for setup, which creates one of each in
 * one transaction. The functions neither begin nor end a transaction and print nothing; the caller
 * reports what they return. */
#ifndef CLI_SETUP_H
#define CLI_SETUP_H

#include "cli/cli.h"

/* ---- accounts.c ---- */

struct account {
	struct uuid uuid;
	struct str name, state;
	struct uuid group_uuid;
	struct list scopes, entitlements; /* lists of struct str; entitlements in force alone */
	struct ts created_at;
};

/* A row of struct account for its UUID. */
extern const struct stmt show_account;

struct account_wanted {
	struct str name, group; /* group: a name or a UUID; unset: none */
	struct strs scopes, entitlements;
};

/* DB_NONE: there is no such group. */
enum db_rc account_insert(struct db *db, const struct account_wanted *w, struct uuid *out);
/* False after a message: one of the names is not an entitlement. */
bool cli_entitlements(struct cli *c, struct cli_list given) MUST_USE;

/* ---- members.c ---- */

struct member {
	struct uuid uuid, account_uuid;
	struct str name, email, role;
	bool all_projects;
	struct ts created_at, removed_at;
	struct str link, token; /* set for a new one; token where public_url is not set */
	struct ts link_expires_at;
};

/* Parameters: account, name, address, role, and whether the member sees every project. */
extern const struct stmt insert_member;

/* ---- keys.c ---- */

struct key_line {
	struct uuid uuid;
	struct str key, prefix, name, state; /* key: the secret of a new key */
	struct uuid account_uuid, owner_uuid;
	struct list scopes, projects;
	struct ts created_at, expires_at, revoked_at;
	struct str last_used_on; /* a day, UTC */
};

struct key_wanted {
	struct str owner; /* a member's UUID or address; unset: the account's only owner */
	struct str name;
	struct strs scopes, projects;
	struct ts expires;
};

/* Creates a key; its secret is in the arena. DB_NONE: there is no such member, or there are several
   owners. */
enum db_rc key_insert(
    struct cli *c, struct uuid account, const struct key_wanted *w, struct key_line *out);
/* The message about a secret that cannot be shown again, for people. */
void key_warn_once(const struct cli *c);

/* ---- people.c ---- */

/* A one-time link to join with a membership, or for a person to get in again. */
struct cli_link {
	struct str link, token; /* token: where public_url is not set, instead of link */
	struct ts expires_at;
};

/* One of the two UUIDs is all zero. */
enum db_rc cli_link_make(
    struct cli *c, struct uuid member, struct uuid person, struct cli_link *out);
/* Advice for people about a link that has just been printed. */
void cli_link_warn(const struct cli *c, const struct cli_link *link);

#endif
