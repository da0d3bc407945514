/* SPDX-License-Identifier: ISC */
/* Builds a profile once, at the start of a session: every text that profile.h returns is
 * prepared here. A site can compare the parts with one another, so all are derived from the same
 * three facts: the profile's system, the browser's version and the country.
 *
 * The brands of the client hints are the difficult part, since Chrome derives their order and a
 * meaningless brand ("grease") from its major version (fill_brands), and a site can check that. */
#include "config.h"

#include "browser/runner/profile.h"
#include "json/json.h"

#include <errno.h>

/* An operating system as a browser reports it. */
struct os {
	const char *name, *user_agent, *platform;            /* navigator.platform */
	const char *ch_platform, *ch_version, *architecture; /* client hints */
};

static const struct os systems[] = {
	{ "windows", "Windows NT 10.0; Win64; x64", "Win32", "Windows", "15.0.0", "x86" },
	{ "macos", "Macintosh; Intel Mac OS X 10_15_7", "MacIntel", "macOS", "14.6.1", "arm" },
	{ "linux", "X11; Linux x86_64", "Linux x86_64", "Linux", "6.5.0", "x86" },
};

struct profile {
	struct buf user_agent, override, patch;
	struct buf brands, platform; /* values of sec-ch-ua and sec-ch-ua-platform */
	struct buf accept;           /* the value of accept-language */
	const char *languages, *locale;
	char timezone[64];
};

static const struct {
	const char *country, *locale, *languages;
} locales[] = {
#define LOCALE(country, locale, languages) { country, locale, languages },
#include "tbl/locales.h"
#undef LOCALE
};

static void
choose_languages(struct profile *p, struct str country)
{
	p->locale = "en-US";
	p->languages = "en-US,en";
	for (size_t i = 0; i < COUNT(locales); i++)
		if (str_is(country, locales[i].country)) {
			p->locale = locales[i].locale;
			p->languages = locales[i].languages;
		}
}

/* Takes the country's first zone of zone.tab, usually the zone of the capital or the largest city.
   A line is "US<tab>coordinates<tab>America/New_York<tab>comment". */
static void
choose_timezone(struct profile *p, struct str country)
{
	FILE *table = country.n == 2 ? fopen("/usr/share/zoneinfo/zone.tab", "re") : NULL;
	char line[512];

	while (
	    table != NULL && p->timezone[0] == '\0' && fgets(line, sizeof(line), table) != NULL) {
		const char *tab = strchr(line, '\t');

		if (tab == NULL || !str_eq((struct str){ line, (size_t)(tab - line) }, country) ||
		    (tab = strchr(tab + 1, '\t')) == NULL)
			continue;
		snprintf(p->timezone, sizeof(p->timezone), "%.*s", (int)strcspn(tab + 1, "\t\n"),
		    tab + 1);
	}
	if (table != NULL)
		fclose(table);
}

/* ---- brands: those of Chrome of the same major version, in its order and with its grease ---- */

struct brand {
	char name[32], major[8], full[64];
};

enum { BRANDS = 3 };

static void
fill_brands(struct brand out[BRANDS], struct str version)
{
	static const char grease[] = " (:-./);=?_";
	static const char *const versions[] = { "8", "99", "24" };
	static const unsigned char orders[6][BRANDS] = { { 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 },
		{ 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 } };
	size_t dot = 0, seed = 0;
	struct brand *b;

	while (dot < version.n && ascii_digit(version.p[dot]))
		seed = seed * 10 + (size_t)(version.p[dot++] - '0');
	b = &out[orders[seed % 6][0]];
	snprintf(
	    b->name, sizeof(b->name), "Not%cA%cBrand", grease[seed % 11], grease[(seed + 1) % 11]);
	snprintf(b->major, sizeof(b->major), "%s", versions[seed % 3]);
	snprintf(b->full, sizeof(b->full), "%s.0.0.0", versions[seed % 3]);
	for (size_t i = 1; i < BRANDS; i++) {
		b = &out[orders[seed % 6][i]];
		snprintf(b->name, sizeof(b->name), "%s", i == 1 ? "Chromium" : "Google Chrome");
		snprintf(b->major, sizeof(b->major), "%zu", seed);
		snprintf(b->full, sizeof(b->full), "%.*s", (int)version.n, version.p);
	}
}

/* ---- the params of CDP ---- */

struct brand_version {
	struct str brand, version;
};

struct metadata {
	struct list brands, fullVersionList; /* of struct brand_version */
	struct str fullVersion, platform, platformVersion, architecture, model, bitness;
	bool mobile, wow64;
};

struct override {
	struct str userAgent, acceptLanguage, platform;
	struct metadata userAgentMetadata;
};

struct evaluate {
	struct str expression;
};

static const struct field brand_fields[] = {
	FIELD(struct brand_version, brand, 0),
	FIELD(struct brand_version, version, 0),
	FIELD_END,
};

static const struct field metadata_fields[] = {
	LIST(struct metadata, brands, 0, struct brand_version, brand_fields, 0, 0),
	LIST(struct metadata, fullVersionList, 0, struct brand_version, brand_fields, 0, 0),
	FIELD(struct metadata, fullVersion, 0),
	FIELD(struct metadata, platform, 0),
	FIELD(struct metadata, platformVersion, 0),
	FIELD(struct metadata, architecture, 0),
	FIELD(struct metadata, model, 0),
	FIELD(struct metadata, mobile, 0),
	FIELD(struct metadata, bitness, 0),
	FIELD(struct metadata, wow64, 0),
	FIELD_END,
};

