/* Providers whose customers may leave a name behind that somebody else can claim
   (C-169, C-172). TAKEOVER(provider, suffix, mode, claim, shape, labels_below, page, note, checked)

     suffix        the names below it are the provider's; '*' in a label matches any characters
     mode          how an unclaimed name is recognised. NXDOMAIN: it does not exist. PAGE: the
                   provider answers with a page. NS: it is a name server, and the zone has no SOA
     claim         OPEN: the first who asks gets the name. DISPUTED: sources differ, or it depends
                   on the account. CLOSED: the provider chooses names at random, checks the domain,
                   or no longer gives names
     shape         the labels below the suffix. ANY: any labels. ONE: the customer's label. REGION:
                   the customer's label and a region. NUMBERED: a label that the provider makes, and
                   that nobody can ask for
     labels_below  how many labels; 0: any number
     page          a text of the page; "": none is known
     note          the provider's document that supports the row
     checked       the day on which the row was compared with public facts, and where they were: the
                   site of a document, the name of a public list, or names in public repositories;
                   "": the row was written from memory

   The public lists: can-i-take-over-xyz (EdOverflow, of 2025-02-08), can-i-take-over-dns
   (indianajson, of 2025-03-03), dnsReaper (punk-security, of 2025-10-04), subjack (haccer, of
   2026-03-16), nuclei-templates (projectdiscovery, of different days).

   A provider that shows several pages has a row for each. Customers of one that answers with a page
   may share a name, so the suffix itself counts too. When several rows fit a name, the longest
   suffix wins, then the row that asks for the number of labels. A name below a suffix that fits no
   shape is treated like a name of an unknown provider. An import of fingerprints adds suffixes and
   pages, and changes no row. */

