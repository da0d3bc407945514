/* SPDX-License-Identifier: ISC */
/* hostgen's world. Weights are relative; the order is part of the format: the same seed must give the
   same hosts for ever. Names of organisations are invented. */

/* A row is a line. */
/* clang-format off */

struct country {
	const char *code;
	unsigned weight;
	const char *tld, *places[3][2]; /* city, region; the first is the likeliest */
};

static const struct country countries[] = {
	{ "US", 388, "com", { { "Ashburn", "Virginia" }, { "San Jose", "California" }, { "Dallas", "Texas" } } },
	{ "CN", 85, "cn", { { "Beijing", "Beijing" }, { "Shanghai", "Shanghai" }, { "Hangzhou", "Zhejiang" } } },
	{ "DE", 66, "de", { { "Frankfurt am Main", "Hesse" }, { "Falkenstein", "Saxony" }, { "Berlin", "Berlin" } } },
	{ "JP", 44, "co.jp", { { "Tokyo", "Tokyo" }, { "Osaka", "Osaka" }, { "Nagoya", "Aichi" } } },
	{ "GB", 43, "co.uk", { { "London", "England" }, { "Manchester", "England" }, { "Edinburgh", "Scotland" } } },
	{ "FR", 38, "fr", { { "Paris", "Ile-de-France" }, { "Roubaix", "Hauts-de-France" }, { "Lyon", "Auvergne-Rhone-Alpes" } } },
	{ "BR", 36, "com.br", { { "Sao Paulo", "Sao Paulo" }, { "Rio de Janeiro", "Rio de Janeiro" }, { "Fortaleza", "Ceara" } } },
	{ "NL", 34, "nl", { { "Amsterdam", "North Holland" }, { "Rotterdam", "South Holland" }, { "Groningen", "Groningen" } } },
	{ "IN", 33, "co.in", { { "Mumbai", "Maharashtra" }, { "Bengaluru", "Karnataka" }, { "Delhi", "Delhi" } } },
	{ "RU", 31, "ru", { { "Moscow", "Moscow" }, { "Saint Petersburg", "Saint Petersburg" }, { "Kazan", "Tatarstan" } } },
	{ "KR", 30, "co.kr", { { "Seoul", "Seoul" }, { "Busan", "Busan" }, { "Incheon", "Incheon" } } },
	{ "CA", 25, "ca", { { "Toronto", "Ontario" }, { "Montreal", "Quebec" }, { "Vancouver", "British Columbia" } } },
	{ "IT", 21, "it", { { "Milan", "Lombardy" }, { "Rome", "Lazio" }, { "Turin", "Piedmont" } } },
	{ "SG", 18, "com.sg", { { "Singapore", "Singapore" }, { "Jurong", "Singapore" }, { "Tampines", "Singapore" } } },
	{ "HK", 16, "hk", { { "Hong Kong", "Hong Kong" }, { "Kowloon", "Hong Kong" }, { "Sha Tin", "Hong Kong" } } },
	{ "AU", 15, "com.au", { { "Sydney", "New South Wales" }, { "Melbourne", "Victoria" }, { "Perth", "Western Australia" } } },
	{ "ES", 13, "es", { { "Madrid", "Madrid" }, { "Barcelona", "Catalonia" }, { "Valencia", "Valencia" } } },
	{ "TW", 12, "com.tw", { { "Taipei", "Taipei" }, { "Taichung", "Taichung" }, { "Kaohsiung", "Kaohsiung" } } },
	{ "PL", 12, "pl", { { "Warsaw", "Masovia" }, { "Krakow", "Lesser Poland" }, { "Gdansk", "Pomerania" } } },
	{ "MX", 11, "com.mx", { { "Mexico City", "Mexico City" }, { "Monterrey", "Nuevo Leon" }, { "Queretaro", "Queretaro" } } },
	{ "VN", 11, "vn", { { "Hanoi", "Hanoi" }, { "Ho Chi Minh City", "Ho Chi Minh" }, { "Da Nang", "Da Nang" } } },
	{ "ID", 11, "co.id", { { "Jakarta", "Jakarta" }, { "Surabaya", "East Java" }, { "Bandung", "West Java" } } },
	{ "SE", 10, "se", { { "Stockholm", "Stockholm" }, { "Gothenburg", "Vastra Gotaland" }, { "Malmo", "Skane" } } },
	{ "TR", 9, "com.tr", { { "Istanbul", "Istanbul" }, { "Ankara", "Ankara" }, { "Izmir", "Izmir" } } },
	{ "IE", 9, "ie", { { "Dublin", "Leinster" }, { "Cork", "Munster" }, { "Galway", "Connacht" } } },
	{ "FI", 8, "fi", { { "Helsinki", "Uusimaa" }, { "Tampere", "Pirkanmaa" }, { "Oulu", "North Ostrobothnia" } } },
	{ "CH", 8, "ch", { { "Zurich", "Zurich" }, { "Geneva", "Geneva" }, { "Bern", "Bern" } } },
	{ "ZA", 7, "co.za", { { "Johannesburg", "Gauteng" }, { "Cape Town", "Western Cape" }, { "Durban", "KwaZulu-Natal" } } },
	{ "AR", 7, "com.ar", { { "Buenos Aires", "Buenos Aires" }, { "Cordoba", "Cordoba" }, { "Rosario", "Santa Fe" } } },
	{ "TH", 7, "co.th", { { "Bangkok", "Bangkok" }, { "Chiang Mai", "Chiang Mai" }, { "Phuket", "Phuket" } } },
	{ "UA", 7, "com.ua", { { "Kyiv", "Kyiv" }, { "Lviv", "Lviv" }, { "Odesa", "Odesa" } } },
	{ "CZ", 6, "cz", { { "Prague", "Prague" }, { "Brno", "South Moravia" }, { "Ostrava", "Moravia-Silesia" } } },
	{ "BE", 6, "be", { { "Brussels", "Brussels" }, { "Antwerp", "Flanders" }, { "Liege", "Wallonia" } } },
	{ "AT", 6, "at", { { "Vienna", "Vienna" }, { "Graz", "Styria" }, { "Wels", "Upper Austria" } } },
	{ "RO", 6, "ro", { { "Bucharest", "Bucharest" }, { "Cluj-Napoca", "Cluj" }, { "Iasi", "Iasi" } } },
	{ "IR", 6, "ir", { { "Tehran", "Tehran" }, { "Mashhad", "Razavi Khorasan" }, { "Shiraz", "Fars" } } },
	{ "DK", 5, "dk", { { "Copenhagen", "Capital Region" }, { "Aarhus", "Central Denmark" }, { "Odense", "Southern Denmark" } } },
	{ "NO", 5, "no", { { "Oslo", "Oslo" }, { "Bergen", "Vestland" }, { "Trondheim", "Trondelag" } } },
	{ "PT", 4, "pt", { { "Lisbon", "Lisbon" }, { "Porto", "Porto" }, { "Braga", "Braga" } } },
	{ "BG", 4, "bg", { { "Sofia", "Sofia" }, { "Plovdiv", "Plovdiv" }, { "Varna", "Varna" } } },
	{ "HU", 4, "hu", { { "Budapest", "Budapest" }, { "Debrecen", "Hajdu-Bihar" }, { "Szeged", "Csongrad" } } },
	{ "GR", 4, "gr", { { "Athens", "Attica" }, { "Thessaloniki", "Central Macedonia" }, { "Patras", "Western Greece" } } },
	{ "IL", 4, "co.il", { { "Tel Aviv", "Tel Aviv" }, { "Haifa", "Haifa" }, { "Jerusalem", "Jerusalem" } } },
	{ "CL", 4, "cl", { { "Santiago", "Santiago" }, { "Valparaiso", "Valparaiso" }, { "Concepcion", "Biobio" } } },
	{ "CO", 4, "com.co", { { "Bogota", "Bogota" }, { "Medellin", "Antioquia" }, { "Cali", "Valle del Cauca" } } },
	{ "MY", 4, "com.my", { { "Kuala Lumpur", "Kuala Lumpur" }, { "Johor Bahru", "Johor" }, { "Penang", "Penang" } } },
	{ "PH", 3, "ph", { { "Manila", "Metro Manila" }, { "Cebu", "Cebu" }, { "Davao", "Davao" } } },
	{ "AE", 3, "ae", { { "Dubai", "Dubai" }, { "Abu Dhabi", "Abu Dhabi" }, { "Sharjah", "Sharjah" } } },
	{ "SA", 3, "com.sa", { { "Riyadh", "Riyadh" }, { "Jeddah", "Makkah" }, { "Dammam", "Eastern Province" } } },
	{ "EG", 3, "com.eg", { { "Cairo", "Cairo" }, { "Alexandria", "Alexandria" }, { "Giza", "Giza" } } },
	{ "NZ", 3, "co.nz", { { "Auckland", "Auckland" }, { "Wellington", "Wellington" }, { "Christchurch", "Canterbury" } } },
	{ "KZ", 2, "kz", { { "Almaty", "Almaty" }, { "Astana", "Astana" }, { "Shymkent", "Shymkent" } } },
	{ "LT", 2, "lt", { { "Vilnius", "Vilnius" }, { "Kaunas", "Kaunas" }, { "Klaipeda", "Klaipeda" } } },
	{ "NG", 2, "com.ng", { { "Lagos", "Lagos" }, { "Abuja", "Abuja" }, { "Kano", "Kano" } } },
	{ "KE", 1, "co.ke", { { "Nairobi", "Nairobi" }, { "Mombasa", "Mombasa" }, { "Kisumu", "Kisumu" } } },
	{ "IS", 1, "is", { { "Reykjavik", "Capital Region" }, { "Akureyri", "Northeast" }, { "Keflavik", "Southern Peninsula" } } },
};

