/* SPDX-License-Identifier: ISC */
/* surface access: what the key may do, the members and keys of the organisation, and the audit
   log. */
#include "config.h"

#include "client/api.h"
#include "client/dataset.h"
#include "client/print.h"
#include "client/value.h"

enum { ACCESS_PAGE = 100 };

static const struct column self_columns[] = {
	{ "api_key.name", "key", CELL_TEXT },
	{ "api_key.key_prefix", "begins with", CELL_TEXT },
	{ "owner.name", "owner", CELL_TEXT },
	{ "account.name", "account", CELL_TEXT },
	{ "projects.count", "projects", CELL_TEXT },
	{ "scopes", "scopes", CELL_TEXT },
	{ "withheld", "withheld", CELL_TEXT },
	{ 0 },
};

static const struct column access_member_columns[] = {
	{ "name", "name", CELL_TEXT },
	{ "role", "role", CELL_TEXT },
	{ "all_projects", "all projects", CELL_TEXT },
	{ "created_at", "since", CELL_MINUTE },
	{ "removed_at", "removed", CELL_MINUTE },
	{ "uuid", "uuid", CELL_TEXT },
	{ 0 },
};

static const struct column access_key_columns[] = {
	{ "name", "name", CELL_TEXT },
	{ "key_prefix", "begins with", CELL_TEXT },
	{ "state", "state", CELL_TEXT },
	{ "owner_name", "owner", CELL_TEXT },
	{ "last_used_on", "last used", CELL_TEXT },
	{ "effective_scopes", "scopes", CELL_TEXT },
	{ 0 },
};

static const struct column audit_columns[] = {
	{ "at", "at", CELL_MINUTE },
	{ "actor.name", "actor", CELL_TEXT },
	{ "action", "action", CELL_TEXT },
	{ "subject_id", "record", CELL_TEXT },
	{ "project_uuid", "project", CELL_TEXT },
	{ "request_id", "request", CELL_TEXT },
	{ 0 },
};

static int
run_self(struct client *c)
{
	struct json_value *answer;
	const struct json_value *access;
	struct table t;
	struct buf one = { .a = c->arena };
	int status;

	if (!table_begin(&t, c, self_columns))
		return WRONG_USAGE;
	status = api_get(c, STR("/access/self"), &answer);
	if (status != DONE)
		return status;
	access = value_get(answer, "access");
	if (access == NULL)
		return fail(c, FAILED, "the answer has no access");
	if (c->form == FORM_NDJSON) {
		line_print(c, access);
		return DONE;
	}
	buf_char(&one, '[');
	json_show(&one, access);
	buf_char(&one, ']');
	table_add(&t, json_parse(c->arena, buf_done(&one)), SIZE_MAX);
	return DONE;
}

/* Prints a list with those of its options as filters that were given; NULL ends filters. An option
   has the name of its parameter, with a dash where that has an underscore. */
static int
print_filtered(struct client *c, const struct listing *l, const char *const *filters)
{
	struct listing filtered = *l;
	struct buf path = { .a = c->arena };

	buf_str(&path, l->path);
	for (; *filters != NULL; filters++) {
		char name[32];
		size_t n = 0;

		for (; (*filters)[n] != '\0'; n++)
			name[n] = (*filters)[n] == '-' ? '_' : (*filters)[n];
		name[n] = '\0';
		url_parameter(&path, name, option(c, *filters));
	}
	filtered.path = buf_done(&path);
	return list_print(c, &filtered);
}

static int
run_members(struct client *c)
{
	static const char *const filters[] = { "role", NULL };
	struct buf path = { .a = c->arena };

	buf_z(&path, "/access/members");
	if (!option_given(c, "removed"))
		url_parameter(&path, "removed", STR("false"));
	return print_filtered(c,
	    &(struct listing){ .path = buf_done(&path),
		.member = "members",
		.columns = access_member_columns,
		.page_max = ACCESS_PAGE },
	    filters);
}

static int
run_keys(struct client *c)
{
	static const char *const filters[] = { "state", "owner-uuid", NULL };

	return print_filtered(c,
	    &(struct listing){ .path = STR("/access/keys"),
		.member = "keys",
		.columns = access_key_columns,
		.page_max = ACCESS_PAGE },
	    filters);
}

static int
run_audit(struct client *c)
{
	static const char *const filters[] = { "actor", "action", "subject", "subject-id",
		"project-uuid", "since", "until", "request-id", NULL };

	return print_filtered(c,
	    &(struct listing){ .path = STR("/access/audit"),
		.member = "entries",
		.columns = audit_columns,
		.page_max = ACCESS_PAGE },
	    filters);
}

static const struct option_row access_member_options[] = { LIST_OPTIONS,
	{ "role", 0, TEXT, "ROLE", "owner or member", 0, 0 },
	{ "removed", 0, FLAG, NULL, "removed members, too", 0, 0 }, { 0 } };
static const struct option_row access_key_options[] = { LIST_OPTIONS,
	{ "state", 0, TEXT, "STATE", "active, expired or revoked", 0, 0 },
	{ "owner-uuid", 0, TEXT, "UUID", "keys of this member alone", 0, 0 }, { 0 } };
static const struct option_row audit_options[] = { LIST_OPTIONS,
	{ "actor", 0, TEXT, "ACTOR", "the uuid of a key or member, or a name", 0, 0 },
	{ "action", 0, TEXT, "ACTION", "such as alert_rule.create", 0, 0 },
	{ "subject", 0, TEXT, "KIND", "the kind of record, such as alert_rule", 0, 0 },
	{ "subject-id", 0, TEXT, "ID", "the record", 0, 0 },
	{ "project-uuid", 0, TEXT, "UUID", "lines about this project alone", 0, 0 },
	{ "since", 0, TEXT, "TIME", "lines of this time or later", 0, 0 },
	{ "until", 0, TEXT, "TIME", "lines before this time", 0, 0 },
	{ "request-id", 0, TEXT, "ID", "lines of this request", 0, 0 }, { 0 } };

static const struct command access_subs[] = {
	{ "self", NULL, "print what the key may do", run_self, NULL, NULL, 0, 0, WORD_ANY, false },
	{ "members", NULL, "print the members of the organisation", run_members, NULL,
	    access_member_options, 0, 0, WORD_ANY, false },
	{ "keys", NULL, "print the API keys of the organisation", run_keys, NULL,
	    access_key_options, 0, 0, WORD_ANY, false },
	{ "audit", NULL, "print the audit log, newest first", run_audit, NULL, audit_options, 0, 0,
	    WORD_ANY, false },
	{ 0 },
};

static const struct command access_command = {
	.name = "access", .help = "see rights, members, keys and the audit log", .sub = access_subs
};

COMMAND(access_command);
