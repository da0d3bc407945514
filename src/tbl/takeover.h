/* Providers whose customers may leave a name behind that somebody else can have. AREAS.md 4,
   DETECTORS.md 4. TAKEOVER(provider, suffix, mode, claim, shape, labels_below, page, note, checked)

     suffix        the names below it are the provider's. '*' in a label stands for any characters
     mode          how an unclaimed name shows: NXDOMAIN: it does not exist. PAGE: the provider answers with a page. NS: it is a
                   name server, and the zone has no SOA
     claim         OPEN: whoever asks first gets the name. DISPUTED: sources differ, or it depends on the account.
                   CLOSED: the provider chooses names at random, checks the domain, or gives none any more
     shape         of the labels below the suffix. ANY: any. ONE: the customer's label. REGION: the customer's label and a
                   region. NUMBERED: a label of the provider's making, which nobody can ask for
     labels_below  how many labels; 0: any number
     page          a text of the page; "": none is known
     note          the provider's document that says so
     checked       the day on which the row was compared with that document; "": it was written from memory of it

   Of several rows for a name, the longest suffix wins, then the row that asks for the number of
   labels. A name below a suffix that fits no shape is like one of an unknown provider. An import of
   fingerprints adds suffixes and pages, and changes no row. */

/* ---- names that are told by NXDOMAIN ---- */
TAKEOVER("AWS Elastic Beanstalk", "elasticbeanstalk.com", NXDOMAIN, OPEN, REGION, 2, "", "docs.aws.amazon.com, CheckDNSAvailability", "2026-11-27")
TAKEOVER("AWS Elastic Beanstalk", "elasticbeanstalk.com", NXDOMAIN, CLOSED, ONE, 1, "", "names without a region are no longer given", "")
TAKEOVER("AWS Elastic Load Balancing", "elb.amazonaws.com", NXDOMAIN, CLOSED, NUMBERED, 0, "", "docs.aws.amazon.com, DNS name of a load balancer", "")
TAKEOVER("AWS Elastic Load Balancing", "elb.*.amazonaws.com", NXDOMAIN, CLOSED, NUMBERED, 0, "", "docs.aws.amazon.com, network load balancers", "")
TAKEOVER("AWS API Gateway", "execute-api.*.amazonaws.com", NXDOMAIN, CLOSED, NUMBERED, 0, "", "docs.aws.amazon.com, the API ID is generated", "")
TAKEOVER("AWS CloudFront", "cloudfront.net", NXDOMAIN, CLOSED, NUMBERED, 0, "", "docs.aws.amazon.com, the domain name of a distribution is generated", "")
TAKEOVER("AWS Amplify", "amplifyapp.com", NXDOMAIN, CLOSED, NUMBERED, 0, "", "docs.aws.amazon.com, the app ID is generated", "")
TAKEOVER("AWS App Runner", "awsapprunner.com", NXDOMAIN, CLOSED, NUMBERED, 0, "", "docs.aws.amazon.com, the default domain is generated", "")
TAKEOVER("Azure App Service", "azurewebsites.net", NXDOMAIN, OPEN, ONE, 1, "", "learn.microsoft.com, subdomain takeover", "")
TAKEOVER("Azure App Service", "azurewebsites.net", NXDOMAIN, CLOSED, NUMBERED, 2, "", "learn.microsoft.com, secure unique default hostnames", "")
TAKEOVER("Azure Traffic Manager", "trafficmanager.net", NXDOMAIN, OPEN, ONE, 1, "", "learn.microsoft.com, subdomain takeover", "")
TAKEOVER("Azure public IP address", "cloudapp.azure.com", NXDOMAIN, OPEN, REGION, 2, "", "learn.microsoft.com, DNS name labels", "")
TAKEOVER("Azure public IP address", "cloudapp.azure.com", NXDOMAIN, CLOSED, NUMBERED, 3, "", "learn.microsoft.com, domain name label scope", "")
TAKEOVER("Azure Cloud Services (classic)", "cloudapp.net", NXDOMAIN, CLOSED, ONE, 0, "", "learn.microsoft.com, retired on 31 August 2024", "")
TAKEOVER("Azure Blob Storage", "blob.core.windows.net", NXDOMAIN, OPEN, ONE, 1, "", "learn.microsoft.com, subdomain takeover", "")
TAKEOVER("Azure static website", "web.core.windows.net", NXDOMAIN, OPEN, REGION, 2, "", "learn.microsoft.com, static website hosting", "")
TAKEOVER("Azure API Management", "azure-api.net", NXDOMAIN, OPEN, ONE, 1, "", "learn.microsoft.com, subdomain takeover", "")
TAKEOVER("Azure Container Instances", "azurecontainer.io", NXDOMAIN, OPEN, REGION, 2, "", "learn.microsoft.com, subdomain takeover", "")
TAKEOVER("Azure Container Instances", "azurecontainer.io", NXDOMAIN, CLOSED, NUMBERED, 3, "", "learn.microsoft.com, DNS name label scope", "")
TAKEOVER("Azure CDN", "azureedge.net", NXDOMAIN, DISPUTED, ONE, 1, "", "learn.microsoft.com, classic profiles can no longer be created", "")
TAKEOVER("Azure Front Door", "azurefd.net", NXDOMAIN, DISPUTED, ONE, 1, "", "learn.microsoft.com, classic profiles can no longer be created", "")
TAKEOVER("Azure Front Door", "azurefd.net", NXDOMAIN, CLOSED, NUMBERED, 2, "", "learn.microsoft.com, endpoint names have a hash", "")
TAKEOVER("Azure Static Web Apps", "azurestaticapps.net", NXDOMAIN, CLOSED, NUMBERED, 0, "", "learn.microsoft.com, the default hostname is generated", "")
TAKEOVER("Azure Cache for Redis", "redis.cache.windows.net", NXDOMAIN, DISPUTED, ONE, 1, "", "learn.microsoft.com, Azure Cache for Redis", "")
TAKEOVER("Azure AI Search", "search.windows.net", NXDOMAIN, DISPUTED, ONE, 1, "", "learn.microsoft.com, service names are global", "")
TAKEOVER("Discourse", "trydiscourse.com", NXDOMAIN, OPEN, ONE, 1, "", "discourse.org, names of hosted forums", "")
TAKEOVER("Heroku", "herokudns.com", NXDOMAIN, CLOSED, NUMBERED, 0, "", "devcenter.heroku.com, DNS targets are generated", "")
TAKEOVER("Google Cloud Run", "run.app", NXDOMAIN, CLOSED, NUMBERED, 0, "", "cloud.google.com, service URLs have the project's number", "")
TAKEOVER("Fly.io", "fly.dev", NXDOMAIN, DISPUTED, ONE, 1, "", "fly.io/docs, app names are global", "")

