/* SPDX-License-Identifier: ISC */
/* Makes text that expat accepts of the XML that scanners write. Released scanners copy bytes of a
 * service into attributes, and XML has no form for some of them:
 *
 *     &#x1; &#0; &#xd800;   a reference to a character that no XML has     U+FFFD
 *     01 1b                 a control character                            U+FFFD
 *     c3 28                 no UTF-8                                       U+FFFD
 *     & &nbsp;              no reference that XML knows                    &amp; &amp;nbsp;
 *
 * U+FFFD is no part of a name or an address, so a value that must be exact is left out later, and a
 * banner keeps its place of the damage. No line feed is added or removed. Files in other encodings
 * than UTF-8 pass with their bytes above 0x7f, those in UTF-16 unchanged. */
#ifndef CLI_IMPORT_XML_CLEAN_H
#define CLI_IMPORT_XML_CLEAN_H

#include "base/base.h"

enum xml_encoding { XML_UTF8, XML_BYTES, XML_UTF16 };

struct xml_clean {
	enum xml_encoding encoding;
	struct buf text; /* the last text that was returned, on the heap */
	char kept[16];   /* the beginning of a reference or a character that the next bytes end */
	size_t n;
};

/* head: the first bytes of the file, which decide about its encoding. */
void xml_clean_open(struct xml_clean *c, struct str head);
void xml_clean_close(struct xml_clean *c);
/* Returns the clean form of the next bytes; no bytes are the end of the file. The text is valid
   until the next call. */
struct str xml_clean(struct xml_clean *c, struct str bytes);

#endif
