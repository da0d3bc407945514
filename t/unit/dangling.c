/* SPDX-License-Identifier: ISC */
/* src/detection/dangling.c, takeover.c: dangling DNS records as structs, each kind with its counter cases (C-169 to C-175).

   The world of a row: items with a semicolon between two of them. A time is a number of days, or the first and the last; it is
   day 40 now. '~' stands for a blank in an answer, and '-' for none.
     D host type rcode answer days     a DNS record
     W domain days                     a registration that expires on this day; '-': it is not known when
     P host provider day               a captured page, with commas between providers; '-': it is no page for unclaimed names
     F domain day                      the registry answered that the domain is not registered
     C ip names days self|ca           a certificate, with commas between its names
     A ip provider region              a cloud address
     O domain, L ip, V provider        of the project: its domain, an allocated address, the provider of one
     T suffix provider mode claim      an imported row */
#include "config.h"

#include "detection/dangling.h"
#include "t/unit/tap.h"

#include <stdlib.h>
#include <string.h>

#define EB "x.eu-west-1.elasticbeanstalk.com"
#define SHOP "D shop.acme.com CNAME NOERROR " EB " 30-38;"
#define NX(name) "D " name " A NXDOMAIN - 38;"
#define OK(name) "D " name " A NOERROR 192.0.2.1 38;"