/* ---- names that NXDOMAIN shows to be unclaimed ---- */
TAKEOVER("AWS Elastic Beanstalk", "elasticbeanstalk.com", NXDOMAIN, OPEN, REGION, 2, "", "docs.aws.amazon.com, CheckDNSAvailability", "2026-11-28, can-i-take-over-xyz, nuclei-templates")
TAKEOVER("AWS Elastic Beanstalk", "elasticbeanstalk.com", NXDOMAIN, CLOSED, ONE, 1, "", "names without a region are no longer given", "2026-11-28, nuclei-templates")
TAKEOVER("AWS Elastic Load Balancing", "elb.amazonaws.com", NXDOMAIN, CLOSED, NUMBERED, 0, "", "docs.aws.amazon.com, DNS name of a load balancer", "2026-11-28, docs.aws.amazon.com, can-i-take-over-xyz")
TAKEOVER("AWS Elastic Load Balancing", "elb.*.amazonaws.com", NXDOMAIN, CLOSED, NUMBERED, 0, "", "docs.aws.amazon.com, network load balancers", "2026-11-28, public repositories")
TAKEOVER("AWS API Gateway", "execute-api.*.amazonaws.com", NXDOMAIN, CLOSED, NUMBERED, 0, "", "docs.aws.amazon.com, the API ID is generated", "2026-11-28, docs.aws.amazon.com")
TAKEOVER("AWS CloudFront", "cloudfront.net", NXDOMAIN, CLOSED, NUMBERED, 0, "", "docs.aws.amazon.com, the domain name of a distribution is generated", "2026-11-28, docs.aws.amazon.com, can-i-take-over-xyz")
TAKEOVER("AWS Amplify", "amplifyapp.com", NXDOMAIN, CLOSED, NUMBERED, 0, "", "docs.aws.amazon.com, the app ID is generated", "2026-11-28, docs.aws.amazon.com")
TAKEOVER("AWS App Runner", "awsapprunner.com", NXDOMAIN, CLOSED, NUMBERED, 0, "", "docs.aws.amazon.com, the default domain is generated", "2026-11-28, docs.aws.amazon.com")
TAKEOVER("Azure App Service", "azurewebsites.net", NXDOMAIN, OPEN, ONE, 1, "", "learn.microsoft.com, subdomain takeover", "2026-11-28, learn.microsoft.com, can-i-take-over-xyz, nuclei-templates, dnsReaper")
TAKEOVER("Azure App Service", "azurewebsites.net", NXDOMAIN, CLOSED, NUMBERED, 2, "", "learn.microsoft.com, secure unique default hostnames", "2026-11-28, learn.microsoft.com")
TAKEOVER("Azure Traffic Manager", "trafficmanager.net", NXDOMAIN, OPEN, ONE, 1, "", "learn.microsoft.com, subdomain takeover", "2026-11-28, learn.microsoft.com, nuclei-templates, dnsReaper, subjack")
TAKEOVER("Azure public IP address", "cloudapp.azure.com", NXDOMAIN, OPEN, REGION, 2, "", "learn.microsoft.com, DNS name labels", "2026-11-28, learn.microsoft.com, can-i-take-over-xyz, nuclei-templates, dnsReaper")
TAKEOVER("Azure public IP address", "cloudapp.azure.com", NXDOMAIN, CLOSED, NUMBERED, 3, "", "learn.microsoft.com, domain name label scope", "2026-11-28, learn.microsoft.com")
TAKEOVER("Azure Cloud Services (classic)", "cloudapp.net", NXDOMAIN, CLOSED, ONE, 0, "", "learn.microsoft.com, retired on 31 August 2024", "2026-11-28, docs.azure.cn")
TAKEOVER("Azure Blob Storage", "blob.core.windows.net", NXDOMAIN, OPEN, ONE, 1, "", "learn.microsoft.com, subdomain takeover", "2026-11-28, learn.microsoft.com, can-i-take-over-xyz, nuclei-templates, dnsReaper")
TAKEOVER("Azure static website", "web.core.windows.net", NXDOMAIN, OPEN, REGION, 2, "", "learn.microsoft.com, static website hosting", "2026-11-28, nuclei-templates")
TAKEOVER("Azure API Management", "azure-api.net", NXDOMAIN, OPEN, ONE, 1, "", "learn.microsoft.com, subdomain takeover", "2026-11-28, learn.microsoft.com, can-i-take-over-xyz, nuclei-templates, dnsReaper")
TAKEOVER("Azure Container Instances", "azurecontainer.io", NXDOMAIN, OPEN, REGION, 2, "", "learn.microsoft.com, subdomain takeover", "2026-11-28, learn.microsoft.com, can-i-take-over-xyz, nuclei-templates, dnsReaper")
TAKEOVER("Azure Container Instances", "azurecontainer.io", NXDOMAIN, CLOSED, NUMBERED, 3, "", "learn.microsoft.com, DNS name label scope", "2026-11-28, learn.microsoft.com")
TAKEOVER("Azure CDN", "azureedge.net", NXDOMAIN, CLOSED, ONE, 1, "", "learn.microsoft.com, no new profile or domain since 15 August 2025", "2026-11-28, learn.microsoft.com")
TAKEOVER("Azure Front Door", "azurefd.net", NXDOMAIN, CLOSED, ONE, 1, "", "learn.microsoft.com, no new classic profile or domain", "2026-11-28, learn.microsoft.com")
TAKEOVER("Azure Front Door", "azurefd.net", NXDOMAIN, CLOSED, NUMBERED, 2, "", "learn.microsoft.com, endpoint names have a hash", "2026-11-28, learn.microsoft.com")
TAKEOVER("Azure Static Web Apps", "azurestaticapps.net", NXDOMAIN, CLOSED, NUMBERED, 0, "", "learn.microsoft.com, the default hostname is generated", "2026-11-28, learn.microsoft.com")
TAKEOVER("Azure Cache for Redis", "redis.cache.windows.net", NXDOMAIN, DISPUTED, ONE, 1, "", "learn.microsoft.com, only customers from before April 2026 can create caches", "2026-11-28, api-evangelist, can-i-take-over-xyz, nuclei-templates, dnsReaper")
TAKEOVER("Azure AI Search", "search.windows.net", NXDOMAIN, DISPUTED, ONE, 1, "", "learn.microsoft.com, service names are global", "2026-11-28, can-i-take-over-xyz, nuclei-templates, dnsReaper")
TAKEOVER("Azure HDInsight", "azurehdinsight.net", NXDOMAIN, DISPUTED, ONE, 1, "", "public lists, cluster names are global", "2026-11-28, can-i-take-over-xyz, nuclei-templates, dnsReaper, subjack")
TAKEOVER("Azure SQL Database", "database.windows.net", NXDOMAIN, DISPUTED, ONE, 1, "", "public lists, server names are global", "2026-11-28, can-i-take-over-xyz, nuclei-templates, dnsReaper")
TAKEOVER("Azure Container Registry", "azurecr.io", NXDOMAIN, DISPUTED, ONE, 1, "", "public lists, registry names are global", "2026-11-28, can-i-take-over-xyz, nuclei-templates, dnsReaper")
TAKEOVER("Azure Service Bus", "servicebus.windows.net", NXDOMAIN, DISPUTED, ONE, 1, "", "public lists, namespaces are global", "2026-11-28, can-i-take-over-xyz, nuclei-templates, dnsReaper")
TAKEOVER("Discourse", "trydiscourse.com", NXDOMAIN, OPEN, ONE, 1, "", "discourse.org, names of hosted forums", "2026-11-28, can-i-take-over-xyz, subjack")
TAKEOVER("Heroku", "herokudns.com", NXDOMAIN, CLOSED, NUMBERED, 0, "", "devcenter.heroku.com, DNS targets are generated", "2026-11-28, public repositories")
TAKEOVER("Google Cloud Run", "run.app", NXDOMAIN, CLOSED, NUMBERED, 0, "", "cloud.google.com, service URLs have the project's number", "2026-11-28, cloud.google.com")
TAKEOVER("Fly.io", "fly.dev", NXDOMAIN, DISPUTED, ONE, 1, "", "fly.io/docs, app names are global", "2026-11-28, fly.io, can-i-take-over-xyz")

