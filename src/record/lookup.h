/* SPDX-License-Identifier: ISC */
/* Makes the keys of records from a name or an address that a client has sent. The key is made from
   the canonical form of the value, which the records have too:

     "WWW.Example.org."  --record_canonical-->  "www.example.org"
                                                      |
                         record_key_rrset, type A     v
                         org 01 example 01 www 01 00 | 00 01              the beginning of the keys
                         org 01 example 01 www 01 00 | 00 02              record_key_behind: the end of their
                                                                          range */
#ifndef RECORD_LOOKUP_H
#define RECORD_LOOKUP_H

#include "record/record.h"

/* Brings a value of a member, "services.transport", into its canonical form. A name with letters
   beyond ASCII gets A-labels (address/idn.h). False: the member has no such values. */
bool record_canonical(
    struct arena *a, enum dataset d, const char *member, struct str *value) MUST_USE;
/* Does the same. Returns NULL, or the fault as the end of a sentence: "is no SHA-256: 64
   hexadecimal digits". */
const char *record_value_fault(
    struct arena *a, enum dataset d, const char *member, struct str *value) MUST_USE;
/* The key of the host with this address; STR_NULL: the text is no address. */
struct str record_key_host(struct arena *a, struct str address);
/* The beginning of all keys of a name in DNS, WHOIS or DIRECTORIES: its labels from the right. */
struct str record_key_name(struct arena *a, struct str name);
/* The beginning of all keys of DNS records of a name and a type in canonical form; type.p NULL: of
   all types. */
struct str record_key_rrset(struct arena *a, struct str name, struct str type);
/* The least key that does not begin with these bytes and is greater than all that do. */
struct str record_key_behind(struct arena *a, struct str beginning);

#endif