static const struct {
	const char *title, *host, *world, *expected;
} rows[] = {
	/* cname_claimable */
	{ "claimable", "shop.acme.com", SHOP NX(EB), "cname_claimable high 0.90 " EB },
	{ "the registration of the provider says nothing", "shop.acme.com",
	    SHOP NX(EB) "W elasticbeanstalk.com 400", "cname_claimable high 0.90 " EB },
	{ "www of the apex is critical", "www.acme.com",
	    "D www.acme.com CNAME NOERROR " EB " 38;" NX(EB), "cname_claimable critical 0.90 " EB },
	{ "login of the apex is critical", "login.acme.com",
	    "D login.acme.com CNAME NOERROR a.azurewebsites.net 38;" NX("a.azurewebsites.net"),
	    "cname_claimable critical 0.90 a.azurewebsites.net" },
	{ "www below another label is high", "www.dev.acme.com",
	    "D www.dev.acme.com CNAME NOERROR " EB " 38;" NX(EB), "cname_claimable high 0.90 " EB },
	{ "the target resolves", "shop.acme.com", SHOP OK(EB), "" },
	{ "the target resolves as well, at the same time", "shop.acme.com", SHOP NX(EB) OK(EB),
	    "" },
	{ "SERVFAIL", "shop.acme.com", SHOP "D " EB " A SERVFAIL - 38;", "" },
	{ "SERVFAIL is newer than NXDOMAIN", "shop.acme.com",
	    SHOP "D " EB " A NXDOMAIN - 36; D " EB " A SERVFAIL - 38;", "" },
	{ "no record of the target", "shop.acme.com", SHOP, "" },
	{ "31 days old", "shop.acme.com",
	    "D shop.acme.com CNAME NOERROR " EB " 9; D " EB " A NXDOMAIN - 9;", "" },
	{ "30 days old", "shop.acme.com",
	    "D shop.acme.com CNAME NOERROR " EB " 10; D " EB " A NXDOMAIN - 10;",
	    "cname_claimable high 0.90 " EB },
	{ "the target was asked before the alias was made", "shop.acme.com",
	    SHOP "D " EB " A NXDOMAIN - 20;", "" },
	{ "the alias is gone", "shop.acme.com", SHOP NX(EB) "D shop.acme.com CNAME NXDOMAIN - 39;",
	    "" },
	{ "the alias leads elsewhere now", "shop.acme.com",
	    SHOP NX(EB) "D shop.acme.com CNAME NOERROR b.example.net 39;" OK("b.example.net"), "" },
	{ "the alias's own NXDOMAIN is the target's", "shop.acme.com",
	    SHOP NX(EB) NX("shop.acme.com"), "cname_claimable high 0.90 " EB },
	{ "Elastic Beanstalk without a region", "shop.acme.com",
	    "D shop.acme.com CNAME NOERROR x.elasticbeanstalk.com 38;" NX("x.elasticbeanstalk.com"),
	    "stale_record low 0.60 x.elasticbeanstalk.com" },
	{ "App Service with a random name", "shop.acme.com",
	    "D shop.acme.com CNAME NOERROR a-b3f2.westeurope-01.azurewebsites.net 38;" NX(
		"a-b3f2.westeurope-01.azurewebsites.net"),
	    "stale_record low 0.60 a-b3f2.westeurope-01.azurewebsites.net" },
	{ "a load balancer's name is closed", "shop.acme.com",
	    "D shop.acme.com CNAME NOERROR a-1.eu-west-1.elb.amazonaws.com 38;" NX(
		"a-1.eu-west-1.elb.amazonaws.com"),
	    "stale_record low 0.60 a-1.eu-west-1.elb.amazonaws.com" },
	{ "a disputed provider", "shop.acme.com",
	    "D shop.acme.com CNAME NOERROR a.herokuapp.com 38;" NX("a.herokuapp.com"),
	    "stale_record medium 0.50 a.herokuapp.com" },
	{ "an imported provider is open (C-175)", "shop.acme.com",
	    "T host.example.net Hosty nxdomain open; D shop.acme.com CNAME NOERROR "
	    "a.host.example.net 38;" NX("a.host.example.net"),
	    "cname_claimable high 0.90 a.host.example.net" },
	{ "an imported provider is closed (C-175)", "shop.acme.com",
	    "T host.example.net Hosty nxdomain closed; D shop.acme.com CNAME NOERROR "
	    "a.host.example.net 38;" NX("a.host.example.net"),
	    "stale_record low 0.60 a.host.example.net" },
	/* chains, C-170 */
	{ "a chain of three", "a.acme.com",
	    "D a.acme.com CNAME NOERROR b.cdn.net 38; D b.cdn.net CNAME NOERROR " EB " 38;" NX(EB),
	    "cname_claimable high 0.90 " EB },
	{ "a loop", "a.acme.com",
	    "D a.acme.com CNAME NOERROR b.cdn.net 38; D b.cdn.net CNAME NOERROR a.acme.com 38;",
	    "" },
	{ "an alias of itself", "a.acme.com", "D a.acme.com CNAME NOERROR a.acme.com 38;", "" },
	{ "a chain of nine aliases", "a.acme.com",
	    "D a.acme.com CNAME NOERROR 1.b.net 38; D 1.b.net CNAME NOERROR 2.b.net 38; D 2.b.net "
	    "CNAME NOERROR 3.b.net 38;"
	    "D 3.b.net CNAME NOERROR 4.b.net 38; D 4.b.net CNAME NOERROR 5.b.net 38; D 5.b.net "
	    "CNAME NOERROR 6.b.net 38;"
	    "D 6.b.net CNAME NOERROR 7.b.net 38; D 7.b.net CNAME NOERROR 8.b.net 38; D 8.b.net "
	    "CNAME NOERROR " EB " 38;" NX(EB),
	    "" },
	{ "a chain of eight aliases", "a.acme.com",
	    "D a.acme.com CNAME NOERROR 1.b.net 38; D 1.b.net CNAME NOERROR 2.b.net 38; D 2.b.net "
	    "CNAME NOERROR 3.b.net 38;"
	    "D 3.b.net CNAME NOERROR 4.b.net 38; D 4.b.net CNAME NOERROR 5.b.net 38; D 5.b.net "
	    "CNAME NOERROR 6.b.net 38;"
	    "D 6.b.net CNAME NOERROR 7.b.net 38; D 7.b.net CNAME NOERROR " EB " 38;" NX(EB),
	    "cname_claimable high 0.90 " EB },
	{ "an own name that is missing is no takeover", "a.acme.com",
	    "D a.acme.com CNAME NOERROR old.acme.com 38;" NX("old.acme.com"), "" },
	/* cname_page */
	{ "a page", "a.acme.com",
	    "D a.acme.com CNAME NOERROR b.surge.sh 36-38; P a.acme.com Surge 38",
	    "cname_page high 0.80 b.surge.sh" },
	{ "a page although the target resolves", "a.acme.com",
	    "D a.acme.com CNAME NOERROR b.surge.sh 38; P a.acme.com Surge 38;" OK("b.surge.sh"),
	    "cname_page high 0.80 b.surge.sh" },
	{ "a page before the alias", "a.acme.com",
	    "D a.acme.com CNAME NOERROR b.surge.sh 38; P a.acme.com Surge 30", "" },
	{ "a page of another provider", "a.acme.com",
	    "D a.acme.com CNAME NOERROR b.surge.sh 38; P a.acme.com Ghost 38", "" },
	{ "a page that is the one of two providers", "a.acme.com",
	    "D a.acme.com CNAME NOERROR b.surge.sh 38; P a.acme.com Ghost,Surge 38",
	    "cname_page high 0.80 b.surge.sh" },
	{ "a newer capture shows no such page", "a.acme.com",
	    "D a.acme.com CNAME NOERROR b.surge.sh 38; P a.acme.com Surge 38; P a.acme.com - 39",
	    "" },
	{ "no capture", "a.acme.com", "D a.acme.com CNAME NOERROR b.surge.sh 38;" OK("b.surge.sh"),
	    "" },
	{ "a page of 31 days ago", "a.acme.com",
	    "D a.acme.com CNAME NOERROR b.surge.sh 9; P a.acme.com Surge 9", "" },
	{ "a page of a disputed provider", "a.acme.com",
	    "D a.acme.com CNAME NOERROR b.github.io 38; P a.acme.com GitHub~Pages 38",
	    "stale_record medium 0.50 b.github.io" },
	{ "a page of a provider whose customers share a name", "a.acme.com",
	    "D a.acme.com CNAME NOERROR s.strikinglydns.com 38; P a.acme.com Strikingly 38",
	    "cname_page high 0.80 s.strikinglydns.com" },
	{ "an imported provider whose customers share a name", "a.acme.com",
	    "D a.acme.com CNAME NOERROR to.hosty.example.net 38; P a.acme.com Hosty 38; "
	    "T to.hosty.example.net Hosty page open",
	    "cname_page high 0.80 to.hosty.example.net" },
	{ "a page of a provider that verifies domains", "a.acme.com",
	    "D a.acme.com CNAME NOERROR live-b.pantheonsite.io 38; P a.acme.com Pantheon 38",
	    "stale_record low 0.60 live-b.pantheonsite.io" },
	{ "_dmarc takes no page (C-171)", "_dmarc.acme.com",
	    "D _dmarc.acme.com CNAME NOERROR cname.vercel-dns.com 38; P _dmarc.acme.com Vercel 38",
	    "" },
	{ "_sip._tcp takes no page (C-171)", "_sip._tcp.acme.com",
	    "D _sip._tcp.acme.com CNAME NOERROR b.surge.sh 38;" NX(
		"b.surge.sh") "P _sip._tcp.acme.com Surge 38",
	    "" },
	/* cname_unregistered */
	{ "an expired domain", "a.acme.com",
	    "D a.acme.com CNAME NOERROR x.gone.net 38;" NX("gone.net") "W gone.net 30",
	    "cname_unregistered critical 0.95 x.gone.net" },
	{ "NXDOMAIN alone", "a.acme.com",
	    "D a.acme.com CNAME NOERROR x.gone.net 38;" NX("gone.net"),
	    "cname_unregistered high 0.70 x.gone.net" },
	{ "the apex itself", "a.acme.com", "D a.acme.com CNAME NOERROR gone.net 38;" NX("gone.net"),
	    "cname_unregistered high 0.70 gone.net" },
	{ "a registered domain on hold", "a.acme.com",
	    "D a.acme.com CNAME NOERROR x.gone.net 38;" NX("gone.net") "W gone.net 400",
	    "stale_record low 0.60 x.gone.net" },
	{ "a registration without a date", "a.acme.com",
	    "D a.acme.com CNAME NOERROR x.gone.net 38;" NX("gone.net") "W gone.net -",
	    "stale_record low 0.60 x.gone.net" },
	{ "a dead name of a registered domain (C-172)", "a.acme.com",
	    "D a.acme.com CNAME NOERROR x.gone.net 38;" NX("x.gone.net") "W gone.net 400",
	    "stale_record low 0.60 x.gone.net" },
	{ "the domain resolves", "a.acme.com",
	    "D a.acme.com CNAME NOERROR x.gone.net 38;" OK("gone.net"), "" },
	{ "SERVFAIL of the domain", "a.acme.com",
	    "D a.acme.com CNAME NOERROR x.gone.net 38; D gone.net A SERVFAIL - 38;", "" },
	{ "no record of the domain", "a.acme.com",
	    "D a.acme.com CNAME NOERROR x.gone.net 38; W gone.net 30", "" },
	{ "the domain of 31 days ago", "a.acme.com",
	    "D a.acme.com CNAME NOERROR x.gone.net 38; D gone.net A NXDOMAIN - 9; W gone.net 5",
	    "" },
	{ "a private suffix is no registry", "a.acme.com",
	    "D a.acme.com CNAME NOERROR old.azurewebsites.net 38;" NX("old.azurewebsites.net"),
	    "cname_claimable high 0.90 old.azurewebsites.net" },
	{ "a DKIM label", "k1._domainkey.acme.com",
	    "D k1._domainkey.acme.com CNAME NOERROR k.gone.net 38;" NX("gone.net") "W gone.net 30",
	    "cname_unregistered critical 0.95 k.gone.net" },
	{ "a name of two labels below the registry's suffix", "a.acme.com",
	    "D a.acme.com CNAME NOERROR x.gone.co.uk 38;" NX("gone.co.uk"),
	    "cname_unregistered high 0.70 x.gone.co.uk" },
	{ "the registry answers that the domain is not registered", "a.acme.com",
	    "D a.acme.com CNAME NOERROR x.gone.net 38;" NX("gone.net") "F gone.net 38",
	    "cname_unregistered critical 0.95 x.gone.net" },
	{ "the registry's answer of 31 days ago", "a.acme.com",
	    "D a.acme.com CNAME NOERROR x.gone.net 38;" NX("gone.net") "F gone.net 9",
	    "cname_unregistered high 0.70 x.gone.net" },
	{ "the registry's answer about a domain that resolves", "a.acme.com",
	    "D a.acme.com CNAME NOERROR x.gone.net 38;" OK("gone.net") "F gone.net 38", "" },
	{ "a name that no registry has", "a.acme.com",
	    "D a.acme.com CNAME NOERROR printer.lan 38;" NX("printer.lan"),
	    "stale_record low 0.60 printer.lan" },
	/* ns */
	{ "a name server", "acme.com",
	    "D acme.com NS NOERROR ns1.gone.net 38;" NX("gone.net") "W gone.net 30",
	    "ns_unregistered critical 0.95 ns1.gone.net" },
	{ "a name server, NXDOMAIN alone", "acme.com",
	    "D acme.com NS NOERROR ns1.gone.net 38;" NX("gone.net"),
	    "ns_unregistered high 0.70 ns1.gone.net" },
	{ "a name server in a domain that is not registered", "acme.com",
	    "D acme.com NS NOERROR ns1.gone.net 38;" NX("gone.net") "F gone.net 38",
	    "ns_unregistered critical 0.95 ns1.gone.net" },
	{ "one of two name servers", "acme.com",
	    "D acme.com NS NOERROR ns1.gone.net 38; D acme.com NS NOERROR ns2.fine.net 38;" NX(
		"gone.net") OK("fine.net"),
	    "ns_unregistered high 0.70 ns1.gone.net" },
	{ "a name server that was removed", "acme.com",
	    "D acme.com NS NOERROR ns1.gone.net 30; D acme.com NS NOERROR ns2.fine.net 38;" NX(
		"gone.net"),
	    "" },
	{ "a name server that resolves", "acme.com",
	    "D acme.com NS NOERROR ns1.gone.net 38;" OK("gone.net") OK("ns1.gone.net"), "" },
	{ "a name server with SERVFAIL", "acme.com",
	    "D acme.com NS NOERROR ns1.gone.net 38; D gone.net A SERVFAIL - 38", "" },
	{ "a name server without any record", "acme.com",
	    "D acme.com NS NOERROR ns1.gone.net 38; W gone.net 30", "" },
	{ "a name server of 31 days ago", "acme.com",
	    "D acme.com NS NOERROR ns1.gone.net 9; D gone.net A NXDOMAIN - 9;", "" },
	{ "a lame delegation", "dev.acme.com",
	    "D dev.acme.com NS NOERROR ns1.digitalocean.com 38; D dev.acme.com SOA SERVFAIL - "
	    "36-38",
	    "ns_lame high 0.70 ns1.digitalocean.com" },
	{ "a lame delegation that was refused", "dev.acme.com",
	    "D dev.acme.com NS NOERROR ns1.linode.com 38; D dev.acme.com SOA REFUSED - 36-38",
	    "ns_lame high 0.70 ns1.linode.com" },
	{ "a lame delegation to three servers is one finding", "dev.acme.com",
	    "D dev.acme.com NS NOERROR ns3.digitalocean.com 38; D dev.acme.com NS NOERROR "
	    "ns1.digitalocean.com 38; D dev.acme.com NS NOERROR ns2.digitalocean.com 38; "
	    "D dev.acme.com SOA REFUSED - 36-38",
	    "ns_lame high 0.70 ns1.digitalocean.com" },
	{ "a lame delegation to two providers is the one of the open provider", "dev.acme.com",
	    "D dev.acme.com NS NOERROR ns-1.awsdns-05.com 38; D dev.acme.com NS NOERROR "
	    "ns1.linode.com 38; D dev.acme.com SOA REFUSED - 36-38",
	    "ns_lame high 0.70 ns1.linode.com" },
	{ "one observation alone of a lame delegation", "dev.acme.com",
	    "D dev.acme.com NS NOERROR ns1.digitalocean.com 38; D dev.acme.com SOA SERVFAIL - 38",
	    "" },
	{ "a zone that is served", "dev.acme.com",
	    "D dev.acme.com NS NOERROR ns1.digitalocean.com 38; D dev.acme.com SOA SERVFAIL - "
	    "30-36; D dev.acme.com SOA NOERROR ns1.digitalocean.com 38",
	    "" },
	{ "a zone without any look-up of its SOA", "dev.acme.com",
	    "D dev.acme.com NS NOERROR ns1.digitalocean.com 38", "" },
	{ "a lame delegation of 31 days ago", "dev.acme.com",
	    "D dev.acme.com NS NOERROR ns1.digitalocean.com 9; D dev.acme.com SOA SERVFAIL - 5-9",
	    "" },
	{ "a lame delegation at an unknown provider", "dev.acme.com",
	    "D dev.acme.com NS NOERROR ns1.fine.net 38; D dev.acme.com SOA SERVFAIL - 36-38", "" },
	{ "a provider that chooses servers at random", "dev.acme.com",
	    "D dev.acme.com NS NOERROR ns-1.awsdns-05.com 38; D dev.acme.com SOA SERVFAIL - 36-38",
	    "stale_record low 0.60 ns-1.awsdns-05.com" },
	/* mx */
	{ "a mail exchanger", "acme.com",
	    "D acme.com MX NOERROR 10~mx.gone.net 38;" NX("gone.net") "W gone.net 30",
	    "mx_unregistered high 0.90 mx.gone.net" },
	{ "a mail exchanger that resolves", "acme.com",
	    "D acme.com MX NOERROR 10~mx.gone.net 38;" OK("gone.net"), "" },
	{ "a mail exchanger with SERVFAIL", "acme.com",
	    "D acme.com MX NOERROR 10~mx.gone.net 38; D gone.net A SERVFAIL - 38", "" },
	{ "a mail exchanger without any record", "acme.com",
	    "D acme.com MX NOERROR 10~mx.gone.net 38", "" },
	{ "a mail exchanger of 31 days ago", "acme.com",
	    "D acme.com MX NOERROR 10~mx.gone.net 9; D gone.net A NXDOMAIN - 9", "" },
	{ "no mail at all", "acme.com", "D acme.com MX NOERROR 0~. 38; D . A NXDOMAIN - 38",
	    "" },
	{ "a mail exchanger that is missing in a registered domain", "acme.com",
	    "D acme.com MX NOERROR 10~mx.gone.net 38;" NX("mx.gone.net") "W gone.net 400",
	    "stale_record low 0.60 mx.gone.net" },
	/* srv, spf */
	{ "an SRV target", "_sip._tcp.acme.com",
	    "D _sip._tcp.acme.com SRV NOERROR 1~1~5060~sip.gone.net 38;" NX(
		"gone.net") "W gone.net 30",
	    "srv_unregistered medium 0.90 sip.gone.net" },
	{ "an SRV target that resolves", "_sip._tcp.acme.com",
	    "D _sip._tcp.acme.com SRV NOERROR 1~1~5060~sip.gone.net 38;" OK("gone.net"), "" },
	{ "an SRV target with SERVFAIL", "_sip._tcp.acme.com",
	    "D _sip._tcp.acme.com SRV NOERROR 1~1~5060~sip.gone.net 38; D gone.net A SERVFAIL - 38",
	    "" },
	{ "an SRV target without any record", "_sip._tcp.acme.com",
	    "D _sip._tcp.acme.com SRV NOERROR 1~1~5060~sip.gone.net 38", "" },
	{ "an SRV target of 31 days ago", "_sip._tcp.acme.com",
	    "D _sip._tcp.acme.com SRV NOERROR 1~1~5060~sip.gone.net 9; D gone.net A NXDOMAIN - 9",
	    "" },
	{ "an SRV record without a service", "_sip._tcp.acme.com",
	    "D _sip._tcp.acme.com SRV NOERROR 0~0~0~. 38", "" },
	{ "an SPF include", "acme.com",
	    "D acme.com TXT NOERROR \"v=spf1~include:_spf.gone.net~-all\" 38;" NX(
		"gone.net") "W gone.net 30",
	    "spf_include_unregistered medium 0.90 _spf.gone.net" },
	{ "an SPF include in upper case with a dot and a qualifier", "acme.com",
	    "D acme.com TXT NOERROR \"V=SPF1~?Include:_SPF.Gone.NET.~-ALL\" 38;" NX(
		"gone.net") "W gone.net 30",
	    "spf_include_unregistered medium 0.90 _spf.gone.net" },
	{ "an SPF redirect", "acme.com",
	    "D acme.com TXT NOERROR \"v=spf1~redirect=gone.net\" 38;" NX("gone.net"),
	    "spf_include_unregistered medium 0.70 gone.net" },
	{ "an SPF policy of two strings", "acme.com",
	    "D acme.com TXT NOERROR \"v=spf1~inclu\"~\"de:gone.net~-all\" 38;" NX("gone.net"),
	    "spf_include_unregistered medium 0.70 gone.net" },
	{ "an SPF macro", "acme.com",
	    "D acme.com TXT NOERROR \"v=spf1~include:%{i}._spf.gone.net~-all\" 38;" NX("gone.net"),
	    "" },
	{ "a text that is no policy", "acme.com",
	    "D acme.com TXT NOERROR \"v=spf10~include:gone.net\" 38;" NX("gone.net"), "" },
	{ "an SPF include that resolves", "acme.com",
	    "D acme.com TXT NOERROR \"v=spf1~include:gone.net\" 38;" OK("gone.net"), "" },
	{ "an SPF include with SERVFAIL", "acme.com",
	    "D acme.com TXT NOERROR \"v=spf1~include:gone.net\" 38; D gone.net TXT SERVFAIL - 38",
	    "" },
	{ "an SPF include without any record", "acme.com",
	    "D acme.com TXT NOERROR \"v=spf1~include:gone.net\" 38", "" },
	{ "an SPF include of 31 days ago", "acme.com",
	    "D acme.com TXT NOERROR \"v=spf1~include:gone.net\" 9; D gone.net A NXDOMAIN - 9", "" },
	/* address_released, C-173 */
	{ "a foreign certificate", "a.acme.com",
	    "D a.acme.com A NOERROR 203.0.113.9 38; A 203.0.113.9 AWS eu-west-1; C 203.0.113.9 "
	    "www.other.org 30-38 ca",
	    "address_released medium 0.50 203.0.113.9" },
	{ "a foreign certificate, and allocations are declared", "a.acme.com",
	    "D a.acme.com A NOERROR 203.0.113.9 38; A 203.0.113.9 AWS eu-west-1; C 203.0.113.9 "
	    "www.other.org 30-38 ca; L 203.0.113.1; V AWS",
	    "address_released high 0.80 203.0.113.9" },
	{ "an address of no cloud", "a.acme.com",
	    "D a.acme.com A NOERROR 203.0.113.9 38; C 203.0.113.9 www.other.org 30-38 ca", "" },
	{ "an allocated address", "a.acme.com",
	    "D a.acme.com A NOERROR 203.0.113.9 38; A 203.0.113.9 AWS eu-west-1; C 203.0.113.9 "
	    "www.other.org 30-38 ca; L 203.0.113.9; V AWS",
	    "" },
	{ "the project's certificate beside the foreign one", "a.acme.com",
	    "D a.acme.com A NOERROR 203.0.113.9 38; A 203.0.113.9 AWS eu-west-1; C 203.0.113.9 "
	    "www.other.org 30-38 ca; C 203.0.113.9 b.acme.com 38 ca",
	    "" },
	{ "one observation alone", "a.acme.com",
	    "D a.acme.com A NOERROR 203.0.113.9 38; A 203.0.113.9 AWS eu-west-1; C 203.0.113.9 "
	    "www.other.org 38 ca",
	    "" },
	{ "a self-signed certificate", "a.acme.com",
	    "D a.acme.com A NOERROR 203.0.113.9 38; A 203.0.113.9 AWS eu-west-1; C 203.0.113.9 "
	    "www.other.org 30-38 self",
	    "" },
	{ "a certificate of localhost", "a.acme.com",
	    "D a.acme.com A NOERROR 203.0.113.9 38; A 203.0.113.9 AWS eu-west-1; C 203.0.113.9 "
	    "localhost 30-38 ca",
	    "" },
	{ "a foreign certificate of 31 days ago", "a.acme.com",
	    "D a.acme.com A NOERROR 203.0.113.9 9; A 203.0.113.9 AWS eu-west-1; C 203.0.113.9 "
	    "www.other.org 2-9 ca",
	    "" },
	/* wildcards */
	{ "a name of a wildcard (C-171)", "x.acme.com",
	    "D x.acme.com CNAME NOERROR " EB " 38; D *.acme.com CNAME NOERROR " EB " 38;" NX(EB),
	    "" },
	{ "the wildcard itself (C-171)", "*.acme.com",
	    "D x.acme.com CNAME NOERROR " EB " 38; D *.acme.com CNAME NOERROR " EB " 38;" NX(EB),
	    "cname_claimable high 0.90 " EB },
	{ "a name beside a wildcard with another target", "x.acme.com",
	    "D x.acme.com CNAME NOERROR " EB
	    " 38; D *.acme.com CNAME NOERROR b.fine.net 38;" NX(EB),
	    "cname_claimable high 0.90 " EB },
};