/* ---- names that are told by a page ---- */
TAKEOVER("AWS S3", "s3.amazonaws.com", PAGE, OPEN, ANY, 0, "<Code>NoSuchBucket</Code>", "docs.aws.amazon.com, bucket names are global", "")
TAKEOVER("AWS S3", "s3.*.amazonaws.com", PAGE, OPEN, ANY, 0, "<Code>NoSuchBucket</Code>", "docs.aws.amazon.com, virtual hosting of buckets", "")
TAKEOVER("AWS S3", "s3-website-*.amazonaws.com", PAGE, OPEN, ANY, 0, "<li>Code: NoSuchBucket</li>", "docs.aws.amazon.com, website endpoints", "")
TAKEOVER("AWS S3", "s3-website.*.amazonaws.com", PAGE, OPEN, ANY, 0, "<li>Code: NoSuchBucket</li>", "docs.aws.amazon.com, website endpoints", "")
TAKEOVER("Bitbucket", "bitbucket.io", PAGE, OPEN, ONE, 1, "Repository not found", "support.atlassian.com, publishing a website", "")
TAKEOVER("Ghost", "ghost.io", PAGE, OPEN, ANY, 0, "Site unavailable&hellip;", "ghost.org/docs, custom domains", "")
TAKEOVER("GitHub Pages", "github.io", PAGE, DISPUTED, ANY, 0, "There isn't a GitHub Pages site here.", "docs.github.com, verifying a custom domain", "")
TAKEOVER("GitLab Pages", "gitlab.io", PAGE, CLOSED, ANY, 0, "", "docs.gitlab.com, a custom domain is verified", "")
TAKEOVER("Google Cloud Storage", "c.storage.googleapis.com", PAGE, CLOSED, ANY, 0, "<Code>NoSuchBucket</Code>", "cloud.google.com, a domain-named bucket is verified", "")
TAKEOVER("Help Scout", "helpscoutdocs.com", PAGE, OPEN, ANY, 0, "No settings were found for this company:", "docs.helpscout.com, custom domains", "")
TAKEOVER("Heroku", "herokuapp.com", PAGE, DISPUTED, ONE, 1, "herokucdn.com/error-pages/no-such-app.html", "devcenter.heroku.com, app names", "")
TAKEOVER("HubSpot", "hubspot.net", PAGE, DISPUTED, ANY, 0, "Domain not found", "knowledge.hubspot.com, connect a domain", "")
TAKEOVER("HubSpot", "hs-sites.com", PAGE, DISPUTED, ANY, 0, "Domain not found", "knowledge.hubspot.com, connect a domain", "")
TAKEOVER("Intercom", "custom.intercom.help", PAGE, DISPUTED, ANY, 0, "This page is reserved for artistic dogs.", "intercom.com/help, custom domains", "")
TAKEOVER("Netlify", "netlify.app", PAGE, DISPUTED, ONE, 1, "Not Found - Request ID:", "docs.netlify.com, custom domains", "")
TAKEOVER("Netlify", "netlify.com", PAGE, DISPUTED, ONE, 1, "Not Found - Request ID:", "docs.netlify.com, custom domains", "")
TAKEOVER("Pantheon", "pantheonsite.io", PAGE, OPEN, ANY, 0, "404 error unknown site!", "docs.pantheon.io, custom domains", "")
TAKEOVER("ReadMe", "readme.io", PAGE, OPEN, ANY, 0, "The creators of this project are still working on making everything perfect!", "docs.readme.com, custom domains", "")
TAKEOVER("Shopify", "myshopify.com", PAGE, DISPUTED, ONE, 1, "Sorry, this shop is currently unavailable.", "help.shopify.com, third-party domains", "")
TAKEOVER("Surge", "surge.sh", PAGE, OPEN, ANY, 0, "project not found", "surge.sh/help, adding a custom domain", "")
TAKEOVER("Tilda", "tilda.ws", PAGE, DISPUTED, ANY, 0, "Please renew your subscription", "help.tilda.cc, connecting a domain", "")
TAKEOVER("Tumblr", "domains.tumblr.com", PAGE, DISPUTED, ANY, 0, "Whatever you were looking for doesn't currently exist at this address", "help.tumblr.com, custom domains", "")
TAKEOVER("Vercel", "vercel-dns.com", PAGE, DISPUTED, ANY, 0, "The deployment could not be found on Vercel.", "vercel.com/docs, verifying a domain", "")
TAKEOVER("Vercel", "vercel.app", PAGE, DISPUTED, ONE, 1, "The deployment could not be found on Vercel.", "vercel.com/docs, domains", "")
TAKEOVER("Webflow", "proxy.webflow.com", PAGE, DISPUTED, ANY, 0, "The page you are looking for doesn't exist or has been moved.", "help.webflow.com, custom domains", "")
TAKEOVER("Webflow", "proxy-ssl.webflow.com", PAGE, DISPUTED, ANY, 0, "The page you are looking for doesn't exist or has been moved.", "help.webflow.com, custom domains", "")
TAKEOVER("Wix", "wixdns.net", PAGE, DISPUTED, ANY, 0, "Looks Like This Domain Isn't Connected To A Website Yet!", "support.wix.com, connecting a domain", "")
TAKEOVER("WordPress.com", "wordpress.com", PAGE, OPEN, ONE, 1, "Do you want to register", "wordpress.com/support, free addresses", "")
TAKEOVER("Zendesk", "zendesk.com", PAGE, DISPUTED, ONE, 1, "Help Center Closed", "support.zendesk.com, host mapping", "")
TAKEOVER("Fastly", "fastly.net", PAGE, CLOSED, ANY, 0, "Fastly error: unknown domain", "docs.fastly.com, a domain belongs to one account", "")
TAKEOVER("Firebase Hosting", "web.app", PAGE, CLOSED, ANY, 0, "", "firebase.google.com, a custom domain is verified", "")
TAKEOVER("Statuspage", "stspg-customer.com", PAGE, CLOSED, ANY, 0, "", "support.atlassian.com, custom domains", "")