enum kind { HTTP, SSH, SMTP, DNS, FTP, RDP, SQL, TELNET, IMAP, POP3, NTP, SNMP, SIP, SMB, VNC, MQTT, CACHE,
	MODBUS, OTHER, KINDS };

struct port {
	unsigned port, weight;
	enum kind kind;
	const char *name; /* as nmap calls it */
	bool tls, udp;
};

static const struct port ports[] = {
	{ 443, 330, HTTP, "https", true, false },	{ 80, 310, HTTP, "http", false, false },
	{ 22, 215, SSH, "ssh", false, false },		{ 25, 45, SMTP, "smtp", false, false },
	{ 53, 50, DNS, "domain", false, true },		{ 21, 42, FTP, "ftp", false, false },
	{ 3389, 44, RDP, "ms-wbt-server", true, false }, { 8080, 50, HTTP, "http-proxy", false, false },
	{ 8443, 34, HTTP, "https-alt", true, false },	{ 7547, 46, HTTP, "cwmp", false, false },
	{ 161, 26, SNMP, "snmp", false, true },		{ 123, 30, NTP, "ntp", false, true },
	{ 3306, 25, SQL, "mysql", false, false },	{ 23, 16, TELNET, "telnet", false, false },
	{ 993, 22, IMAP, "imaps", true, false },	{ 143, 18, IMAP, "imap", false, false },
	{ 995, 15, POP3, "pop3s", true, false },	{ 110, 16, POP3, "pop3", false, false },
	{ 465, 15, SMTP, "smtps", true, false },	{ 587, 22, SMTP, "submission", false, false },
	{ 5060, 18, SIP, "sip", false, true },		{ 445, 12, SMB, "microsoft-ds", false, false },
	{ 5900, 7, VNC, "vnc", false, false },		{ 2222, 9, SSH, "ssh", false, false },
	{ 8000, 14, HTTP, "http-alt", false, false },	{ 8888, 11, HTTP, "http", false, false },
	{ 2082, 10, HTTP, "http", false, false },	{ 2083, 10, HTTP, "https", true, false },
	{ 10000, 7, HTTP, "http", false, false },	{ 8081, 8, HTTP, "http", false, false },
	{ 9443, 5, HTTP, "https", true, false },	{ 4443, 5, HTTP, "https", true, false },
	{ 5432, 7, SQL, "postgresql", false, false },	{ 6379, 4, CACHE, "redis", false, false },
	{ 11211, 2, CACHE, "memcached", false, false }, { 27017, 4, SQL, "mongodb", false, false },
	{ 1433, 6, SQL, "ms-sql-s", false, false },	{ 1883, 4, MQTT, "mqtt", false, false },
	{ 8883, 2, MQTT, "secure-mqtt", true, false },	{ 502, 1, MODBUS, "modbus", false, false },
	{ 500, 16, OTHER, "isakmp", false, true },	{ 1723, 9, OTHER, "pptp", false, false },
	{ 179, 8, OTHER, "bgp", false, false },		{ 111, 7, OTHER, "rpcbind", false, false },
	{ 554, 9, OTHER, "rtsp", false, false },	{ 5000, 8, HTTP, "http", false, false },
	{ 9090, 5, HTTP, "http", false, false },	{ 3000, 7, HTTP, "http", false, false },
	{ 81, 7, HTTP, "http", false, false },		{ 8089, 4, HTTP, "http", false, false },
	{ 9200, 3, HTTP, "http", false, false },	{ 50000, 3, OTHER, "ibm-db2", false, false },
};

