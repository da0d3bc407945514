/* SPDX-License-Identifier: ISC */
/* surface host, dns, cert, whois and report: one record by its key. */
#include "config.h"

#include "client/api.h"
#include "client/dataset.h"
#include "client/value.h"

enum { DNS_PAGE = 1000 };

static int
look_up_record(struct client *c, const char *dataset)
{
	const struct dataset *d = dataset_named(dataset);
	struct buf path = { .a = c->arena };
	struct json_value *answer;
	int status;

	buf_printf(&path, "/search/%s", d->name);
	url_segment(&path, c->words[0]);
	url_parameter(&path, "fields", fields_given(c));
	status = api_get(c, buf_done(&path), &answer);
	if (status != DONE)
		return status;
	if (value_get(answer, d->record) == NULL)
		return fail(c, FAILED, "the answer has no member %s", d->record);
	return record_print(c, value_get(answer, d->record), d->columns);
}

static int
run_host(struct client *c)
{
	return look_up_record(c, "hosts");
}

static int
run_whois(struct client *c)
{
	return look_up_record(c, "whois");
}

static bool
write_bytes(void *arg, long status, const char *bytes, size_t n)
{
	(void)status;
	return fwrite(bytes, 1, n, arg) == n;
}

/* The certificate itself; it goes to stdout as the API sends it, since PEM is text without control
   characters. */
static int
print_pem(struct client *c)
{
	struct buf path = { .a = c->arena };
	struct answer a;
	int status;

	buf_z(&path, "/search/certificates");
	url_segment(&path, c->words[0]);
	status = http_ask(c,
	    &(struct ask){ .method = "GET",
		.path = buf_done(&path),
		.accept = "application/x-pem-file",
		.take = write_bytes,
		.arg = stdout },
	    &a);
	return status != DONE || a.status < 300 ? status : api_refused(c, &a);
}

static int
run_cert(struct client *c)
{
	return option_given(c, "pem") ? print_pem(c) : look_up_record(c, "certificates");
}

static int
run_dns(struct client *c)
{
	struct buf path = { .a = c->arena };

	buf_z(&path, "/search/dns");
	url_segment(&path, c->words[0]);
	url_parameter(&path, "type", option(c, "type"));
	url_parameter(&path, "since", option(c, "since"));
	url_parameter(&path, "until", option(c, "until"));
	url_parameter(&path, "fields", fields_given(c));
	return list_print(c, &(struct listing){ .path = buf_done(&path),
				 .member = "records",
				 .columns = dataset_named("dns")->columns,
				 .page_max = DNS_PAGE });
}

/* Reports have no look-up of their own: their UUID is a field. */
static int
run_report(struct client *c)
{
	const struct dataset *d = dataset_named("reports");
	struct buf path = { .a = c->arena };
	const struct json_value *list;
	struct json_value *answer;
	struct uuid uuid;
	int status;

	if (!uuid_parse(c->words[0], &uuid))
		return fail(c, WRONG_USAGE, "%s is no UUID", c->words[0].p);
	buf_z(&path, "/search/reports");
	url_parameter(&path, "q", arena_printf(c->arena, "uuid:%s", uuid_text(&uuid).z));
	url_parameter(&path, "limit", STR("1"));
	url_parameter(&path, "fields", fields_given(c));
	status = api_get(c, buf_done(&path), &answer);
	if (status != DONE)
		return status;
	list = value_get(answer, d->list);
	if (list == NULL || json_length(list) == 0)
		return fail(c, NOT_FOUND, "there is no report %s", c->words[0].p);
	return record_print(c, json_at(list, 0), d->columns);
}

static const struct option_row record_options[] = { FIELDS_OPTION, { 0 } };
static const struct option_row cert_options[] = { FIELDS_OPTION,
	{ "pem", 0, FLAG, NULL, "print the certificate itself", 0, 0 }, { 0 } };
static const struct option_row dns_options[] = { LIST_OPTIONS, FIELDS_OPTION,
	{ "type", 't', TEXT, "TYPE", "records of this type alone", 0, 0 },
	{ "since", 0, TEXT, "TIME", "records that were last seen then or later", 0, 0 },
	{ "until", 0, TEXT, "TIME", "records that were first seen then or earlier", 0, 0 }, { 0 } };

#define LOOKUP_COMMAND(id, word, key, does, rows)                                                  \
	static const struct command id = { .name = (word),                                         \
		.arguments = (key),                                                                \
		.help = (does),                                                                    \
		.run = run_##id,                                                                   \
		.options = (rows),                                                                 \
		.min = 1,                                                                          \
		.max = 1 };                                                                        \
	COMMAND(id)

LOOKUP_COMMAND(host, "host", "ADDRESS", "print a host and its services", record_options);
LOOKUP_COMMAND(dns, "dns", "NAME", "print the DNS records of a name", dns_options);
LOOKUP_COMMAND(cert, "cert", "SHA256", "print a certificate", cert_options);
LOOKUP_COMMAND(whois, "whois", "DOMAIN", "print the registration of a domain", record_options);
LOOKUP_COMMAND(report, "report", "UUID", "print a threat report", record_options);