/* ---- names that a page shows to be unclaimed ---- */
TAKEOVER("AWS S3", "s3.amazonaws.com", PAGE, OPEN, ANY, 0, "<Code>NoSuchBucket</Code>", "docs.aws.amazon.com, bucket names are global", "2026-11-28, docs.aws.amazon.com, can-i-take-over-xyz, nuclei-templates, subjack")
TAKEOVER("AWS S3", "s3.*.amazonaws.com", PAGE, OPEN, ANY, 0, "<Code>NoSuchBucket</Code>", "docs.aws.amazon.com, virtual hosting of buckets", "2026-11-28, docs.aws.amazon.com, nuclei-templates")
TAKEOVER("AWS S3", "*-an.s3.*.amazonaws.com", PAGE, CLOSED, NUMBERED, 0, "<Code>NoSuchBucket</Code>", "docs.aws.amazon.com, account regional namespaces", "2026-11-28, docs.aws.amazon.com, nuclei-templates")
TAKEOVER("AWS S3", "s3-website-*.amazonaws.com", PAGE, OPEN, ANY, 0, "<li>Code: NoSuchBucket</li>", "docs.aws.amazon.com, website endpoints", "2026-11-28, docs.aws.amazon.com, nuclei-templates, subjack")
TAKEOVER("AWS S3", "s3-website.*.amazonaws.com", PAGE, OPEN, ANY, 0, "<li>Code: NoSuchBucket</li>", "docs.aws.amazon.com, website endpoints", "2026-11-28, docs.aws.amazon.com, nuclei-templates, subjack")
TAKEOVER("Bitbucket", "bitbucket.io", PAGE, DISPUTED, ONE, 1, "Repository not found", "Bitbucket has announced the end of custom domains for 1 July 2015", "2026-11-28, haikuports issue 220, can-i-take-over-xyz, nuclei-templates, subjack")
TAKEOVER("Ghost", "ghost.io", PAGE, OPEN, ANY, 0, "Failed to resolve DNS path for this host", "ghost.org/docs, custom domains", "2026-11-28, can-i-take-over-xyz, subjack")
TAKEOVER("Ghost", "ghost.io", PAGE, OPEN, ANY, 0, "Site unavailable.", "ghost.org/docs, custom domains", "2026-11-28, can-i-take-over-xyz")
TAKEOVER("GitHub Pages", "github.io", PAGE, DISPUTED, ANY, 0, "There isn't a GitHub Pages site here.", "docs.github.com, verifying a custom domain", "2026-11-28, docs.github.com, can-i-take-over-xyz, nuclei-templates, dnsReaper")
TAKEOVER("GitLab Pages", "gitlab.io", PAGE, CLOSED, ANY, 0, "", "docs.gitlab.com, a custom domain is verified", "2026-11-28, gitlab.com, can-i-take-over-xyz")
TAKEOVER("Google Cloud Storage", "c.storage.googleapis.com", PAGE, CLOSED, ANY, 0, "The specified bucket does not exist.</Message>", "cloud.google.com, a domain-named bucket is verified", "2026-11-28, can-i-take-over-xyz")
TAKEOVER("Help Scout", "helpscoutdocs.com", PAGE, OPEN, ANY, 0, "No settings were found for this company:", "docs.helpscout.com, custom domains", "2026-11-28, can-i-take-over-xyz, nuclei-templates, subjack")
TAKEOVER("Heroku", "herokuapp.com", PAGE, DISPUTED, ONE, 1, "herokucdn.com/error-pages/no-such-app.html", "devcenter.heroku.com, app names", "2026-11-28, can-i-take-over-xyz, nuclei-templates")
TAKEOVER("HubSpot", "hubspot.net", PAGE, DISPUTED, ANY, 0, "does not exist in our system", "knowledge.hubspot.com, connect a domain", "2026-11-28, can-i-take-over-xyz, nuclei-templates, public repositories")
TAKEOVER("HubSpot", "hs-sites.com", PAGE, DISPUTED, ANY, 0, "does not exist in our system", "knowledge.hubspot.com, connect a domain", "2026-11-28, can-i-take-over-xyz, nuclei-templates, public repositories")
TAKEOVER("HubSpot", "hscoscdn*.net", PAGE, DISPUTED, ANY, 0, "does not exist in our system", "knowledge.hubspot.com, connect a domain", "2026-11-28, can-i-take-over-xyz, nuclei-templates, public repositories")
TAKEOVER("Intercom", "custom.intercom.help", PAGE, DISPUTED, ANY, 0, "This page is reserved for artistic dogs.", "intercom.com/help, custom domains", "2026-11-28, can-i-take-over-xyz, nuclei-templates, subjack")
TAKEOVER("Netlify", "netlify.app", PAGE, DISPUTED, ONE, 1, "Not Found - Request ID:", "docs.netlify.com, custom domains", "2026-11-28, can-i-take-over-xyz, nuclei-templates, dnsReaper")
TAKEOVER("Netlify", "netlify.com", PAGE, DISPUTED, ONE, 1, "Not Found - Request ID:", "docs.netlify.com, custom domains", "2026-11-28, can-i-take-over-xyz, nuclei-templates, public repositories")
TAKEOVER("Pantheon", "pantheonsite.io", PAGE, CLOSED, ANY, 0, "404 error unknown site!", "docs.pantheon.io, a custom domain is verified since July 2024", "2026-11-28, can-i-take-over-xyz discussion 474, subjack")
TAKEOVER("Pantheon", "pantheonsite.io", PAGE, CLOSED, ANY, 0, "The gods are wise, but do not know of the site which you seek.", "docs.pantheon.io, a custom domain is verified since July 2024", "2026-11-28, can-i-take-over-xyz discussion 474, nuclei-templates")
TAKEOVER("ReadMe", "readme.io", PAGE, OPEN, ANY, 0, "The creators of this project are still working on making everything perfect!", "docs.readme.com, custom domains", "2026-11-28, can-i-take-over-xyz, subjack")
TAKEOVER("ReadMe", "readme.io", PAGE, OPEN, ANY, 0, "Project doesnt exist... yet!", "docs.readme.com, custom domains", "2026-11-28, nuclei-templates")
TAKEOVER("Shopify", "myshopify.com", PAGE, DISPUTED, ONE, 1, "Sorry, this shop is currently unavailable.", "help.shopify.com, third-party domains", "2026-11-28, can-i-take-over-xyz, nuclei-templates, subjack")
TAKEOVER("Shopify", "myshopify.com", PAGE, DISPUTED, ONE, 1, "Sorry, this store is currently unavailable.", "help.shopify.com, third-party domains", "2026-11-28, nuclei-templates")
TAKEOVER("Surge", "surge.sh", PAGE, OPEN, ANY, 0, "project not found", "surge.sh/help, adding a custom domain", "2026-11-28, can-i-take-over-xyz, nuclei-templates, dnsReaper")
TAKEOVER("Surge", "na-west1.surge.sh", PAGE, OPEN, ANY, 0, "", "surge.sh/help, adding a custom domain", "2026-11-28, can-i-take-over-xyz")
TAKEOVER("Tilda", "tilda.ws", PAGE, DISPUTED, ANY, 0, "Please go to the site settings and put the domain name in the Domain tab.", "help.tilda.cc, connecting a domain", "2026-11-28, can-i-take-over-xyz, nuclei-templates, public repositories")
TAKEOVER("Tumblr", "domains.tumblr.com", PAGE, DISPUTED, ANY, 0, "Whatever you were looking for doesn't currently exist at this address", "help.tumblr.com, custom domains", "2026-11-28, can-i-take-over-xyz, nuclei-templates, subjack")
TAKEOVER("Vercel", "vercel-dns.com", PAGE, DISPUTED, ANY, 0, "The deployment could not be found on Vercel", "vercel.com/docs, verifying a domain", "2026-11-28, vercel.com, can-i-take-over-xyz, nuclei-templates")
TAKEOVER("Vercel", "vercel-dns-*.com", PAGE, DISPUTED, ANY, 0, "The deployment could not be found on Vercel", "vercel.com/docs, verifying a domain", "2026-11-28, can-i-take-over-xyz, nuclei-templates, public repositories")
TAKEOVER("Vercel", "vercel.app", PAGE, DISPUTED, ONE, 1, "The deployment could not be found on Vercel", "vercel.com/docs, domains", "2026-11-28, can-i-take-over-xyz, nuclei-templates")
TAKEOVER("Webflow", "proxy.webflow.com", PAGE, DISPUTED, ANY, 0, "The page you are looking for doesn't exist or has been moved.", "help.webflow.com, custom domains", "2026-11-28, can-i-take-over-xyz, nuclei-templates, subjack")
TAKEOVER("Webflow", "proxy-ssl.webflow.com", PAGE, DISPUTED, ANY, 0, "The page you are looking for doesn't exist or has been moved.", "help.webflow.com, custom domains", "2026-11-28, can-i-take-over-xyz, nuclei-templates, subjack")
TAKEOVER("Webflow", "cdn.webflow.com", PAGE, DISPUTED, ANY, 0, "The page you are looking for doesn't exist or has been moved.", "help.webflow.com, custom domains", "2026-11-28, can-i-take-over-xyz, nuclei-templates, public repositories")
TAKEOVER("Webflow", "proxy-ssl.webflow.com", PAGE, DISPUTED, ANY, 0, "The page you are looking for doesn&#x27;t exist or has been moved", "help.webflow.com, custom domains", "2026-11-28, nuclei-templates")
TAKEOVER("Wix", "wixdns.net", PAGE, DISPUTED, ANY, 0, "Looks Like This Domain Isn't Connected To A Website Yet!", "support.wix.com, connecting a domain", "2026-11-28, can-i-take-over-xyz, public repositories")
TAKEOVER("Wix", "wixdns.net", PAGE, DISPUTED, ANY, 0, "Error ConnectYourDomain occurred", "support.wix.com, connecting a domain", "2026-11-28, nuclei-templates, dnsReaper")
TAKEOVER("WordPress.com", "wordpress.com", PAGE, OPEN, ONE, 1, "Do you want to register", "wordpress.com/support, free addresses", "2026-11-28, can-i-take-over-xyz, nuclei-templates, dnsReaper, subjack")
TAKEOVER("Zendesk", "zendesk.com", PAGE, DISPUTED, ONE, 1, "Help Center Closed", "support.zendesk.com, host mapping", "2026-11-28, can-i-take-over-xyz, nuclei-templates")
TAKEOVER("Zendesk", "zendesk.com", PAGE, DISPUTED, ONE, 1, "this help center no longer exists", "support.zendesk.com, host mapping", "2026-11-28, nuclei-templates")
TAKEOVER("Fastly", "fastly.net", PAGE, CLOSED, ANY, 0, "Fastly error: unknown domain", "docs.fastly.com, a domain belongs to one account", "2026-11-28, can-i-take-over-xyz")
TAKEOVER("Firebase Hosting", "web.app", PAGE, CLOSED, ANY, 0, "", "firebase.google.com, a custom domain is verified", "2026-11-28, can-i-take-over-xyz")
TAKEOVER("Statuspage", "stspg-customer.com", PAGE, CLOSED, NUMBERED, 0, "", "support.atlassian.com, custom domains", "2026-11-28, can-i-take-over-xyz, public repositories")
TAKEOVER("Agile CRM", "agilecrm.com", PAGE, OPEN, ANY, 0, "Sorry, this page is no longer available.", "public lists, landing pages", "2026-11-28, can-i-take-over-xyz, nuclei-templates, subjack")
TAKEOVER("Agile CRM", "agilecrm.com", PAGE, OPEN, ANY, 0, "No landing page found.", "public lists, landing pages", "2026-11-28, dnsReaper")
TAKEOVER("Aha", "aha.io", PAGE, OPEN, ANY, 0, "There is no portal here ... sending you back to Aha!", "public lists, ideas portals", "2026-11-28, nuclei-templates, dnsReaper")
TAKEOVER("Airee", "airee.ru", PAGE, OPEN, ANY, 0, "Ошибка 402. Сервис Айри.рф не оплачен", "public lists, content delivery", "2026-11-28, can-i-take-over-xyz, nuclei-templates, dnsReaper")
TAKEOVER("Anima", "animaapp.io", PAGE, OPEN, ANY, 0, "The page you were looking for does not exist.", "public lists, custom domains", "2026-11-28, can-i-take-over-xyz, subjack")
TAKEOVER("Anima", "animaapp.io", PAGE, OPEN, ANY, 0, "If this is your website and you've just created it, try refreshing in a minute", "public lists, custom domains", "2026-11-28, nuclei-templates")
TAKEOVER("Big Cartel", "bigcartel.com", PAGE, OPEN, ANY, 0, "<h1>Oops! We couldn&#8217;t find that page.</h1>", "public lists, custom domains", "2026-11-28, nuclei-templates, dnsReaper, subjack")
TAKEOVER("Campaign Monitor", "createsend.com", PAGE, OPEN, ANY, 0, "Trying to access your account?", "public lists, custom domains", "2026-11-28, can-i-take-over-xyz, nuclei-templates, subjack")
TAKEOVER("Canny", "canny.io", PAGE, OPEN, ANY, 0, "There is no such company. Did you enter the right URL?", "public lists, custom domains", "2026-11-28, can-i-take-over-xyz, nuclei-templates, subjack")
TAKEOVER("Cargo", "cargo.site", PAGE, OPEN, ANY, 0, "If you're moving your domain away from Cargo you must make this configuration", "public lists, custom domains", "2026-11-28, can-i-take-over-xyz, nuclei-templates, dnsReaper")
TAKEOVER("GetResponse", "gr8.com", PAGE, OPEN, ANY, 0, "With GetResponse Landing Pages, lead generation has never been easier", "public lists, landing pages", "2026-11-28, can-i-take-over-xyz, nuclei-templates, dnsReaper, subjack")
TAKEOVER("Hatena Blog", "hatenablog.com", PAGE, OPEN, ANY, 0, "404 Blog is not found", "public lists, custom domains", "2026-11-28, can-i-take-over-xyz, nuclei-templates, dnsReaper, subjack")
TAKEOVER("Helpjuice", "helpjuice.com", PAGE, OPEN, ANY, 0, "We could not find what you're looking for.", "public lists, custom domains", "2026-11-28, can-i-take-over-xyz, nuclei-templates, subjack")
TAKEOVER("JetBrains YouTrack", "youtrack.cloud", PAGE, OPEN, ANY, 0, "is not a registered InCloud YouTrack", "public lists, custom domains", "2026-11-28, can-i-take-over-xyz, nuclei-templates")
TAKEOVER("JetBrains YouTrack", "myjetbrains.com", PAGE, OPEN, ANY, 0, "is not a registered InCloud YouTrack", "public lists, custom domains", "2026-11-28, nuclei-templates, dnsReaper, subjack")
TAKEOVER("LaunchRock", "launchrock.com", PAGE, OPEN, ANY, 0, "It looks like you may have taken a wrong turn somewhere", "public lists, custom domains", "2026-11-28, can-i-take-over-xyz, nuclei-templates, dnsReaper")
TAKEOVER("Lightspeed Retail", "vendhq.com", PAGE, OPEN, ANY, 0, "Looks like you've traveled too far into cyberspace.", "public lists, custom domains", "2026-11-28, nuclei-templates, dnsReaper")
TAKEOVER("Mashery", "mashery.com", PAGE, DISPUTED, ANY, 0, "Unrecognized domain", "public lists, custom domains", "2026-11-28, can-i-take-over-xyz, nuclei-templates, dnsReaper")
TAKEOVER("ngrok", "ngrok.io", PAGE, DISPUTED, ANY, 0, "ngrok.io not found", "ngrok.com/docs, the target of a domain is generated", "2026-11-28, can-i-take-over-xyz, nuclei-templates, subjack")
TAKEOVER("ngrok", "ngrok.io", PAGE, DISPUTED, ANY, 0, "ERR_NGROK_3200", "ngrok.com/docs, the target of a domain is generated", "2026-11-28, dnsReaper")
TAKEOVER("Pingdom", "pingdom.com", PAGE, OPEN, ANY, 0, "Sorry, couldn't find the status page", "public lists, public reports", "2026-11-28, can-i-take-over-xyz, subjack")
TAKEOVER("Pingdom", "pingdom.com", PAGE, OPEN, ANY, 0, "This public report page has not been activated by the user", "public lists, public reports", "2026-11-28, nuclei-templates")
TAKEOVER("Read the Docs", "readthedocs.io", PAGE, OPEN, ANY, 0, "The link you have followed or the URL that you entered does not exist.", "docs.readthedocs.com, custom domains", "2026-11-28, readthedocs.org issue 11242, can-i-take-over-xyz")
TAKEOVER("Read the Docs", "readthedocs.io", PAGE, OPEN, ANY, 0, "unknown to Read the Docs", "docs.readthedocs.com, custom domains", "2026-11-28, readthedocs.org issue 11242, nuclei-templates")
TAKEOVER("Short.io", "short.io", PAGE, OPEN, ANY, 0, "This domain is not configured on Short.io", "public lists, custom domains", "2026-11-28, can-i-take-over-xyz, nuclei-templates, dnsReaper")
TAKEOVER("Simplebooklet", "simplebooklet.com", PAGE, OPEN, ANY, 0, "The link to this Simplebooklet may have changed", "public lists, custom domains", "2026-11-28, nuclei-templates, dnsReaper")
TAKEOVER("SmartJobBoard", "mysmartjobboard.com", PAGE, OPEN, ANY, 0, "This job board website is either expired or its domain name is invalid.", "public lists, custom domains", "2026-11-28, can-i-take-over-xyz, nuclei-templates, dnsReaper")
TAKEOVER("SmartJobBoard", "mysmartjobboard.com", PAGE, OPEN, ANY, 0, "Job Board Is Unavailable", "public lists, custom domains", "2026-11-28, nuclei-templates, dnsReaper")
TAKEOVER("Strikingly", "s.strikinglydns.com", PAGE, OPEN, ANY, 0, "But if you're looking to build your own website", "public lists, custom domains", "2026-11-28, can-i-take-over-xyz, nuclei-templates, subjack")
TAKEOVER("Teamwork", "teamwork.com", PAGE, OPEN, ANY, 0, "Oops - We didn't find your site.", "public lists, custom domains", "2026-11-28, nuclei-templates, dnsReaper")
TAKEOVER("Uberflip", "read.uberflip.com", PAGE, OPEN, ANY, 0, "The URL you've accessed does not provide a hub.", "public lists, custom domains", "2026-11-28, can-i-take-over-xyz, nuclei-templates, subjack")
TAKEOVER("Wishpond", "wishpond.com", PAGE, OPEN, ANY, 0, "https://www.wishpond.com/404?campaign=true", "public lists, custom domains", "2026-11-28, nuclei-templates, dnsReaper")
TAKEOVER("Worksites", "worksites.net", PAGE, OPEN, ANY, 0, "Hello! Sorry, but the website you&rsquo;re looking for doesn&rsquo;t exist.", "public lists, custom domains", "2026-11-28, can-i-take-over-xyz, subjack")