static struct arena *arena;

/* ---- worlds ---- */

struct building {
	struct dangling_record *records;
	struct dangling_domain *domains;
	struct dangling_page *pages;
	struct dangling_certificate *certificates;
	struct dangling_address *addresses;
	struct takeover *takeovers;
	struct dangling_world w;
};

static struct ts
day(long n)
{
	return (struct ts){ (INT64_C(20000) + n) * 86400 * 1000000 };
}

static void
days(const char *z, struct ts *first, struct ts *last)
{
	const char *dash = strchr(z, '-');

	*first = *last = TS_NULL;
	if (strcmp(z, "-") == 0)
		return;
	*first = day(atol(z));
	*last = dash == NULL ? *first : day(atol(dash + 1));
}

static struct str
text(const char *z)
{
	struct str s = arena_str(arena, str_of(z));

	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] == '~')
			((char *)(uintptr_t)s.p)[i] = ' ';
	return strcmp(z, "-") == 0 ? STR_NULL : s;
}

#define ADD(list, count, ...)                                                                      \
	do {                                                                                       \
		(list) = arena_room(arena, (list), (count), sizeof(*(list)));                      \
		(list)[(count)++] = __VA_ARGS__;                                                   \
	} while (0)

static void
add_record(struct building *b, char **f)
{
	struct dangling_record r = {
		.host = text(f[1]), .type = text(f[2]), .rcode = text(f[3]), .answer = text(f[4])
	};
	const char *blank = r.answer.p == NULL ? NULL : memrchr(r.answer.p, ' ', r.answer.n);

	days(f[5], &r.first, &r.last);
	if (r.answer.p != NULL && strcmp(f[2], "A") != 0 && strcmp(f[2], "TXT") != 0)
		r.name = blank == NULL ? r.answer : str_of(blank + 1);
	ADD(b->records, b->w.nrecords, r);
}

