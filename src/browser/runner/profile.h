/* SPDX-License-Identifier: ISC */
/* Who a browser says it is: the same in its flags, its headers, its documents and its workers. */
#ifndef BROWSER_RUNNER_PROFILE_H
#define BROWSER_RUNNER_PROFILE_H

#include "base/base.h"

struct profile;

/* name: windows, macos or linux. version: Chromium's own. country: ISO 3166-1 or empty; it chooses languages
   and time zone. NULL: there is no such profile. */
struct profile *profile_new(struct str name, struct str version, struct str country);
void profile_free(struct profile *p);

struct str profile_user_agent(const struct profile *p);
struct str profile_languages(const struct profile *p); /* "de-DE,de,en-US,en" */
struct str profile_locale(const struct profile *p);    /* "de-DE" */
struct str profile_timezone(const struct profile *p);  /* "Europe/Berlin"; empty: UTC */
/* The params of Emulation.setUserAgentOverride and Network.setUserAgentOverride. */
const char *profile_override(const struct profile *p);
/* The params of Runtime.evaluate that change a worker's navigator before its script runs. */
const char *profile_worker_patch(const struct profile *p);
/* The value that a request of this profile has in a header that a browser's first request may have from the
   real one (names in any case); p NULL: it is another header. */
struct str profile_header(const struct profile *p, struct str name);

#endif
