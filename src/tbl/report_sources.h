/* The kinds of sources of reports: REPORT_SOURCE(name). sql/0007-reports.sql checks them. */
REPORT_SOURCE("native")
REPORT_SOURCE("stix")
REPORT_SOURCE("misp")
REPORT_SOURCE("text")
REPORT_SOURCE("html")
REPORT_SOURCE("pdf")