static struct strs
texts(const char *z)
{
	struct strs out = { NULL, 0 };
	struct str rest = text(z), one;

	while (rest.p != NULL && str_part(&rest, ',', &one))
		arena_add_once(arena, &out, one, 10);
	return out;
}

static void
add_item(struct building *b, char **f)
{
	struct ts first, last;
	struct str one;

	switch (f[0][0]) {
	case 'D':
		add_record(b, f);
		break;
	case 'W':
		days(f[2], &first, &last);
		ADD(b->domains, b->w.ndomains,
		    (struct dangling_domain){ text(f[1]), last, TS_NULL });
		break;
	case 'F':
		days(f[2], &first, &last);
		ADD(b->domains, b->w.ndomains,
		    (struct dangling_domain){ text(f[1]), TS_NULL, last });
		break;
	case 'P':
		days(f[3], &first, &last);
		ADD(b->pages, b->w.npages, (struct dangling_page){ text(f[1]), texts(f[2]), last });
		break;
	case 'C':
		days(f[3], &first, &last);
		one = text(f[2]);
		ADD(b->certificates, b->w.ncertificates,
		    (struct dangling_certificate){ text(f[1]),
			{ memcpy(ARENA_NEW(arena, struct str), &one, sizeof(one)), 1 },
			strcmp(f[4], "self") == 0, first, last });
		break;
	case 'A':
		ADD(b->addresses, b->w.naddresses,
		    (struct dangling_address){ text(f[1]), text(f[2]), text(f[3]) });
		break;
	case 'O':
		arena_add_once(arena, &b->w.own, text(f[1]), 10);
		break;
	case 'L':
		arena_add_once(arena, &b->w.allocated, text(f[1]), 10);
		break;
	case 'V':
		arena_add_once(arena, &b->w.allocated_at, text(f[1]), 10);
		break;
	case 'T':
		ADD(b->takeovers, b->w.takeovers.n,
		    (struct takeover){ .suffix = text(f[1]),
			.provider = text(f[2]),
			.mode = strcmp(f[3], "page") == 0 ? TAKEOVER_PAGE : TAKEOVER_NXDOMAIN,
			.claim = strcmp(f[4], "open") == 0 ? TAKEOVER_OPEN : TAKEOVER_CLOSED });
		break;
	default:
		CU_FAIL_FATAL("an unknown item");
	}
}