struct product {
	enum kind kind;
	unsigned weight;
	const char *vendor, *product, *cpe, *banner; /* banner: %s is the version; NULL: none */
	const char *versions[5];
};

static const struct product products[] = {
	{ HTTP, 340, "nginx", "nginx", "f5:nginx", "nginx/%s", { "1.24.0", "1.18.0", "1.22.1", "1.26.2", "1.14.2" } },
	{ HTTP, 260, "Apache", "Apache httpd", "apache:http_server", "Apache/%s", { "2.4.58", "2.4.41", "2.4.62", "2.4.6", "2.4.52" } },
	{ HTTP, 110, "Microsoft", "Microsoft IIS httpd", "microsoft:internet_information_services", "Microsoft-IIS/%s", { "10.0", "8.5", "7.5", "8.0", "6.0" } },
	{ HTTP, 60, "LiteSpeed", "LiteSpeed httpd", "litespeedtech:litespeed_web_server", "LiteSpeed/%s", { "6.1", "6.0", "5.4", "6.2", "5.3" } },
	{ HTTP, 55, "OpenResty", "OpenResty web app server", "openresty:openresty", "openresty/%s", { "1.21.4", "1.19.9", "1.25.3", "1.27.1", "1.15.8" } },
	{ HTTP, 40, "Caddy", "Caddy httpd", "caddyserver:caddy", "Caddy/%s", { "2.7.6", "2.8.4", "2.6.4", "2.9.1", "2.5.2" } },
	{ HTTP, 35, "lighttpd", "lighttpd", "lighttpd:lighttpd", "lighttpd/%s", { "1.4.59", "1.4.35", "1.4.69", "1.4.45", "1.4.76" } },
	{ HTTP, 30, "MikroTik", "MikroTik router config httpd", "mikrotik:routeros", "mikrotik/%s", { "6.49.10", "7.12", "6.48.6", "7.16", "6.42.1" } },
	{ HTTP, 24, "Apache", "Apache Tomcat", "apache:tomcat", "Apache-Coyote/%s", { "9.0.83", "8.5.96", "10.1.16", "7.0.109", "9.0.31" } },
	{ HTTP, 20, "Embedthis", "GoAhead WebServer", "embedthis:goahead", "GoAhead-Webs/%s", { "2.5.0", "3.6.5", "4.1.3", "5.1.1", "2.1.8" } },
	{ HTTP, 14, "Grafana", "Grafana", "grafana:grafana", "grafana/%s", { "10.2.2", "9.5.3", "8.3.0", "11.1.0", "7.5.7" } },
	{ HTTP, 12, "Jetty", "Jetty", "eclipse:jetty", "Jetty(%s)", { "9.4.51", "10.0.15", "11.0.18", "12.0.3", "9.4.11" } },
	{ SSH, 720, "OpenBSD", "OpenSSH", "openbsd:openssh", "SSH-2.0-OpenSSH_%s", { "8.9p1", "8.2p1", "9.6p1", "7.4", "9.2p1" } },
	{ SSH, 130, "Matt Johnston", "Dropbear sshd", "matt_johnston:dropbear_ssh_server", "SSH-2.0-dropbear_%s", { "2019.78", "2020.81", "2022.83", "2017.75", "2012.55" } },
	{ SSH, 50, "MikroTik", "MikroTik RouterOS sshd", "mikrotik:routeros", "SSH-2.0-ROSSSH_%s", { "7.12", "6.49", "7.16", "6.48", "6.42" } },
	{ SMTP, 500, "Postfix", "Postfix smtpd", "postfix:postfix", "220 mail ESMTP Postfix %s", { "3.6.4", "3.4.13", "3.7.11", "3.8.5", "2.10.1" } },
	{ SMTP, 260, "Exim", "Exim smtpd", "exim:exim", "220 ESMTP Exim %s", { "4.97.1", "4.96", "4.94.2", "4.98", "4.89" } },
	{ SMTP, 120, "Microsoft", "Microsoft Exchange smtpd", "microsoft:exchange_server", "220 Microsoft ESMTP MAIL Service %s", { "15.2", "15.1", "15.0", "14.3", "8.3" } },
	{ DNS, 500, "ISC", "ISC BIND", "isc:bind", "BIND %s", { "9.18.18", "9.16.23", "9.11.4", "9.20.0", "9.8.2" } },
	{ DNS, 260, "thekelleys", "dnsmasq", "thekelleys:dnsmasq", "dnsmasq-%s", { "2.80", "2.85", "2.90", "2.75", "2.40" } },
	{ DNS, 120, "NLnet Labs", "Unbound", "nlnetlabs:unbound", "unbound %s", { "1.17.1", "1.13.1", "1.19.2", "1.9.4", "1.20.0" } },
	{ FTP, 330, "vsftpd", "vsftpd", "vsftpd_project:vsftpd", "220 (vsFTPd %s)", { "3.0.3", "3.0.5", "3.0.2", "2.3.4", "2.2.2" } },
	{ FTP, 300, "ProFTPD", "ProFTPD", "proftpd:proftpd", "220 ProFTPD %s Server", { "1.3.7", "1.3.5", "1.3.8", "1.3.6", "1.3.3" } },
	{ FTP, 220, "PureFTPd", "Pure-FTPd", "pureftpd:pure-ftpd", "220 Pure-FTPd %s", { "1.0.49", "1.0.50", "1.0.36", "1.0.51", "1.0.47" } },
	{ RDP, 100, "Microsoft", "Microsoft Terminal Services", "microsoft:remote_desktop", NULL, { "10.0", "6.3", "6.1", "10.1", "6.2" } },
	{ SQL, 350, "MySQL", "MySQL", "mysql:mysql", "%s-log", { "8.0.35", "5.7.44", "8.0.39", "5.6.51", "5.5.62" } },
	{ SQL, 260, "MariaDB", "MariaDB", "mariadb:mariadb", "5.5.5-%s-MariaDB", { "10.6.16", "10.3.39", "10.11.6", "11.4.2", "10.1.48" } },
	{ SQL, 120, "PostgreSQL", "PostgreSQL DB", "postgresql:postgresql", "PostgreSQL %s", { "14.10", "15.5", "12.17", "16.1", "9.6.24" } },
	{ TELNET, 100, "BusyBox", "BusyBox telnetd", "busybox:busybox", "BusyBox v%s login:", { "1.31.1", "1.19.4", "1.24.1", "1.36.1", "1.01" } },
	{ IMAP, 100, "Dovecot", "Dovecot imapd", "dovecot:dovecot", "* OK [CAPABILITY IMAP4rev1] Dovecot %s ready.", { "2.3.16", "2.3.7", "2.3.21", "2.2.36", "2.0.9" } },
	{ POP3, 100, "Dovecot", "Dovecot pop3d", "dovecot:dovecot", "+OK Dovecot %s ready.", { "2.3.16", "2.3.7", "2.3.21", "2.2.36", "2.0.9" } },
	{ NTP, 100, "NTP", "NTP", "ntp:ntp", "NTP v%s", { "4.2.8", "4.2.6", "4.2.4", "4.2.7", "4.1.2" } },
	{ SNMP, 100, "net-snmp", "net-snmp", "net-snmp:net-snmp", "Linux net-snmp %s", { "5.9", "5.8", "5.7.3", "5.9.4", "5.4.2" } },
	{ SIP, 100, "Digium", "Asterisk PBX", "digium:asterisk", "SIP/2.0 200 OK Asterisk PBX %s", { "18.20.0", "16.30.0", "20.5.0", "13.38.3", "11.25.3" } },
	{ SMB, 100, "Samba", "Samba smbd", "samba:samba", NULL, { "4.15.13", "4.17.12", "4.6.2", "4.19.4", "3.6.9" } },
	{ VNC, 100, "RealVNC", "VNC", "realvnc:vnc", "RFB 003.%s", { "008", "003", "007", "889", "005" } },
	{ MQTT, 100, "Eclipse", "Mosquitto", "eclipse:mosquitto", "mosquitto version %s", { "2.0.18", "1.6.9", "2.0.15", "1.4.8", "2.0.11" } },
	{ CACHE, 100, "Redis", "Redis key-value store", "redis:redis", "redis_version:%s", { "7.0.15", "6.2.14", "5.0.7", "7.2.3", "3.2.12" } },
	{ MODBUS, 100, "Schneider Electric", "Modicon M340", "schneider-electric:modicon_m340", "BMX P34 2020 v%s", { "3.60", "3.20", "2.70", "3.50", "2.40" } },
};

