/* A threat report. The later version replaces the earlier one as a whole, its indicators among it. uuid names the report;
   published_at may change, which moves the report among the answers (src/record/key.c).

   Every account reads every report. Reports of one account are to get a member that names their reader; until then
   src/record/report.c refuses those that nobody else may read. */

SEARCH_FIELD(REPORTS, "uuid",                        KEYWORD, 0, KEY, UUID, 36, 36, 0, EACH)
SEARCH_FIELD(REPORTS, "title",                       TEXT, 0, NATIVE, TEXT, 1, 2000, 0, REPORT)
SEARCH_FIELD(REPORTS, "summary",                     TEXT, 0, NATIVE, TEXT, 0, LIM_TEXT, 0, REPORT)
SEARCH_FIELD(REPORTS, "body",                        TEXT, 0, HIDDEN, TEXT, 0, 262144, 0, REPORT)
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
SEARCH_FIELD(REPORTS, "first_seen",                  DATE, 0, NATIVE, TIME, 0, 0, 0, LEAST)
SEARCH_FIELD(REPORTS, "last_seen",                   DATE, 0, NATIVE, TIME, 0, 0, 0, GREATEST)
SEARCH_FIELD(REPORTS, "indicators.type",             KEYWORD, 0, TERMS, INDICATOR, 1, 64, 0, REPORT)
SEARCH_FIELD(REPORTS, "indicators.value",            KEYWORD, 0, NATIVE, TEXT, 1, 4096, 0, REPORT)
SEARCH_FIELD(REPORTS, "indicators.ip",               IP, 0, HIDDEN, ADDRESS, 1, 64, 0, REPORT)
SEARCH_FIELD(REPORTS, "indicators.name",             DNS, 0, HIDDEN, NAME, 1, LIM_DNS_NAME, 0, REPORT)
SEARCH_FIELD(REPORTS, "indicators.labels",           KEYWORD, 0, TERMS, TEXT, 1, 200, 16, REPORT)
SEARCH_FIELD(REPORTS, "indicators.first_seen",       DATE, 0, NATIVE, TIME, 0, 0, 0, REPORT)
SEARCH_FIELD(REPORTS, "indicators.last_seen",        DATE, 0, NATIVE, TIME, 0, 0, 0, REPORT)
