/* SPDX-License-Identifier: ISC */
/* Reads the facts of a certificate. Certificates are untrusted: names may contain NUL, control
 * characters or bytes in Latin-1, serial numbers may be negative, and a validity may begin in the
 * year 1 or end before it begins. All of these are stored unchanged, as far as a text can contain
 * them. A name that no host can have is left out, so that "a.example<NUL>.evil.test" never becomes
 * a.example. */
#include "config.h"

/* before base/compiler.h, which forbids a word that these headers use as a name */
#include <openssl/evp.h>
#include <openssl/objects.h>
#include <openssl/rsa.h>
#include <openssl/sha.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include "record/certificate.h"

#include "address/idn.h"
#include "record/record_priv.h"

static struct str
certificate_hex(struct arena *a, const unsigned char *bytes, size_t n)
{
	char *hex = arena_alloc(a, 2 * n + 1);

	hex_print(hex, bytes, n);
	return (struct str){ hex, 2 * n };
}

/* ---- names ---- */

bool
certificate_host_name(struct str s)
{
	const char *dot = s.n == 0 ? NULL : memrchr(s.p, '.', s.n);
	bool letter = false;
	size_t label = 0;

	if (s.n > LIM_DNS_NAME)
		return false;
	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];
		bool alpha = ascii_letter(c);

		if (c == '.') {
			if (label == 0)
				return false;
			label = 0;
			continue;
		}
		if (!alpha && !ascii_digit(c) && (c == '\0' || strchr("-_*", c) == NULL))
			return false;
		letter = letter || (alpha && (dot == NULL || s.p + i > dot));
		label++;
	}
	return label > 0 && letter;
}

bool
certificate_common_name(struct str s)
{
	return s.n > 0 && memchr(s.p, '.', s.n) != NULL && certificate_host_name(s);
}

/* Returns the text of a part of a name as UTF-8, with ? for control characters and invalid bytes;
   STR_NULL when it is empty or cannot be read. */
static struct str
entry_text(struct arena *a, const X509_NAME_ENTRY *e)
{
	unsigned char *utf8 = NULL;
	int n = ASN1_STRING_to_UTF8(&utf8, X509_NAME_ENTRY_get_data(e));
	struct str s = STR_NULL;

	if (n > 0) {
		char *p = arena_alloc(a, (size_t)n + 1);

		for (int i = 0; i < n; i++)
			p[i] = utf8[i] < ' ' || utf8[i] == 0x7f ? '?' : (char)utf8[i];
		s = (struct str){ p, (size_t)n };
		for (size_t bad = str_utf8_bad(s); bad < s.n; bad = str_utf8_bad(s))
			p[bad] = '?';
	}
	OPENSSL_free(utf8);
	return s;
}

/* Sets a member to the last of several entries, which is the most specific one. */
static void
set_entry(struct arena *a, struct record *r, const X509_NAME *name, int nid, const char *member)
{
	for (int at = X509_NAME_get_index_by_NID(name, nid, -1); at >= 0;
	     at = X509_NAME_get_index_by_NID(name, nid, at)) {
		struct str text = entry_text(a, X509_NAME_get_entry(name, at));

		if (text.p != NULL)
			record_set_text(a, r->root, member, text);
	}
}

static void
set_names(struct arena *a, struct record *r, const X509_NAME *subject, const X509_NAME *issuer)
{
	set_entry(a, r, subject, NID_commonName, "subject.common_name");
	set_entry(a, r, subject, NID_organizationName, "subject.organisation");
	set_entry(a, r, subject, NID_countryName, "subject.country_code");
	set_entry(a, r, issuer, NID_commonName, "issuer.common_name");
	set_entry(a, r, issuer, NID_organizationName, "issuer.organisation");
	set_entry(a, r, issuer, NID_countryName, "issuer.country_code");
	for (int at = X509_NAME_get_index_by_NID(subject, NID_commonName, -1); at >= 0;
	     at = X509_NAME_get_index_by_NID(subject, NID_commonName, at)) {
		struct str name = name_without_dot(entry_text(a, X509_NAME_get_entry(subject, at)));

		if (certificate_common_name(name))
			record_add(a, r->root, "names", name);
	}
}