/* No title but these holds the word login. */
static const char *const login_titles[] = {
	"Login", "Admin Login", "Router Login Page", "Webmail Login", "User login - Control Panel",
	"VPN Portal Login", "Customer login", "Login to your account",
};

static const char *const titles[] = {
	"Welcome to nginx!", "Apache2 Ubuntu Default Page: It works", "IIS Windows Server",
	"404 Not Found", "403 Forbidden", "Home", "301 Moved Permanently", "Index of /",
	"Apache2 Debian Default Page: It works", "Welcome", "Site is under construction",
	"Dashboard", "Sign in", "Webmail", "502 Bad Gateway", "Default Web Site Page",
	"RouterOS configuration page", "Network Camera", "Grafana", "Test Page for the HTTP Server",
	"Object not found!", "Document", "Just another site", "Coming soon", "Control panel",
	"Error 400 (Bad Request)", "Maintenance", "Untitled", "Remote management", "Storage manager",
};

static const char *const oses[] = {
	"Linux", "Ubuntu Linux", "Debian Linux", "Windows Server 2019", "Windows Server 2016",
	"CentOS Linux", "RouterOS", "FreeBSD", "Windows Server 2022", "Windows Server 2012 R2",
	"OpenWrt", "AlmaLinux", "Windows 10", "VMware ESXi", "FortiOS",
};

