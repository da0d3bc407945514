/* SPDX-License-Identifier: ISC */
/* Certificates as records, parsed by OpenSSL. */
#ifndef RECORD_CERTIFICATE_H
#define RECORD_CERTIFICATE_H

#include "record/record.h"

enum { CERTIFICATE_DER = 65536 }; /* the most bytes that are accepted */

/* Makes an unfinished record of CERTIFICATES from the DER of one certificate. trusted: the form of
   BEGIN TRUSTED CERTIFICATE, which has more data after the certificate; *der becomes the
   certificate without that data. False: *why is the fault. */
bool record_certificate(
    struct arena *a, bool trusted, struct str *der, struct record *out, const char **why) MUST_USE;

/* Accepts a name that a host can have, also with * for labels: letters, digits, - and _, no empty
   label, no address. */
bool certificate_host_name(struct str s);
/* Does the same for a common name. It must have a dot, too, because many common names are not names
   of hosts. */
bool certificate_common_name(struct str s);

#endif
