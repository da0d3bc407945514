/* SPDX-License-Identifier: ISC */
/* Reads the results of nuclei (-jsonl, -json-export) for hosts:

     {"template-id":"CVE-2021-44228","info":{"name":"...","tags":["cve","rce"],"severity":"critical",
      "classification":{"cve-id":["CVE-2021-44228"]}},"host":"www.a.org","port":"8080","ip":"192.0.2.1",
      "matched-at":"...","timestamp":"2026-01-02T03:04:05.678+01:00","matcher-status":true}

   A host gets the CVE as a vulnerability, and the service, or the host when there is no port, the
   tags of the template. Tags and identifiers are lists, or texts with commas. The address is "ip", or
   that of a URL: "host" and "matched-at" have it where the target of the scan was an address, and
   "ip" may then be a name. A result that did not match, or has no address, is skipped. */
#include "config.h"

#include "base/url.h"
#include "cli/import/gather.h"
#include "cli/import/tool_host.h"

/* Adds the items of a list, or the parts of a text. */
static void
add_items(struct gather *g, struct record_object *o, const char *member, const struct json_value *v)
{
	struct str text = tool_text(v), part;
	bool slug = strcmp(member, "tags") == 0;

	for (size_t i = 0; i < tool_items(v) || text.n > 0; i++) {
		if (text.n == 0)
			part = tool_text(tool_item(v, i));
		else if (!str_part(&text, ',', &part))
			break;
		part = str_trim(part);
		if (part.n == 0)
			continue;
		if (slug)
			tool_add_slug(g->a, o, member, gather_text(g, part));
		else
			record_add(g->a, o, member, gather_text(g, part));
	}
}

static struct str
address_of_result(struct arena *a, const struct json_value *o)
{
	static const char *const urls[] = { "matched-at", "host", "url" };
	struct str ip = tool_address(a, tool_text(tool_get(o, "ip"))), authority, rest;

	for (size_t i = 0; i < COUNT(urls) && ip.p == NULL; i++) {
		(void)url_split(tool_text(tool_get(o, urls[i])), &authority, &rest);
		ip = tool_address(a, url_host(authority));
	}
	return ip;
}

static void
read_result_line(void *arg, const struct json_value *o, uint64_t line)
{
	const struct json_value *info = tool_get(o, "info"),
				*status = tool_get(o, "matcher-status");
	struct gather *g = arg;
	struct str ip = address_of_result(g->rs->a, o);
	struct record_object *s;
	struct record *r;
	int64_t port = 0;

	if (tool_text(tool_get(o, "template-id")).p == NULL || info == NULL ||
	    json_type(info) != JSON_OBJECT) {
		records_bad(g->rs, line, "template-id or info: is missing");
		return;
	}
	if (ip.p == NULL || (status != NULL && !tool_true(o, "matcher-status"))) {
		g->rs->skipped++;
		return;
	}
	r = gather_host(g, ip, line);
	if (!tool_number(o, "port", &port))
		port = 0;
	if (tool_has(tool_get(o, "type"), "dns")) /* the port of a resolver */
		port = 0;
	s = gather_service(g, r, port, "tcp");
	tool_seen(g->a, r->root, tool_member_time(o, "timestamp"));
	if (s != NULL)
		tool_seen(g->a, s, tool_member_time(o, "timestamp"));
	add_items(g, s != NULL ? s : r->root, "tags", tool_get(info, "tags"));
	add_items(
	    g, r->root, "vulnerabilities", tool_get(tool_get(info, "classification"), "cve-id"));
	gather_line(g);
}

void
read_nuclei(struct records *rs)
{
	struct gather g;

	gather_open(&g, rs);
	records_json(rs, NULL, read_result_line, &g);
	gather_close(&g);
}