static struct dangling_world
world(const char *z)
{
	struct building b = { .w = { .now = day(40) } };
	char *copy = (char *)(uintptr_t)arena_str(arena, str_of(z)).p, *item, *rest = copy;

	arena_add_once(arena, &b.w.own, STR("acme.com"), 10);
	while ((item = strtok_r(NULL, ";", &rest)) != NULL) {
		char *f[8] = { NULL }, *word, *words = item;
		size_t n = 0;

		while (n < COUNT(f) && (word = strtok_r(NULL, " ", &words)) != NULL)
			f[n++] = word;
		if (n > 0)
			add_item(&b, f);
	}
	if (b.w.nrecords > 0)
		qsort(b.records, b.w.nrecords, sizeof(*b.records), dangling_order);
	b.w.records = b.records;
	b.w.domains = b.domains;
	b.w.pages = b.pages;
	b.w.certificates = b.certificates;
	b.w.addresses = b.addresses;
	b.w.takeovers.rows = b.takeovers;
	return b.w;
}

static struct str
shown(struct danglings all)
{
	struct buf b = { .a = arena };

	for (size_t i = 0; i < all.n; i++)
		buf_printf(&b, "%s%s %s %.2f %.*s", i == 0 ? "" : ", ",
		    dangling_kinds[all.p[i].kind].name, dangling_grades[all.p[i].grade].severity,
		    dangling_grades[all.p[i].grade].confidence, (int)all.p[i].target.n,
		    all.p[i].target.p);
	return buf_done(&b);
}