static const char *const os_cpes[] = {
	"cpe:/o:linux:linux_kernel", "cpe:/o:canonical:ubuntu_linux", "cpe:/o:debian:debian_linux",
	"cpe:/o:microsoft:windows_server_2019", "cpe:/o:microsoft:windows_server_2016",
	"cpe:/o:centos:centos", "cpe:/o:mikrotik:routeros", "cpe:/o:freebsd:freebsd",
	"cpe:/o:microsoft:windows_server_2022", "cpe:/o:microsoft:windows_server_2012:r2",
	"cpe:/o:openwrt:openwrt", "cpe:/o:almalinux:almalinux", "cpe:/o:microsoft:windows_10",
	"cpe:/o:vmware:esxi", "cpe:/o:fortinet:fortios",
};

static const char *const issuers[] = {
	"R10", "R11", "E5", "E6", "GTS CA 1P5", "DigiCert TLS RSA SHA256 2020 CA1", "Sectigo RSA Domain Validation",
	"Amazon RSA 2048 M02", "GlobalSign GCC R3 DV TLS CA 2020", "ZeroSSL RSA Domain Secure Site CA",
};

static const char *const syllables[] = {
	"al", "ba", "cor", "den", "el", "fin", "gor", "han", "im", "jor", "kal", "lim", "mar", "nor", "ov", "pra",
	"quin", "ros", "sol", "tam", "ul", "ver", "wes", "xan", "yor", "zen", "bri", "cla", "dro", "flo", "gra", "hol",
};

static const char *const trades[] = {
	"Telecom", "Hosting", "Networks", "Cloud", "Broadband", "Data Centre", "University", "Systems",
	"Mobile", "Internet", "Cable", "Servers",
};

static const char *const subdomains[] = {
	"www", "mail", "api", "vpn", "dev", "portal", "shop", "cdn", "ns1", "ns2", "app", "static", "git", "blog",
	"remote", "cloud",
};
