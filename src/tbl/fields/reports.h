/* A threat report. The later version replaces the earlier one as a whole, its indicators among it.
   uuid names the report; published_at may change, which moves the report among the answers
   (src/record/key.c).

   visibility is "*" for a report that every account reads, else the UUID of the one that does.
   Searches test it beside the client's query (query_restrict in src/search/query.h), and no query
   can name it. The members of the last rows are in the lines of imports alone: report_store
   (src/resource/report_store.h) keeps them in the tables of SQL. */

SEARCH_FIELD(REPORTS, "uuid",                        KEYWORD, 0, KEY, UUID, 36, 36, 0, EACH)
SEARCH_FIELD(REPORTS, "title",                       TEXT, 0, NATIVE, TEXT, 1, 2000, 0, REPORT)
SEARCH_FIELD(REPORTS, "summary",                     TEXT, 0, NATIVE, TEXT, 0, LIM_TEXT, 0, REPORT)
SEARCH_FIELD(REPORTS, "body",                        TEXT, 0, HIDDEN, TEXT, 0, LIM_REPORT_TEXT, 0, REPORT)
SEARCH_FIELD(REPORTS, "visibility",                  KEYWORD, 0, GUARD, TEXT, 1, 36, 0, REPORT)
SEARCH_FIELD(REPORTS, "source_kind",                 KEYWORD, 1, TERMS, TEXT, 0, 16, 0, REPORT)
SEARCH_FIELD(REPORTS, "revision",                    INTEGER, 0, NATIVE, NUMBER, 1, 9007199254740991, 0, REPORT)
SEARCH_FIELD(REPORTS, "publisher",                   KEYWORD, 1, TERMS, TEXT, 0, 800, 0, REPORT)
SEARCH_FIELD(REPORTS, "url",                         KEYWORD, 0, NATIVE, URL, 1, 2048, 0, REPORT)
SEARCH_FIELD(REPORTS, "language",                    KEYWORD, 1, TERMS, LOWER, 0, 35, 0, REPORT)
SEARCH_FIELD(REPORTS, "tlp",                         KEYWORD, 1, TERMS, TLP, 0, 16, 0, REPORT)
SEARCH_FIELD(REPORTS, "threat_actors",               KEYWORD, 1, TERMS, TEXT, 1, 800, 100, REPORT)
SEARCH_FIELD(REPORTS, "malware_families",            KEYWORD, 1, TERMS, TEXT, 1, 800, 100, REPORT)
SEARCH_FIELD(REPORTS, "techniques",                  KEYWORD, 1, TERMS, TECHNIQUE, 1, 16, 200, REPORT)
SEARCH_FIELD(REPORTS, "cves",                        KEYWORD, 1, TERMS, CVE, 1, 28, 500, REPORT)
SEARCH_FIELD(REPORTS, "sectors",                     KEYWORD, 1, TERMS, TEXT, 1, 800, 100, REPORT)
SEARCH_FIELD(REPORTS, "countries",                   KEYWORD, 1, TERMS, COUNTRY, 1, 64, 250, REPORT)
SEARCH_FIELD(REPORTS, "indicator_types",             KEYWORD, 1, TERMS, INDICATOR, 1, 64, 100, REPORT)
SEARCH_FIELD(REPORTS, "tags",                        KEYWORD, 1, TERMS, SLUG, 0, LIM_TAG_SLUG, 64, REPORT)
SEARCH_FIELD(REPORTS, "published_at",                DATE, 0, KEY, TIME, 0, 0, 0, REPORT)
SEARCH_FIELD(REPORTS, "imported_at",                 DATE, 0, NATIVE, TIME, 0, 0, 0, REPORT)
SEARCH_FIELD(REPORTS, "updated_at",                  DATE, 0, NATIVE, TIME, 0, 0, 0, REPORT)
SEARCH_FIELD(REPORTS, "first_seen",                  DATE, 0, NATIVE, TIME, 0, 0, 0, LEAST)
SEARCH_FIELD(REPORTS, "last_seen",                   DATE, 0, NATIVE, TIME, 0, 0, 0, GREATEST)
SEARCH_FIELD(REPORTS, "indicators.type",             KEYWORD, 0, TERMS, INDICATOR, 1, 64, 0, REPORT)
SEARCH_FIELD(REPORTS, "indicators.value",            KEYWORD, 0, NATIVE, TEXT, 1, 4096, 0, REPORT)
SEARCH_FIELD(REPORTS, "indicators.ip",               IP, 0, HIDDEN, ADDRESS, 1, 64, 0, REPORT)
SEARCH_FIELD(REPORTS, "indicators.name",             DNS, 0, HIDDEN, NAME, 1, LIM_DNS_NAME, 0, REPORT)
SEARCH_FIELD(REPORTS, "indicators.labels",           KEYWORD, 0, TERMS, TEXT, 1, 200, 16, REPORT)
SEARCH_FIELD(REPORTS, "indicators.first_seen",       DATE, 0, NATIVE, TIME, 0, 0, 0, REPORT)
SEARCH_FIELD(REPORTS, "indicators.last_seen",        DATE, 0, NATIVE, TIME, 0, 0, 0, REPORT)
MEMBER(REPORTS, "indicators.disposition",                 KEYWORD, LOWER, 0, 16, 0, REPORT)
MEMBER(REPORTS, "indicators.confidence",                  INTEGER, NUMBER, 0, 100, 0, REPORT)
MEMBER(REPORTS, "indicators.occurrences",                 INTEGER, NUMBER, 1, 1000000000, 0, REPORT)
MEMBER(REPORTS, "indicators.defanged",                    BOOLEAN, FLAG, 0, 0, 0, REPORT)
MEMBER(REPORTS, "indicators.section",                     KEYWORD, TEXT, 0, 800, 0, REPORT)
MEMBER(REPORTS, "indicators.context",                     KEYWORD, TEXT, 0, 1200, 0, REPORT)
MEMBER(REPORTS, "indicators.ignored_by",                  KEYWORD, TEXT, 0, 200, 0, REPORT)
MEMBER(REPORTS, "indicators.valid_until",                 DATE, TIME, 0, 0, 0, REPORT)
MEMBER(REPORTS, "status",                                 KEYWORD, LOWER, 0, 16, 0, REPORT)
