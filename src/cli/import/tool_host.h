/* SPDX-License-Identifier: ISC */
/* Functions that the readers of scanners share. All of them take values that may be missing and
   then set nothing. */
#ifndef CLI_IMPORT_TOOL_HOST_H
#define CLI_IMPORT_TOOL_HOST_H

#include "cli/import/records.h"
#include "cli/import/server.h"
#include "cli/import/tool_json.h"
#include "record/capability.h"

/* The canonical form of an address; STR_NULL: the text is not an address. */
struct str tool_address(struct arena *a, struct str text);
/* The text without its final dot, if it can be the name of a host in DNS; otherwise STR_NULL. */
struct str tool_host_name(struct str text);
/* Parses "443", "443/tcp" or "53/udp"; *transport is not changed when the text has none. */
bool tool_port(struct str text, int64_t *port, struct str *transport) MUST_USE;

/* The host's service of that port and transport, which is added when it is new; NULL: the number is
   not a port. */
struct record_object *tool_service(
    struct arena *a, struct record *r, int64_t port, struct str transport);
/* Extends first_seen and last_seen of a host or a service by a time, which may be TS_NULL. */
void tool_seen(struct arena *a, struct record_object *o, struct ts t);

/* Adds a tag or a capability made of a name: "Apache HTTP Server" becomes apache-http-server. */
void tool_add_slug(struct arena *a, struct record_object *o, const char *member, struct str name);
/* Tags of a network that answers in place of its customers' servers: its kind (cdn, waf or cloud)
   and its name. */
void tool_add_cdn(struct arena *a, struct record_object *host, struct str kind, struct str name);
/* The object that a CPE belongs to: the host for a system (cpe:/o:) or a device (cpe:/h:),
   otherwise the service. */
struct record_object *tool_cpe_owner(
    struct str cpe, struct record_object *host, struct record_object *service);
/* Sets a text that was made from the bytes of a service, without its U+0000. */
void tool_set_bytes(struct arena *a, struct record_object *o, const char *member, struct str text);
/* Sets the protocol of a service; inside TLS it has a name of its own, such as https. */
void tool_set_protocol(
    struct arena *a, struct record_object *service, struct str protocol, bool tls);

/* Adds a header of a response if it is one that hosts keep; of a cookie only the name. httpx and
   zgrab2 write "_" for each "-" of a header's name. Server is http.server of a service without
   one. */
void tool_add_header(
    struct arena *a, struct record_object *service, struct str name, struct str value);
/* Adds the capabilities that an answer shows. */
void tool_recognise(
    struct arena *a, struct record_object *service, const struct web_answer *answer);
/* Sets http.body from the beginning of an answer to / that is text, without its secrets. */
void tool_set_body(struct arena *a, struct record_object *service, const struct web_answer *answer);
/* The text of the first <title> of a page; STR_NULL: it has none. */
struct str tool_title(struct arena *a, struct str page);
/* Sets http.title from the first <title> of a page. */
void tool_set_title(struct arena *a, struct record_object *service, struct str page);

/* Sets tls.certificate from a record of the dataset certificates; the service has TLS then. */
void tool_set_certificate(
    struct arena *a, struct record_object *service, const struct record *certificate);
/* Sets tls.jarm; the fingerprint of a service that has no TLS is zeros, and is left out. */
void tool_set_jarm(struct arena *a, struct record_object *service, struct str jarm);

#endif
