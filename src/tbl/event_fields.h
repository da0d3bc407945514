/* Members that events leave out, or show only when the record is gone: EVENT_FIELD(dataset, name,
   when). An object's row holds for all members below it. Members of the key need no row: the answer
   names the record, and the event its nested object.
     NEVER  it follows from another member or never changes; of registrations, events show
            the registrar, the name servers and the dates alone (C-412)
     GONE   a time, which the event shows when the record or the nested object is gone, since it is
            stored nowhere else then */
EVENT_FIELD(HOSTS, "ip_version", NEVER)
EVENT_FIELD(HOSTS, "apex_domains", NEVER)
EVENT_FIELD(HOSTS, "service_count", NEVER)
EVENT_FIELD(HOSTS, "services", NEVER)
EVENT_FIELD(HOSTS, "first_seen", GONE)
EVENT_FIELD(HOSTS, "last_seen", GONE)
EVENT_FIELD(HOSTS, "services.first_seen", GONE)
EVENT_FIELD(HOSTS, "services.last_seen", GONE)
EVENT_FIELD(WHOIS, "tld", NEVER)
EVENT_FIELD(WHOIS, "whois.registrar_iana_id", NEVER)
EVENT_FIELD(WHOIS, "whois.status", NEVER)
EVENT_FIELD(WHOIS, "whois.dnssec", NEVER)
EVENT_FIELD(WHOIS, "whois.registrant", NEVER)
EVENT_FIELD(WHOIS, "first_seen", GONE)
EVENT_FIELD(WHOIS, "last_seen", GONE)
