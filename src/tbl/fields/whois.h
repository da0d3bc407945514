/* The registration of a domain. The members of whois come from one answer, so they are replaced
   together. */

SEARCH_FIELD(WHOIS, "domain",                      DNS, 0, KEY, DOMAIN, 1, LIM_DNS_NAME, 0, EACH)
SEARCH_FIELD(WHOIS, "tld",                         KEYWORD, 1, TERMS, TEXT, 0, LIM_DNS_NAME, 0, EACH)
SEARCH_FIELD(WHOIS, "whois.registrar",             KEYWORD, 1, TERMS, TEXT, 0, LIM_TEXT, 0, WHOIS)
SEARCH_FIELD(WHOIS, "whois.registrar_iana_id",     INTEGER, 1, TERMS, NUMBER, 0, 2147483647, 0, WHOIS)
SEARCH_FIELD(WHOIS, "whois.status",                KEYWORD, 1, TERMS, EPP_STATUS, 0, LIM_TEXT, 100, WHOIS)
SEARCH_FIELD(WHOIS, "whois.dnssec",                BOOLEAN, 1, TERMS, FLAG, 0, 1, 0, WHOIS)
SEARCH_FIELD(WHOIS, "whois.nameservers",           DNS, 0, NATIVE, NAME, 1, LIM_DNS_NAME, 1000, WHOIS)
SEARCH_FIELD(WHOIS, "whois.registrant.organisation", KEYWORD, 1, TERMS, TEXT, 0, LIM_TEXT, 0, WHOIS)
SEARCH_FIELD(WHOIS, "whois.registrant.country_code", KEYWORD, 1, TERMS, COUNTRY, 0, 64, 0, WHOIS)
SEARCH_FIELD(WHOIS, "whois.registrant.email_hash", KEYWORD, 1, NATIVE, SHA256, 0, 64, 0, WHOIS)
SEARCH_FIELD(WHOIS, "whois.created_at",            DATE, 0, NATIVE, TIME, 0, 0, 0, WHOIS)
SEARCH_FIELD(WHOIS, "whois.updated_at",            DATE, 0, NATIVE, TIME, 0, 0, 0, WHOIS)
SEARCH_FIELD(WHOIS, "whois.expires_at",            DATE, 0, NATIVE, TIME, 0, 0, 0, WHOIS)
SEARCH_FIELD(WHOIS, "first_seen",                  DATE, 0, NATIVE, TIME, 0, 0, 0, LEAST)
SEARCH_FIELD(WHOIS, "last_seen",                   DATE, 0, NATIVE, TIME, 0, 0, 0, GREATEST)