static void
every_row(void)
{
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct dangling_world w = world(rows[i].world);
		struct str got = shown(dangling_judge(arena, &w, str_of(rows[i].host)));

		if (!str_is(got, rows[i].expected))
			printf("# %s: %.*s\n# expected: %s\n", rows[i].title, (int)got.n, got.p,
			    rows[i].expected);
		CU_ASSERT_TRUE(str_is(got, rows[i].expected));
	}
}

static void
every_kind(void)
{
	bool found[DANGLING_KINDS] = { false };

	for (size_t i = 0; i < COUNT(rows); i++)
		for (size_t k = 0; k < DANGLING_KINDS; k++)
			found[k] |=
			    str_starts(str_of(rows[i].expected), str_of(dangling_kinds[k].name));
	for (size_t k = 0; k < DANGLING_KINDS; k++)
		CU_ASSERT_TRUE(found[k]);
}

/* ---- times and chains ---- */

static void
times_are_the_datas(void)
{
	struct dangling_world w =
	    world("D a.acme.com CNAME NOERROR b.cdn.net 20-38; D b.cdn.net CNAME NOERROR " EB
		  " 25-39; D " EB " A NXDOMAIN - 30-39");
	struct danglings all = dangling_judge(arena, &w, STR("a.acme.com"));

	CU_ASSERT_EQUAL_FATAL(all.n, 1);
	CU_ASSERT_EQUAL(all.p[0].first.us, day(30).us);
	CU_ASSERT_EQUAL(all.p[0].last.us, day(38).us);
	CU_ASSERT_EQUAL_FATAL(all.p[0].nchain, 3);
	CU_ASSERT_TRUE(str_is(all.p[0].chain[1].name, "b.cdn.net"));
	CU_ASSERT_TRUE(str_is(all.p[0].chain[2].name, EB));
	CU_ASSERT_TRUE(str_is(all.p[0].chain[2].rcode, "NXDOMAIN"));
}

