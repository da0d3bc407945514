/* The files in which cloud providers publish their addresses.
   CLOUD_FORMAT(provider, list, prefix4, prefix6, region, service)
     list               the member of the document that has the prefixes; a provider with several
                        lists has a row for each
     prefix4, prefix6   the members with a prefix of IPv4 and IPv6; "": none
     region, service    the members that name them; "": none
   CLOUD_SHARED(provider, service): addresses that serve all customers, so they show nothing about
   a single one (C-173). */
#ifndef CLOUD_FORMAT
#define CLOUD_FORMAT(provider, list, prefix4, prefix6, region, service)
#endif
#ifndef CLOUD_SHARED
#define CLOUD_SHARED(provider, service)
#endif

CLOUD_FORMAT("AWS", "prefixes", "ip_prefix", "", "region", "service")
CLOUD_FORMAT("AWS", "ipv6_prefixes", "", "ipv6_prefix", "region", "service")
CLOUD_FORMAT("Google Cloud", "prefixes", "ipv4Prefix", "ipv6Prefix", "scope", "service")

CLOUD_SHARED("AWS", "CLOUDFRONT")
CLOUD_SHARED("AWS", "CLOUDFRONT_ORIGIN_FACING")
CLOUD_SHARED("AWS", "GLOBALACCELERATOR")
CLOUD_SHARED("AWS", "ROUTE53")
CLOUD_SHARED("AWS", "ROUTE53_HEALTHCHECKS")
CLOUD_SHARED("AWS", "API_GATEWAY")
CLOUD_SHARED("AWS", "S3")
CLOUD_SHARED("Azure", "AzureFrontDoor")
CLOUD_SHARED("Azure", "AzureTrafficManager")
CLOUD_SHARED("Azure", "AzureStorage")
CLOUD_SHARED("Azure", "Storage")
CLOUD_SHARED("Azure", "AzureAppService")
CLOUD_SHARED("Azure", "AppService")

#undef CLOUD_FORMAT
#undef CLOUD_SHARED
