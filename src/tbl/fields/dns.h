/* A DNS record: one answer of a name and type, or the answer code of a name and type without
   answers. */

SEARCH_FIELD(DNS, "host",                        DNS, 1, KEY, OWNER, 1, LIM_DNS_NAME, 0, EACH)
SEARCH_FIELD(DNS, "record_type",                 KEYWORD, 1, KEY, DNS_TYPE, 1, 16, 0, EACH)
SEARCH_FIELD(DNS, "rcode",                       KEYWORD, 1, KEY, RCODE, 1, 16, 0, EACH)
SEARCH_FIELD(DNS, "answer",                      KEYWORD, 1, KEY, TEXT, 0, LIM_ANSWER, 0, EACH)
SEARCH_FIELD(DNS, "answer_ip",                   IP, 1, NATIVE, ADDRESS, 1, 64, 0, EACH)
SEARCH_FIELD(DNS, "answer_name",                 DNS, 0, NATIVE, OWNER, 1, LIM_DNS_NAME, 0, EACH)
SEARCH_FIELD(DNS, "apex_domain",                 DNS, 1, NATIVE, NAME, 1, LIM_DNS_NAME, 0, EACH)
SEARCH_FIELD(DNS, "tld",                         KEYWORD, 1, TERMS, TEXT, 0, LIM_DNS_NAME, 0, EACH)
SEARCH_FIELD(DNS, "ttl",                         INTEGER, 1, TERMS, NUMBER, 0, 4294967295, 0, EACH)
SEARCH_FIELD(DNS, "wildcard",                    BOOLEAN, 1, TERMS, FLAG, 0, 1, 0, GREATEST)
SEARCH_FIELD(DNS, "count",                       INTEGER, 0, NATIVE, NUMBER, 0, 9007199254740991, 0, GREATEST)
SEARCH_FIELD(DNS, "source",                      KEYWORD, 1, TERMS, TEXT, 0, 200, 100, UNION)
SEARCH_FIELD(DNS, "first_seen",                  DATE, 0, NATIVE, TIME, 0, 0, 0, LEAST)
SEARCH_FIELD(DNS, "last_seen",                   DATE, 0, NATIVE, TIME, 0, 0, 0, GREATEST)
