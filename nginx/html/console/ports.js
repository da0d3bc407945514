// SPDX-License-Identifier: ISC
// The usual services of ports: short names, registered by IANA or in common use.

const NAMES = new Map(
	`20 ftp-data,21 ftp,22 ssh,23 telnet,25 smtp,53 dns,69 tftp,80 http,81 http,88 kerberos,110 pop3,111 rpc,123 ntp,135 msrpc,
137 netbios,139 netbios,143 imap,161 snmp,179 bgp,389 ldap,443 https,445 smb,465 smtps,500 ike,502 modbus,514 syslog,554 rtsp,587 submit,623 ipmi,
631 ipp,636 ldaps,873 rsync,993 imaps,995 pop3s,1080 socks,1194 openvpn,1433 mssql,1521 oracle,1723 pptp,1883 mqtt,2049 nfs,2082 cpanel,2375 docker,
3128 squid,3306 mysql,3389 rdp,4786 smi,5060 sip,5432 postgresql,5601 kibana,5672 amqp,5900 vnc,5985 winrm,6379 redis,6443 kubernetes,7547 cwmp,8000 http,
8080 http,8081 http,8443 https,8883 mqtts,8888 http,9090 prometheus,9100 printer,9200 elastic,9418 git,10000 webmin,11211 memcached,11434 ollama,
27017 mongodb`
		.split(/,\s*/u)
		.map((line) => line.split(" ")),
);

export function portName(port) {
	return NAMES.get(String(port)) ?? "";
}