/* Adds the names of every extension of alternative names; a certificate should have one such
   extension, but may have two. */
static void
add_alternative_names(struct arena *a, struct record *r, const X509 *x)
{
	for (int at = X509_get_ext_by_NID(x, NID_subject_alt_name, -1); at >= 0;
	     at = X509_get_ext_by_NID(x, NID_subject_alt_name, at)) {
		GENERAL_NAMES *names = X509V3_EXT_d2i(X509_get_ext(x, at));

		for (int i = 0; i < sk_GENERAL_NAME_num(names); i++) {
			const GENERAL_NAME *g = sk_GENERAL_NAME_value(names, i);
			struct str name;

			if (g->type != GEN_DNS)
				continue;
			name = name_without_dot(
			    (struct str){ (const char *)ASN1_STRING_get0_data(g->d.dNSName),
				(size_t)ASN1_STRING_length(g->d.dNSName) });
			if (certificate_host_name(name))
				record_add(a, r->root, "names", arena_str(a, name));
		}
		GENERAL_NAMES_free(names);
	}
}

/* ---- algorithms ---- */

static struct str
oid_text(struct arena *a, const ASN1_OBJECT *o)
{
	char oid[128];

	return OBJ_obj2txt(oid, sizeof(oid), o, 1) > 0 ? arena_str(a, str_of(oid)) : STR_NULL;
}

static struct str
object_text(struct arena *a, const ASN1_OBJECT *o)
{
	int nid = OBJ_obj2nid(o);

	return nid != NID_undef ? arena_str(a, str_of(OBJ_nid2ln(nid))) : oid_text(a, o);
}

/* Names the algorithms of keys that occur in certificates of servers; the vocabulary of tbl/words.h
   maps the names of OpenSSL to the stored names. Any other algorithm is stored as its OID. */
static struct str
key_algorithm(struct arena *a, const ASN1_OBJECT *o)
{
	static const int named[] = { NID_rsaEncryption, NID_rsassaPss, NID_dsa,
		NID_X9_62_id_ecPublicKey, NID_ED25519, NID_ED448 };

	for (size_t i = 0; i < COUNT(named); i++)
		if (OBJ_obj2nid(o) == named[i])
			return object_text(a, o);
	return oid_text(a, o);
}

static void
set_key(struct arena *a, struct record *r, const X509 *x)
{
	const X509_PUBKEY *spki = X509_get_X509_PUBKEY(x);
	ASN1_OBJECT *algorithm = NULL;
	unsigned char *der = NULL, sum[SHA256_DIGEST_LENGTH];
	int n = i2d_X509_PUBKEY(spki, &der);
	EVP_PKEY *key = X509_get0_pubkey(x);

	if (n > 0) {
		SHA256(der, (size_t)n, sum);
		record_set_text(a, r->root, "spki_sha256", certificate_hex(a, sum, sizeof(sum)));
	}
	OPENSSL_free(der);
	if (X509_PUBKEY_get0_param(&algorithm, NULL, NULL, NULL, spki) == 1)
		record_set_text(a, r->root, "key_algorithm", key_algorithm(a, algorithm));
	if (key != NULL && EVP_PKEY_get_bits(key) > 0)
		record_set_int(a, r->root, "key_size", EVP_PKEY_get_bits(key));
}

/* RSA-PSS has its hash in the parameters: "rsassaPss-SHA256". */
static void
set_signature(struct arena *a, struct record *r, const X509 *x)
{
	const X509_ALGOR *algorithm;
	const ASN1_OBJECT *object;
	struct str name;
	int hash = NID_undef;

	X509_get0_signature(NULL, &algorithm, x);
	X509_ALGOR_get0(&object, NULL, NULL, algorithm);
	name = object_text(a, object);
	if (OBJ_obj2nid(object) == NID_rsassaPss &&
	    X509_get_signature_info((X509 *)(uintptr_t)x, &hash, NULL, NULL, NULL) == 1 &&
	    hash != NID_undef)
		name = arena_printf(a, "rsassaPss-%s", OBJ_nid2sn(hash));
	record_set_text(a, r->root, "signature_algorithm", name);
}