static void
contradictions(void)
{
	static const struct {
		const char *type, *target, *chain[3], *world;
		enum dangling_kind kind;
		long at; /* 0: none */
	} cases[] = {
		{ "CNAME", EB, { "a.acme.com", EB }, "D a.acme.com CNAME NOERROR " EB " 38;" NX(EB),
		    DANGLING_CNAME_CLAIMABLE, 0 },
		{ "CNAME", EB, { "a.acme.com", EB },
		    "D a.acme.com CNAME NOERROR " EB " 38; D " EB " A NOERROR 192.0.2.1 39",
		    DANGLING_CNAME_CLAIMABLE, 39 },
		{ "CNAME", EB, { "a.acme.com", EB },
		    "D a.acme.com CNAME NOERROR " EB " 38; D " EB " A SERVFAIL - 39",
		    DANGLING_CNAME_CLAIMABLE, 0 },
		{ "CNAME", EB, { "a.acme.com", EB },
		    "D a.acme.com CNAME NOERROR " EB " 38; D a.acme.com CNAME NXDOMAIN - 39",
		    DANGLING_CNAME_CLAIMABLE, 39 },
		{ "CNAME", EB, { "a.acme.com", EB },
		    "D a.acme.com CNAME NOERROR " EB " 38; D a.acme.com CNAME SERVFAIL - 39",
		    DANGLING_CNAME_CLAIMABLE, 0 },
		{ "CNAME", EB, { "a.acme.com", EB }, "", DANGLING_CNAME_CLAIMABLE, 0 },
		{ "CNAME", EB, { "a.acme.com", "b.cdn.net", EB },
		    "D a.acme.com CNAME NOERROR b.cdn.net 38; D b.cdn.net CNAME NOERROR c.cdn.net "
		    "39",
		    DANGLING_CNAME_CLAIMABLE, 39 },
		{ "CNAME", "x.gone.net", { "a.acme.com", "gone.net" },
		    "D a.acme.com CNAME NOERROR x.gone.net 38;" NX("gone.net"),
		    DANGLING_CNAME_UNREGISTERED, 0 },
		{ "CNAME", "x.gone.net", { "a.acme.com", "gone.net" },
		    "D a.acme.com CNAME NOERROR x.gone.net 38; D gone.net NS NOERROR ns.fine.net "
		    "39",
		    DANGLING_CNAME_UNREGISTERED, 39 },
		{ "CNAME", "x.gone.net", { "a.acme.com", "x.gone.net" },
		    "D a.acme.com CNAME NOERROR x.gone.net 38; D gone.net NS NOERROR ns.fine.net "
		    "39",
		    DANGLING_STALE_RECORD, 0 },
		{ "CNAME", "b.surge.sh", { "a.acme.com" },
		    "D a.acme.com CNAME NOERROR b.surge.sh 38; P a.acme.com - 39;" OK("b.surge.sh"),
		    DANGLING_CNAME_PAGE, 39 },
		{ "CNAME", "b.surge.sh", { "a.acme.com" },
		    "D a.acme.com CNAME NOERROR b.surge.sh 38;" OK("b.surge.sh"),
		    DANGLING_CNAME_PAGE, 0 },
		{ "MX", "mx.gone.net", { "a.acme.com" },
		    "D a.acme.com MX NOERROR 10~mx.gone.net 30; D a.acme.com MX NOERROR "
		    "10~mx.fine.net 39",
		    DANGLING_MX_UNREGISTERED, 39 },
		{ "MX", "mx.gone.net", { "a.acme.com" },
		    "D a.acme.com MX NOERROR 10~mx.gone.net 39", DANGLING_MX_UNREGISTERED, 0 },
		{ "NS", "ns1.digitalocean.com", { "a.acme.com" },
		    "D a.acme.com NS NOERROR ns1.digitalocean.com 38;" OK("ns1.digitalocean.com"),
		    DANGLING_NS_LAME, 0 },
		{ "NS", "ns1.digitalocean.com", { "a.acme.com" },
		    "D a.acme.com NS NOERROR ns1.digitalocean.com 38; D a.acme.com SOA NOERROR x "
		    "39",
		    DANGLING_NS_LAME, 39 },
		{ "A", "203.0.113.9", { "a.acme.com" },
		    "D a.acme.com A NOERROR 203.0.113.9 38; C 203.0.113.9 b.acme.com 39 ca",
		    DANGLING_ADDRESS_RELEASED, 39 },
		{ "A", "203.0.113.9", { "a.acme.com" }, "D a.acme.com A NOERROR 203.0.113.9 38",
		    DANGLING_ADDRESS_RELEASED, 0 },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct dangling_world w = world(cases[i].world);
		struct dangling_known k = { .host = STR("a.acme.com"),
			.type = str_of(cases[i].type),
			.target = str_of(cases[i].target),
			.kind = cases[i].kind };
		struct ts at;

		for (size_t c = 0; c < COUNT(cases[i].chain) && cases[i].chain[c] != NULL; c++)
			arena_add_once(arena, &k.chain, str_of(cases[i].chain[c]), 10);
		at = dangling_contradiction(arena, &w, &k);
		if (ts_cmp(at, cases[i].at == 0 ? TS_NULL : day(cases[i].at)) != 0)
			printf("# row %zu: %jd\n", i, (intmax_t)at.us);
		CU_ASSERT_EQUAL(ts_cmp(at, cases[i].at == 0 ? TS_NULL : day(cases[i].at)), 0);
	}
}

/* ---- providers ---- */

