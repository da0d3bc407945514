/* The kinds of dangling DNS records. AREAS.md 4.
   DANGLING(id, name, title, remediation). title: the end of a sentence that begins with the name and the type of the
   record. remediation: an answer of the API gives it to people. */

DANGLING(CNAME_CLAIMABLE, "cname_claimable",
    "points to a name that anybody can claim",
    "Remove the record, or create the resource again at the provider before somebody else does.")
DANGLING(CNAME_PAGE, "cname_page",
    "shows a provider's page for names that nobody has claimed",
    "Remove the record, or claim the name at the provider before somebody else does.")
DANGLING(CNAME_UNREGISTERED, "cname_unregistered",
    "points to a domain that is not registered",
    "Remove the record, or register the domain.")
DANGLING(NS_UNREGISTERED, "ns_unregistered",
    "names a name server in a domain that is not registered",
    "Remove the name server from the delegation, or register its domain: whoever does so answers for the zone.")
DANGLING(NS_LAME, "ns_lame",
    "is delegated to a provider that does not serve the zone",
    "Remove the delegation, or create the zone again at the provider before somebody else does.")
DANGLING(MX_UNREGISTERED, "mx_unregistered",
    "names a mail exchanger in a domain that is not registered",
    "Remove the mail exchanger, or register its domain: whoever does so receives the mail.")
DANGLING(SRV_UNREGISTERED, "srv_unregistered",
    "names a server in a domain that is not registered",
    "Remove the record, or register the domain.")
DANGLING(SPF_INCLUDE_UNREGISTERED, "spf_include_unregistered",
    "takes senders of mail from a domain that is not registered",
    "Remove the mechanism from the policy, or register the domain: whoever does so sends mail in your name.")
DANGLING(ADDRESS_RELEASED, "address_released",
    "points to a cloud address that seems to be somebody else's",
    "Remove the record, or declare the address with metadata.allocated if it is yours.")
DANGLING(STALE_RECORD, "stale_record",
    "points to a name that does not exist",
    "Remove the record; it serves nobody, and the name may become claimable.")

#undef DANGLING