static void
set_serial(struct arena *a, struct record *r, const X509 *x)
{
	BIGNUM *number = ASN1_INTEGER_to_BN(X509_get0_serialNumber(x), NULL);
	char *hex = number == NULL ? NULL : BN_bn2hex(number);

	if (hex != NULL)
		record_set_text(a, r->root, "serial_number", arena_str(a, str_of(hex)));
	OPENSSL_free(hex);
	BN_free(number);
}

/* ---- the whole ---- */

static bool
set_asn1_time(struct arena *a, struct record *r, const char *name, const ASN1_TIME *t)
{
	struct tm tm = { 0 };
	struct ts ts;

	if (t == NULL || ASN1_TIME_to_tm(t, &tm) != 1)
		return false;
	ts.us = (int64_t)timegm(&tm) * SECOND_US;
	if (!ts_is_printable(ts))
		return false;
	record_set_time(a, r->root, name, ts);
	return true;
}

/* The names alone prove nothing: every certificate can contain the issuer's name. The
   signature is verified with the certificate's own key, and only when the names are equal, because
   a verification costs far more than a comparison.

   If OpenSSL does not support the key, the result is false; the certificate is stored nevertheless,
   without key_size. */
static bool
is_self_signed(X509 *x)
{
	EVP_PKEY *key = X509_get0_pubkey(x);

	return key != NULL &&
	       X509_NAME_cmp(X509_get_subject_name(x), X509_get_issuer_name(x)) == 0 &&
	       X509_verify(x, key) == 1;
}

static const char *
read_facts(struct arena *a, X509 *x, struct str der, struct record *r)
{
	unsigned char sum[SHA256_DIGEST_LENGTH];

	SHA256((const unsigned char *)der.p, der.n, sum);
	record_set_text(a, r->root, "fingerprint_sha256", certificate_hex(a, sum, sizeof(sum)));
	if (!set_asn1_time(a, r, "not_before", X509_get0_notBefore(x)) ||
	    !set_asn1_time(a, r, "not_after", X509_get0_notAfter(x)))
		return "its validity is no time";
	set_names(a, r, X509_get_subject_name(x), X509_get_issuer_name(x));
	add_alternative_names(a, r, x);
	set_serial(a, r, x);
	set_key(a, r, x);
	set_signature(a, r, x);
	record_set_bool(a, r->root, "self_signed", is_self_signed(x));
	record_set_bool(
	    a, r->root, "precertificate", X509_get_ext_by_NID(x, NID_ct_precert_poison, -1) >= 0);
	return NULL;
}

/* Bytes after the certificate are refused, except in the trusted form: a fingerprint that includes
   them would not be found by any other tool. The trusted form (BEGIN TRUSTED CERTIFICATE) has data
   of OpenSSL after the certificate; so the certificate is encoded again, and *der becomes the
   certificate without that data.

   The size is checked before OpenSSL parses anything. 65536 bytes are far more than any certificate
   of a server has. */
bool
record_certificate(
    struct arena *a, bool trusted, struct str *der, struct record *out, const char **why)
{
	const unsigned char *p = (const unsigned char *)der->p;
	X509 *x;

	*why = "it is larger than 65536 bytes";
	if (der->n > CERTIFICATE_DER)
		return false;
	x = trusted ? d2i_X509_AUX(NULL, &p, (long)der->n) : d2i_X509(NULL, &p, (long)der->n);
	*why = "it is no certificate";
	if (x == NULL)
		return false;
	if (!trusted && p != (const unsigned char *)der->p + der->n) {
		X509_free(x);
		*why = "there are bytes after the certificate";
		return false;
	}
	if (trusted) {
		unsigned char *alone = NULL;
		int n = i2d_X509(x, &alone);

		*der = n > 0 ? arena_str(a, (struct str){ (char *)alone, (size_t)n }) : STR("");
		OPENSSL_free(alone);
	}
	*out = record_new(a, DATASET_CERTIFICATES);
	*why = read_facts(a, x, *der, out);
	X509_free(x);
	return *why == NULL;
}