static void
providers_by_shape(void)
{
	static const struct {
		const char *name, *provider, *claim;
		bool server;
	} names[] = {
		{ "x.eu-west-1.elasticbeanstalk.com", "AWS Elastic Beanstalk", "open", false },
		{ "x.elasticbeanstalk.com", "AWS Elastic Beanstalk", "closed", false },
		{ "elasticbeanstalk.com", NULL, NULL, false },
		{ "x.y.z.elasticbeanstalk.com", NULL, NULL, false },
		{ "a.azurewebsites.net", "Azure App Service", "open", false },
		{ "a-x.westeurope-01.azurewebsites.net", "Azure App Service", "closed", false },
		{ "a.westeurope.cloudapp.azure.com", "Azure public IP address", "open", false },
		{ "a.b7c1d9.westeurope.cloudapp.azure.com", "Azure public IP address", "closed",
		    false },
		{ "b.s3-website-eu-west-1.amazonaws.com", "AWS S3", "open", false },
		{ "b.s3.amazonaws.com", "AWS S3", "open", false },
		{ "a.windows.net", NULL, NULL, false },
		{ "notazurewebsites.net", NULL, NULL, false },
		{ "ns1.digitalocean.com", "DigitalOcean DNS", "open", true },
		{ "ns1.digitalocean.com", NULL, NULL, false },
		{ "ns-12.awsdns-34.co.uk", "AWS Route 53", "closed", true },
		{ "ns1-05.azure-dns.info", "Azure DNS", "closed", true },
		{ "www.digitalocean.com", NULL, NULL, true },
		{ "ns12.dnsmadeeasy.com", "DNS Made Easy", "open", true },
		{ "proxy-ssl.webflow.com", "Webflow", "disputed", false },
		{ "domains.tumblr.com", "Tumblr", "disputed", false },
		{ "custom.intercom.help", "Intercom", "disputed", false },
		{ "c.storage.googleapis.com", "Google Cloud Storage", "closed", false },
		{ "1.group0.sites.hscoscdn-eu1.net", "HubSpot", "disputed", false },
		{ "wordpress.com", NULL, NULL, false },
		{ "a-111122223333-eu-west-1-an.s3.eu-west-1.amazonaws.com", "AWS S3", "closed",
		    false },
		{ "a-an.example.s3.eu-west-1.amazonaws.com", "AWS S3", "open", false },
		{ "a.azureedge.net", "Azure CDN", "closed", false },
		{ "a.azurefd.net", "Azure Front Door", "closed", false },
		{ "live-a.pantheonsite.io", "Pantheon", "closed", false },
		{ "a.bitbucket.io", "Bitbucket", "disputed", false },
	};
	static const struct takeovers none = { NULL, 0 };

	for (size_t i = 0; i < COUNT(names); i++) {
		const struct takeover *t =
		    takeover_of(&none, str_of(names[i].name), names[i].server);

		if (names[i].provider == NULL) {
			CU_ASSERT_PTR_NULL(t);
			continue;
		}
		CU_ASSERT_PTR_NOT_NULL_FATAL(t);
		CU_ASSERT_TRUE(str_is(t->provider, names[i].provider));
		CU_ASSERT_STRING_EQUAL(takeover_claim_name(t->claim), names[i].claim);
	}
}

/* Whether a page has these providers, with commas between them. */
static bool
page_is(const struct takeovers *imported, const char *body, const char *providers)
{
	struct strs all = takeover_pages(arena, imported, str_of(body), STR("a.acme.com"));
	struct buf b = { .a = arena };

	for (size_t i = 0; i < all.n; i++)
		buf_printf(&b, "%s%.*s", i > 0 ? "," : "", (int)all.p[i].n, all.p[i].p);
	return str_is(buf_done(&b), providers);
}

static void
pages_are_recognised(void)
{
	static const struct takeover rows_of_import[] = {
		{ .provider = STR_INIT("Hosty"),
		    .suffix = STR_INIT("hosty.example.net"),
		    .page = STR_INIT("No site lives here yet, project not found") },
		{ .provider = STR_INIT("Short"),
		    .suffix = STR_INIT("short.example.net"),
		    .page = STR_INIT("404") },
	};
	static const struct takeover bucket[] = {
		{ .provider = STR_INIT("AWS/S3"),
		    .suffix = STR_INIT("s3.amazonaws.com"),
		    .page = STR_INIT("The specified bucket does not exist") },
		{ .provider = STR_INIT("Other store"),
		    .suffix = STR_INIT("store.example.net"),
		    .page = STR_INIT("The specified bucket does not exist") },
	};
	static const struct takeover region[] = {
		{ .provider = STR_INIT("Surge.sh"),
		    .suffix = STR_INIT("na-west1.surge.sh"),
		    .page = STR_INIT("project not found"),
		    .mode = TAKEOVER_PAGE },
	};
	static const struct takeovers regions = { region, COUNT(region) };
	static const struct takeovers buckets = { bucket, COUNT(bucket) };
	static const struct takeovers imported = { rows_of_import, COUNT(rows_of_import) };

	CU_ASSERT_TRUE(page_is(&imported, "<h1>project not found</h1>", "Surge"));
	CU_ASSERT_TRUE(
	    page_is(&imported, "No site lives here yet, project not found.", "Surge,Hosty"));
	CU_ASSERT_TRUE(page_is(&buckets,
	    "<Code>NoSuchBucket</Code><Message>The specified bucket does not exist.</Message>",
	    "AWS S3,Google Cloud Storage,Other store"));
	CU_ASSERT_TRUE(page_is(&imported, "Project doesnt exist... yet!", "ReadMe"));
	CU_ASSERT_TRUE(page_is(&imported, "<title>Please renew your subscription</title>", ""));
	CU_ASSERT_TRUE(
	    str_is(takeover_of(&regions, STR("na-west1.surge.sh"), false)->provider, "Surge"));
	CU_ASSERT_TRUE(page_is(&regions, "project not found", "Surge"));
	CU_ASSERT_TRUE(page_is(&imported, "404", ""));
	CU_ASSERT_TRUE(page_is(&imported, "hello", ""));
	CU_ASSERT_EQUAL(
	    takeover_pages(arena, &imported, STR("project not found"), STR("help.surge.sh")).n, 0);
	CU_ASSERT_TRUE(page_is(&imported, "", ""));
}

int
main(void)
{
	static CU_TestInfo tests[] = {
		{ "Each world gives exactly its findings (C-169 to C-173, C-175)", every_row },
		{ "The table of worlds has every kind (C-169)", every_kind },
		{ "The times of a finding are those of its data", times_are_the_datas },
		{ "Newer data contradict a finding, and missing data never do (C-174)",
		    contradictions },
		{ "A provider is known by the labels of a name", providers_by_shape },
		{ "A page is that of every provider whose text it has", pages_are_recognised },
		CU_TEST_INFO_NULL,
	};
	int rc;

	arena = arena_new(SIZE_MAX / 4);
	rc = tap_main(tests);
	arena_free(arena);
	return rc;
}
