/* SPDX-License-Identifier: ISC */
/* start_url: the URLs that a browser may be sent to, judged by their text alone, without DNS. */
#ifndef ADDRESS_START_URL_H
#define ADDRESS_START_URL_H

#include "base/base.h"

enum start_url_fault {
	START_URL_OK,
#define START_URL_FAULT(id, code, subject, message) START_URL_##id,
#include "tbl/start_url_faults.h"
#undef START_URL_FAULT
	START_URL_FAULTS,
};

const char *start_url_fault_code(enum start_url_fault f); /* of a field error */
/* For people, in the arena: "must begin with http:// or https://", with a name for the URL before it unless
   name is empty; or "192.168.1.1 is not public; ...", which shows the host of the URL and needs no name. */
struct str start_url_fault_message(
    struct arena *a, enum start_url_fault f, struct str name, struct str url);

/* Strict wherever parsers disagree (C-093, C-094). canonical: what every parser reads alike, in the arena;
   checked again it is itself. */
enum start_url_fault start_url_check(
    struct arena *a, struct str url, struct str *canonical) MUST_USE;
/* The same for a URL that is in its canonical form, which may be longer than the one that was sent. */
enum start_url_fault start_url_check_stored(
    struct arena *a, struct str url, struct str *canonical) MUST_USE;
/* Its host alone, a name or an IPv4 address: valid UTF-8, not empty. out: as it is looked up, in lower-case
   ASCII without a dot at its end. */
enum start_url_fault start_url_host(
    struct arena *a, struct str text, struct str *out) MUST_USE;
/* Whether the last label of a name, in lower-case ASCII, is a top-level domain of the public Internet. */
bool host_delegated(struct arena *a, struct str host);
/* The name that was registered for host, one label below a public suffix; NULL: there is none. */
struct str host_registrable(struct arena *a, struct str host);
/* One of tbl/local_names.h, or below it. */
bool host_local(struct str host);
/* A port that Chromium does not open, because another protocol listens there. */
bool start_url_port_blocked(int64_t port);

#endif
