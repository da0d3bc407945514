/* The names, rights and examples of a dataset's documents in the API:
     ANSWER(dataset, list, record, hit, scope, besides, entitlement, query, field, field)

   list    the member of a page that has the documents
   record  one document: the member of a look-up that has it, and the name of its schema
   hit     the schema of the documents of a page, which may have more members than the record
   scope        what a key needs to search and read them
   besides      what a key needs to count and aggregate them, besides search.aggregate; ANY: nothing
   entitlement  what its account needs for both
   query, field, field  an example of a query, and of two fields to aggregate, for openapi.json */
ANSWER(HOSTS, "hosts", "host", "host_hit", SEARCH_VIEW, ANY, SEARCH,
       "services.port:22 AND NOT country_code:US", "country_code", "services.port")
ANSWER(SERVICES, "services", "host_service", "host_service", SEARCH_VIEW, ANY, SEARCH,
       "port:22 AND NOT country_code:US", "port", "product")
ANSWER(DNS, "dns", "dns_record", "dns_record", SEARCH_VIEW, ANY, SEARCH,
       "host:example.com AND record_type:(A OR AAAA)", "record_type", "apex_domain")
ANSWER(WHOIS, "whois", "whois_domain", "whois_domain", SEARCH_VIEW, ANY, SEARCH,
       "whois.registrar:\"Example Registrar\"", "whois.registrar", "whois.status")
ANSWER(CERTIFICATES, "certificates", "certificate", "certificate", SEARCH_VIEW, ANY, SEARCH,
       "names:example.com AND self_signed:true", "issuer.organisation", "key_algorithm")
ANSWER(REPORTS, "reports", "report", "report_hit", REPORTS_VIEW, REPORTS_VIEW, REPORTS,
       "malware_families:*", "malware_families", "sectors")
ANSWER(DIRECTORIES, "open_directories", "open_directory", "open_directory_hit", SEARCH_VIEW, ANY, SEARCH,
       "files:(extension:ps1 AND size:>1000)", "", "")