static const struct field override_fields[] = {
	FIELD(struct override, userAgent, 0),
	FIELD(struct override, acceptLanguage, 0),
	FIELD(struct override, platform, 0),
	OBJECT(struct override, userAgentMetadata, 0, metadata_fields),
	FIELD_END,
};

static const struct field evaluate_fields[] = {
	FIELD(struct evaluate, expression, 0),
	FIELD_END,
};

static void
write_override(struct profile *p, const struct os *os, struct str version)
{
	struct brand all[BRANDS];
	struct brand_version brands[BRANDS], full[BRANDS];
	struct override o = { .userAgent = buf_done(&p->user_agent),
		.acceptLanguage = str_of(p->languages),
		.platform = str_of(os->platform),
		.userAgentMetadata = {
		    .brands = { brands, BRANDS },
		    .fullVersionList = { full, BRANDS },
		    .fullVersion = version,
		    .platform = str_of(os->ch_platform),
		    .platformVersion = str_of(os->ch_version),
		    .architecture = str_of(os->architecture),
		    .model = STR(""),
		    .bitness = STR("64"),
		} };

	fill_brands(all, version);
	for (size_t i = 0; i < BRANDS; i++) {
		brands[i] = (struct brand_version){ str_of(all[i].name), str_of(all[i].major) };
		full[i] = (struct brand_version){ str_of(all[i].name), str_of(all[i].full) };
		buf_printf(
		    &p->brands, "%s\"%s\";v=\"%s\"", i > 0 ? ", " : "", all[i].name, all[i].major);
	}
	json_write(&p->override, override_fields, &o);
	buf_char(&p->override, '\0');
	buf_printf(&p->platform, "\"%s\"", os->ch_platform);
}

/* Chromium overrides the user agent of a worker but not its platform. The patch replaces the getter
   by a Proxy, because the source text of a Proxy of a native function is still "[native code]". */
static void
write_patch(struct profile *p, const struct os *os)
{
	struct buf text = { 0 };

	buf_z(&text, "(() => { const at = WorkerNavigator.prototype;"
		     " const d = Object.getOwnPropertyDescriptor(at, 'platform');"
		     " d.get = new Proxy(d.get, { apply: () => ");
	json_write_str(&text, str_of(os->platform));
	buf_z(&text, " }); Object.defineProperty(at, 'platform', d); })()");
	json_write(&p->patch, evaluate_fields, &(struct evaluate){ .expression = buf_done(&text) });
	buf_char(&p->patch, '\0');
	buf_free(&text);
}

/* Chrome writes the list as "de-DE,de;q=0.9,en-US;q=0.8". */
static void
write_accept(struct profile *p)
{
	const char *at = p->languages;

	for (int q = 10; *at != '\0'; q -= q > 1) {
		size_t n = strcspn(at, ",");

		buf_printf(&p->accept, "%s%.*s", q < 10 ? "," : "", (int)n, at);
		if (q < 10)
			buf_printf(&p->accept, ";q=0.%d", q);
		at += n + (at[n] == ',');
	}
}

struct profile *
profile_new(struct str name, struct str version, struct str country)
{
	const struct os *os = NULL;
	size_t major = 0;
	struct profile *p;

	for (size_t i = 0; i < COUNT(systems); i++)
		if (str_is(name, systems[i].name))
			os = &systems[i];
	if (os == NULL)
		return NULL;
	p = mem_zero(sizeof(*p));
	while (major < version.n && version.p[major] != '.')
		major++;
	buf_printf(&p->user_agent,
	    "Mozilla/5.0 (%s) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/%.*s.0.0.0 "
	    "Safari/537.36",
	    os->user_agent, (int)major, version.p);
	choose_languages(p, country);
	choose_timezone(p, country);
	write_accept(p);
	write_override(p, os, version);
	write_patch(p, os);
	return p;
}

void
profile_free(struct profile *p)
{
	if (p == NULL)
		return;
	buf_free(&p->user_agent);
	buf_free(&p->override);
	buf_free(&p->patch);
	buf_free(&p->brands);
	buf_free(&p->platform);
	buf_free(&p->accept);
	free(p);
}

struct str
profile_user_agent(const struct profile *p)
{
	return buf_done(&p->user_agent);
}

struct str
profile_languages(const struct profile *p)
{
	return str_of(p->languages);
}

struct str
profile_locale(const struct profile *p)
{
	return str_of(p->locale);
}

struct str
profile_timezone(const struct profile *p)
{
	return str_of(p->timezone);
}

const char *
profile_override(const struct profile *p)
{
	return p->override.p;
}

const char *
profile_worker_patch(const struct profile *p)
{
	return p->patch.p;
}

struct str
profile_header(const struct profile *p, struct str name)
{
	const struct {
		const char *name;
		struct str value;
	} headers[] = {
		{ "user-agent", buf_done(&p->user_agent) },
		{ "accept-language", buf_done(&p->accept) },
		{ "sec-ch-ua", buf_done(&p->brands) },
		{ "sec-ch-ua-mobile", STR("?0") },
		{ "sec-ch-ua-platform", buf_done(&p->platform) },
	};

	for (size_t i = 0; i < COUNT(headers); i++)
		if (str_is_nocase(name, headers[i].name))
			return headers[i].value;
	return STR_NULL;
}