/* ---- name servers ---- */
TAKEOVER("DigitalOcean DNS", "ns*.digitalocean.com", NS, OPEN, ANY, 0, "", "docs.digitalocean.com, all customers share the same servers", "")
TAKEOVER("Akamai Linode DNS", "ns*.linode.com", NS, OPEN, ANY, 0, "", "techdocs.akamai.com, all customers share the same servers", "")
TAKEOVER("DNSimple", "ns*.dnsimple.com", NS, OPEN, ANY, 0, "", "support.dnsimple.com, all customers share the same servers", "")
TAKEOVER("Hurricane Electric", "ns*.he.net", NS, OPEN, ANY, 0, "", "dns.he.net, all customers share the same servers", "")
TAKEOVER("Vultr DNS", "ns*.vultr.com", NS, OPEN, ANY, 0, "", "docs.vultr.com, all customers share the same servers", "")
TAKEOVER("AWS Route 53", "awsdns-*.com", NS, CLOSED, ANY, 0, "", "docs.aws.amazon.com, four servers are chosen at random", "")
TAKEOVER("AWS Route 53", "awsdns-*.net", NS, CLOSED, ANY, 0, "", "docs.aws.amazon.com, four servers are chosen at random", "")
TAKEOVER("AWS Route 53", "awsdns-*.org", NS, CLOSED, ANY, 0, "", "docs.aws.amazon.com, four servers are chosen at random", "")
TAKEOVER("AWS Route 53", "awsdns-*.co.uk", NS, CLOSED, ANY, 0, "", "docs.aws.amazon.com, four servers are chosen at random", "")
TAKEOVER("Azure DNS", "azure-dns.*", NS, CLOSED, ANY, 0, "", "learn.microsoft.com, the servers of a zone are chosen by Azure", "")
TAKEOVER("Google Cloud DNS", "googledomains.com", NS, CLOSED, ANY, 0, "", "cloud.google.com, the servers of a zone are chosen by Google", "")
TAKEOVER("Cloudflare DNS", "ns.cloudflare.com", NS, CLOSED, ANY, 0, "", "developers.cloudflare.com, the pair of servers is chosen by Cloudflare", "")

#undef TAKEOVER
