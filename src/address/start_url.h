/* SPDX-License-Identifier: ISC */
/* start_url: the URLs that a browser may be sent to, checked by their text alone, without DNS.

     http(s):// authority           path ?query #fragment
                |                   |
                |                   +-- start_url.c: dot segments resolved, percent-encoded
                +-- host [:port]
                    |      +-- start_url.c: 1 to 65535, not one that Chromium blocks
                    +-- start_url_host.c: an IPv6 address in brackets, a canonical IPv4 address, or
                        a name of the public Internet after UTS 46; addresses must be public
                        (netaddr.h)

   Parsers disagree about unusual URLs: backslashes, percent signs in hosts, numbers in other bases,
   two spellings of one name. Each such URL is refused, so that the host that was checked is the
   host that Chromium connects to. The canonical form is the one that all parsers read alike, and it
   is what is stored. The addresses that a name has at the time of a connection are checked again by
   the egress (C-095); this check gives early, understandable errors. */
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

const char *start_url_fault_code(enum start_url_fault f); /* the code of the field error */
/* A message for people: "must begin with http:// or https://", after `name` unless that is empty;
   or, for a fault of the host, "192.168.1.1 is not public; ...", which begins with the URL's host
   instead. */
struct str start_url_fault_message(
    struct arena *a, enum start_url_fault f, struct str name, struct str url);

/* Checks a URL as a client sends it (C-093, C-094). canonical: its canonical form, in the arena;
   the canonical form of a canonical URL is the same text. */
enum start_url_fault start_url_check(
    struct arena *a, struct str url, struct str *canonical) MUST_USE;
/* The same for a stored URL: its canonical form may be longer than the longest URL that may be
   sent. */
enum start_url_fault start_url_check_stored(
    struct arena *a, struct str url, struct str *canonical) MUST_USE;
/* Checks a host alone, a name or an IPv4 address; text: valid UTF-8, not empty. out: the form that
   is resolved, in lower-case ASCII without a dot at its end. */
enum start_url_fault start_url_host(struct arena *a, struct str text, struct str *out) MUST_USE;
/* True when the last label of a name, in lower-case ASCII, is a top-level domain of the public
   Internet. */
bool host_delegated(struct arena *a, struct str host);
/* The registrable domain of host: one label below a public suffix. STR_NULL: there is none. */
struct str host_registrable(struct arena *a, struct str host);
/* True for a name below which a registry registers names: "com", "co.uk". */
bool host_suffix_icann(struct str host);
/* True for a name of tbl/local_names.h, and for names below one. */
bool host_local(struct str host);
/* True for a port that Chromium refuses to open, because another protocol uses it. */
bool start_url_port_blocked(int64_t port);

#endif