/* ---- name servers ---- */
TAKEOVER("DigitalOcean DNS", "ns*.digitalocean.com", NS, OPEN, ANY, 0, "", "docs.digitalocean.com, all customers share the same servers", "2026-11-28, can-i-take-over-dns, dnsReaper, subjack")
TAKEOVER("Akamai Linode DNS", "ns*.linode.com", NS, OPEN, ANY, 0, "", "techdocs.akamai.com, all customers share the same servers", "2026-11-28, can-i-take-over-dns, dnsReaper, subjack")
TAKEOVER("DNSimple", "ns*.dnsimple.com", NS, OPEN, ANY, 0, "", "support.dnsimple.com, all customers share the same servers", "2026-11-28, can-i-take-over-dns, dnsReaper")
TAKEOVER("Hurricane Electric", "ns*.he.net", NS, OPEN, ANY, 0, "", "dns.he.net, all customers share the same servers", "2026-11-28, can-i-take-over-dns, dnsReaper")
TAKEOVER("Vultr DNS", "ns*.vultr.com", NS, OPEN, ANY, 0, "", "docs.vultr.com, all customers share the same servers", "2026-11-28, subjack")
TAKEOVER("DNS Made Easy", "ns*.dnsmadeeasy.com", NS, OPEN, ANY, 0, "", "public lists, another account can have the zone", "2026-11-28, can-i-take-over-dns, dnsReaper")
TAKEOVER("Domain.com", "ns*.domain.com", NS, OPEN, ANY, 0, "", "public lists, another account can have the zone", "2026-11-28, can-i-take-over-dns, dnsReaper")
TAKEOVER("Name.com", "ns*.name.com", NS, OPEN, ANY, 0, "", "public lists, another account can have the zone", "2026-11-28, can-i-take-over-dns, dnsReaper")
TAKEOVER("Reg.ru", "ns*.reg.ru", NS, OPEN, ANY, 0, "", "public lists, another account can have the zone", "2026-11-28, can-i-take-over-dns, dnsReaper")
TAKEOVER("TierraNet", "ns*.domaindiscover.com", NS, OPEN, ANY, 0, "", "public lists, another account can have the zone", "2026-11-28, can-i-take-over-dns, dnsReaper")
TAKEOVER("AWS Route 53", "awsdns-*.com", NS, CLOSED, ANY, 0, "", "docs.aws.amazon.com, name servers of a deleted zone that is still delegated to are not given", "2026-11-28, docs.amazonaws.cn, can-i-take-over-dns")
TAKEOVER("AWS Route 53", "awsdns-*.net", NS, CLOSED, ANY, 0, "", "docs.aws.amazon.com, name servers of a deleted zone that is still delegated to are not given", "2026-11-28, docs.amazonaws.cn, can-i-take-over-dns")
TAKEOVER("AWS Route 53", "awsdns-*.org", NS, CLOSED, ANY, 0, "", "docs.aws.amazon.com, name servers of a deleted zone that is still delegated to are not given", "2026-11-28, docs.amazonaws.cn, can-i-take-over-dns")
TAKEOVER("AWS Route 53", "awsdns-*.co.uk", NS, CLOSED, ANY, 0, "", "docs.aws.amazon.com, name servers of a deleted zone that is still delegated to are not given", "2026-11-28, docs.amazonaws.cn, can-i-take-over-dns")
TAKEOVER("Azure DNS", "azure-dns.*", NS, CLOSED, ANY, 0, "", "learn.microsoft.com, the servers of a zone are chosen by Azure", "2026-11-28, can-i-take-over-dns")
TAKEOVER("Google Cloud DNS", "googledomains.com", NS, CLOSED, ANY, 0, "", "cloud.google.com, the servers of a zone are chosen by Google", "2026-11-28, can-i-take-over-dns")
TAKEOVER("Cloudflare DNS", "ns.cloudflare.com", NS, CLOSED, ANY, 0, "", "developers.cloudflare.com, the pair of servers is chosen by Cloudflare", "2026-11-28, developers.cloudflare.com, can-i-take-over-dns")

#undef TAKEOVER
