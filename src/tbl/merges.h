/* How two values of a member of one record merge: MERGE(id, by, first, whole).
     EACH       the later record's value, and the earlier one's where the later has none
     LEAST, GREATEST   the smaller or greater number or time; true is greater than false
     UNION      all items of both lists
   The other rows are groups, whose members come from one of the two records, since they describe
   one observation:
     by     the member that decides which record that is; "": it is the later one that has any
            member of the group
     first  1: the record with the smaller `by` wins; 0: a record that has `by` wins over one without
     whole  1: two records of the same time are compared as a whole; 0: member by member, so that
            they complete each other
   At equal times the greater value wins, so the order of imports makes no difference; lists of HTTP
   are united. */
MERGE(EACH, "", 0, 0)
MERGE(LEAST, "", 0, 0)
MERGE(GREATEST, "", 0, 0)
MERGE(UNION, "", 0, 0)
MERGE(IDENTITY, "", 0, 0)
MERGE(BANNER, "", 0, 1)
MERGE(HTTP, "", 0, 0)
MERGE(TLS, "", 0, 0)
MERGE(CERTIFICATE, "", 0, 0)
MERGE(WHOIS, "", 0, 1)
MERGE(PARSED, "spki_sha256", 0, 0)
MERGE(CT, "ct.seen_at", 1, 1)
MERGE(REPORT, "", 0, 1)
MERGE(LISTING, "", 0, 1)
