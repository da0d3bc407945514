/* SPDX-License-Identifier: ISC */
/* Certificates as records, parsed by OpenSSL. */
#ifndef RECORD_CERTIFICATE_H
#define RECORD_CERTIFICATE_H

#include "record/record.h"

enum { CERTIFICATE_DER = 65536 }; /* bytes that are accepted at most */

/* Makes an unfinished record of CERTIFICATES from the DER of one certificate. trusted: the form of BEGIN TRUSTED
   CERTIFICATE, which has more data behind it; *der is then the certificate alone. False: *why is the fault. */
bool record_certificate(
    struct arena *a, bool trusted, struct str *der, struct record *out, const char **why) MUST_USE;

#endif
