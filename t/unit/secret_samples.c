/* SPDX-License-Identifier: ISC */
#include "config.h"

#include "t/unit/secret_samples.h"

/* Written from what the providers and the tests of scanners show, not from tbl/secrets.h. */
const struct secret_sample secret_samples[] = {
	{ "aws_access_key", "{<}AKIA{u16}{>}" },
	{ "aws_access_key", "aws_access_key_id = {<}ASIA{u16}{>}\n" },
	{ "aws_access_key", "<AccessKeyId>{<}ABIA{u16}{>}</AccessKeyId>" },
	{ "aws_access_key", "{<}A3TX{u16}{>}" },
	{ "aws_secret_key", "aws_secret_access_key = {<}{b40}{>}\n" },
	{ "aws_secret_key", "\"SecretAccessKey\": \"{<}{b40}{>}\"," },
	{ "azure_storage_key",
	    "AccountName=a;AccountKey={<}{b85}A=={>};EndpointSuffix=core.windows.net" },
	{ "azure_storage_key", "storage_account_key: \"{<}{b85}Q=={>}\"" },
	{ "azure_sas", "https://a.blob.core.windows.net/"
		       "c?sv=2022-11-02&se=2027-01-01&sp=r&sig={<}{a20}%2B{a22}%3D{>}" },
	{ "azure_client_secret", "AZURE_CLIENT_SECRET={<}{n3}8Q~{w31}{>}\n" },
	{ "gcp_service_account",
	    "{\"type\": \"service_account\", \"private_key_id\": \"{x40}\", \"private_key\": "
	    "\"{<}-----BEGIN PRIVATE KEY-----\\n{b64}\\n{b64}\\n{b22}==\\n-----END PRIVATE "
	    "KEY-----{>}\\n\","
	    " \"client_email\": \"a@b.iam.gserviceaccount.com\"}" },
	{ "azure_storage_key", "azureStorageAccessKey: \"{<}{b85}g=={>}\"" },
	{ "power_automate_url",
	    "https://defaulta.b7.environment.api.powerplatform.com:443/powerautomate/automations/"
	    "direct/workflows/1f/triggers/manual/paths/invoke?api-version=1&sp=%2Ftriggers%2Fmanual"
	    "%2Frun&sv=1.0&sig={<}{n20}_{n10}-{n11}{>}" },
	{ "teams_webhook",
	    "https://contoso.{<}webhook.office.com/webhookb2/{x8}-{x4}-{x4}-{x4}-{x12}@{x8}-{x4}-"
	    "{x4}-{x4}-{x12}/IncomingWebhook/{x32}/{x8}-{x4}-{x4}-{x4}-{x12}{>}/V2" },
	{ "aws_bedrock_key", "AWS_BEARER_TOKEN_BEDROCK={<}ABSKQmVkcm9ja0FQSUtleS{n106}{>}=\n" },
	{ "aws_bedrock_key", "{<}ABSK{b128}{>}" },
	{ "aws_bedrock_short_term_key",
	    "key: {<}bedrock-api-key-YmVkcm9jay5hbWF6b25hd3MuY29t{n700}{>}==\n" },
	{ "aws_appsync_key", "x-api-key: {<}da2-{l26}{>}\n" },
	{ "cloudflare_token", "{<}cfut_{n40}{x8}{>}" },
	{ "cloudflare_token", "CLOUDFLARE_API_TOKEN={<}cfat_{n40}{x8}{>}\n" },
	{ "cloudflare_token", "X-Auth-Key: {<}cfk_{n40}{x8}{>}" },
	{ "fly_token", "FLY_API_TOKEN=\"{<}FlyV1 fm2_lJPE{b400},fm2_lJPE{b400}=={>}\"" },
	{ "fly_macaroon", "{<}fm2_{b300}{>}=" },
	{ "fly_macaroon", "{<}fm1r_{b300}{>}" },
	{ "fly_access_token", "{<}fo1_{w43}{>}" },
	{ "google_oauth_secret", "\"client_secret\":\"{<}GOCSPX-{w28}{>}\"" },
	{ "google_refresh_token", "refresh_token: {<}1//0{w60}{>}\n" },
	{ "google_api_key", "GEMINI_API_KEY={<}AIza{w35}{>}\n" },
	{ "digitalocean_token", "{<}dop_v1_{x64}{>}" },
	{ "alibaba_access_key", "accessKeyId: '{<}LTAI{n12}4{n7}{>}'" },
	{ "cloudflare_origin_key", "{<}v1.0-{x24}-{x146}{>}" },
	{ "heroku_key", "{<}HRKU-AA{w58}{>}" },
	{ "databricks_token", "token = {<}dapi{x32}{>}\n" },
	{ "databricks_token", "token = {<}dapi{x32}-2{>}\n" },
	{ "supabase_key", "{<}sbp_{x40}{>}" },
	{ "supabase_key", "{<}sb_secret_{w31}{>}" },
	{ "planetscale_secret", "{<}pscale_tkn_{w43}{>}" },
	{ "github_token", "{<}ghp_{k30}{>}" },
	{ "github_token", "https://{<}gho_{k30}{>}@github.com/a/b.git" },
	{ "github_token", "https://x:{<}ghs_{k30}{>}@github.com/a/b.git" },
	{ "github_token", "\"line\\n{<}ghr_{k30}{>}\\n\"" },
	{ "github_token", "?token%3D{<}ghu_{k30}{>}&b" },
	{ "github_app_token", "GH_TOKEN={<}ghs_{w130}{>}\n" },
	{ "github_app_token", "GH_TOKEN={<}ghs_{d7}_{w80}.{w300}.{w86}{>}\n" },
	{ "github_fine_grained_token", "{<}github_pat_{n22}_{n59}{>}" },
	{ "gitlab_token", "{<}glpat-{w20}{>}" },
	{ "gitlab_token", "{<}glpat-{w22}{>}" },
	{ "gitlab_token", "{<}glpat-{w40}.{l2}.{l9}{>}" },
	{ "gitlab_token", "{<}glrt-t1_{w20}{>}" },
	{ "gitlab_token", "{<}GR1348941{w20}{>}" },
	{ "gitlab_token", "{<}glpat-{w32}.01.{x9}{>}" },
	{ "gitlab_trigger_token", "{<}glptt-{x40}{>}" },
	{ "gitlab_mail_token", "{<}glimt-{w25}{>}" },
	{ "gitlab_agent_token", "{<}glagent-{w50}{>}" },
	{ "gitlab_oauth_secret", "{<}gloas-{w64}{>}" },
	{ "gitlab_job_token", "{<}glcbt-5f_{w20}{>}" },
	{ "bitbucket_token", "{<}ATBB{n24}{X8}{>}" },
	{ "atlassian_token", "{<}ATATT3xFfGF0{w172}={X8}{>}" },
	{ "npm_token", "//registry.npmjs.org/:_authToken={<}npm_{k30}{>}\n" },
	{ "pypi_token", "password = {<}pypi-AgEIcHlwaS5vcmc{w160}{>}\n" },
	{ "rubygems_key", "{<}rubygems_{x48}{>}" },
	{ "docker_token", "{<}dckr_pat_{w27}{>}" },
	{ "terraform_token", "token = \"{<}{n14}.atlasv1.{w67}{>}\"" },
	{ "vault_token", "VAULT_TOKEN={<}hvs.{w95}{>}\n" },
	{ "doppler_token", "{<}dp.pt.{n43}{>}" },
	{ "linear_key", "{<}lin_api_{n40}{>}" },
	{ "postman_key", "{<}PMAK-{x24}-{x34}{>}" },
	{ "grafana_token", "{<}glsa_{n32}_{x8}{>}" },
	{ "sentry_token", "{<}sntryu_{x64}{>}" },
	{ "sentry_token", "SENTRY_AUTH_TOKEN={<}sntrys_eyJpYXQiO{n120}==_{b43}{>}\n" },
	{ "newrelic_ingest_key", "{<}NRII-{w32}{>}" },
	{ "newrelic_ingest_key", "{<}NRIQ-{w25}{>}" },
	{ "newrelic_license_key", "license_key: {<}{x32}FFFFNRAL{>}\n" },
	{ "newrelic_license_key", "{<}eu01xx{x26}FFFFNRAL{>}" },
	{ "newrelic_mobile_token", "{<}AA{x40}-NRMA{>}" },
	{ "artifactory_token", "X-JFrog-Art-Api: {<}AKCp{n69}{>}\n" },
	{ "artifactory_token", "{<}cmVmdGtu{n56}{>}" },
	{ "sonar_token", "SONAR_TOKEN={<}squ_{x40}{>}\n" },
	{ "sonar_token", "{<}sqco_{n59}{>}" },
	{ "octopus_key", "{<}API-{U26}{>}" },
	{ "octopus_key", "X-Octopus-ApiKey: {<}API-{U32}{>}" },
	{ "rootly_key", "{<}rootly_{x64}{>}" },
	{ "pganalyze_key", "PGA_API_KEY={<}pgar_{n27}{>}\n" },
	{ "spectral_token", "SPECTRAL_DSN=https://{<}spu-{l32}{>}@get.spectralops.io" },
	{ "newrelic_key", "{<}NRAK-{U27}{>}" },
	{ "figma_token", "{<}figd_{w40}{>}" },
	{ "figma_token", "{<}figp_{w50}{>}" },
	{ "figma_token", "{<}figuh_{w40}{>}" },
	{ "airtable_token", "{<}pat{n14}.{x64}{>}" },
	{ "notion_token", "{<}ntn_{d11}{n35}{>}" },
	{ "openai_key", "OPENAI_API_KEY={<}sk-{n20}T3BlbkFJ{n20}{>}\n" },
	{ "openai_key", "{<}sk-proj-{w74}T3BlbkFJ{w74}{>}" },
	{ "openai_key", "{<}sk-svcacct-{w58}T3BlbkFJ{w58}{>}" },
	{ "anthropic_key", "{<}sk-ant-api03-{w93}AA{>}" },
	{ "anthropic_key", "x-api-key: {<}sk-ant-admin01-{w93}AA{>}" },
	{ "huggingface_token", "{<}hf_{n34}{>}" },
	{ "huggingface_token", "{<}api_org_{n34}{>}" },
	{ "openrouter_key", "{<}sk-or-v1-{x64}{>}" },
	{ "groq_key", "{<}gsk_{n52}{>}" },
	{ "replicate_token", "{<}r8_{n37}{>}" },
	{ "xai_key", "{<}xai-{n80}{>}" },
	{ "slack_token", "{<}xoxb-{d12}-{d13}-{n24}{>}" },
	{ "slack_token", "{<}xoxp-{d12}-{d12}-{d13}-{x32}{>}" },
	{ "slack_token", "{<}xoxb-{d12}-{n24}{>}" },
	{ "slack_token", "{<}xoxb-{d8}-{n24}{>}" },
	{ "slack_legacy_token", "{<}xoxs-{d12}-{d9}-{d10}-{x10}{>}" },
	{ "slack_legacy_token", "{<}xoxo-{d9}-{d9}-{d9}-{d9}-{x18}{>}" },
	{ "pinecone_key", "{<}pcsk_{n6}_{n63}{>}" },
	{ "perplexity_key", "{<}pplx-{n48}{>}" },
	{ "langsmith_key", "LANGSMITH_API_KEY={<}lsv2_pt_{x32}_{x10}{>}\n" },
	{ "langfuse_key", "{<}sk-lf-{x8}-{x4}-{x4}-{x4}-{x12}{>}" },
	{ "slack_app_token", "{<}xapp-1-A{U10}-{d13}-{x64}{>}" },
	{ "slack_config_token", "{<}xoxe.xoxp-1-{n163}{>}" },
	{ "slack_config_token", "{<}xoxe-1-{n146}{>}" },
	{ "slack_webhook", "https://{<}hooks.slack.com/services/T{U9}/B{U10}/{n24}{>}" },
	{ "slack_workflow", "https://{<}hooks.slack.com/workflows/T{U9}/A{U9}/{d18}/{n24}{>}" },
	{ "discord_bot_token", "DISCORD_TOKEN={<}MTA{n21}.G{n5}.{w38}{>}\n" },
	{ "discord_bot_token", "{<}Nzk{n21}.X{w5}.{w27}{>}" },
	{ "discord_webhook", "https://{<}discord.com/api/webhooks/{d18}/{w68}{>}" },
	{ "telegram_token", "https://api.telegram.org/bot/?t={<}{d10}:AA{w33}{>}" },
	{ "telegram_token", "TELEGRAM={<}{d9}:AAE{w32}{>}\n" },
	{ "sendgrid_key", "{<}SG.{w22}.{w43}{>}" },
	{ "mailchimp_key", "{<}{x32}-us12{>}" },
	{ "mailgun_key", "MAILGUN_API_KEY={<}key-{x32}{>}\n" },
	{ "stripe_key", "{<}sk_live_{n24}{>}" },
	{ "stripe_key", "{<}rk_live_{n99}{>}" },
	{ "stripe_test_key", "{<}sk_test_{n24}{>}" },
	{ "stripe_webhook_secret", "{<}whsec_{n32}{>}" },
	{ "shopify_token", "{<}shpat_{x32}{>}" },
	{ "duffel_token", "{<}duffel_live_{w43}{>}" },
	{ "duffel_test_token", "{<}duffel_test_{w43}{>}" },
	{ "shippo_token", "Authorization: ShippoToken {<}shippo_live_{x40}{>}" },
	{ "shippo_test_token", "{<}shippo_test_{x40}{>}" },
	{ "bannerbear_key", "{<}bb_pr_{x30}{>}" },
	{ "square_token", "{<}sq0csp-{w43}{>}" },
	{ "aws_session_token", "AWS_SESSION_TOKEN={<}IQoJb3JpZ2luX2Vj{n300}{>}==\n" },
	{ "aws_session_token", "{<}FwoGZXIvYXdz{n300}{>}" },
	{ "azure_storage_key", "https://a.documents.azure.com:443/ key {<}{n85}A=={>}" },
	{ "azure_storage_key", "https://a.b.batch.azure.com {<}{b85}w=={>}" },
	{ "azure_registry_key", "docker login a.azurecr.io -p {<}{n42}+ACR{n6}{>}\n" },
	{ "azure_search_key", "api-key: {<}{n42}AzSe{n6}{>}\n" },
	{ "azure_function_key", "https://a.azurewebsites.net/api/b?code={<}{w54}{>}==" },
	{ "azure_app_configuration_key",
	    "Endpoint=https://a.azconfig.io;Id=a-l0-s0:Q5;Secret={<}{b43}{>}=" },
	{ "azure_redis_key",
	    "a.redis.cache.windows.net:6380,password={<}{b43}{>}=,ssl=True,abortConnect=False" },
	{ "azure_repository_key", "{<}git&{d12}&{b86}=={>}" },
	{ "azure_refresh_token", "{<}0.A{w90}.Ag{w800}{>}" },
	{ "azure_refresh_token", "{<}1.A{w90}.Ag{w800}.A{w300}{>}" },
	{ "google_access_token", "Authorization: Bearer {<}ya29.{w160}{>}\n" },
	{ "google_access_token", "{<}ya29.c.{w200}{>}" },
	{ "alibaba_access_key", "{<}LTAI{n12}4{n5}{>}" },
	{ "yandex_api_key", "yandex {<}AQVN{w36}{>}" },
	{ "yandex_access_token", "yandex {<}t1.{w120}.{w86}{>}" },
	{ "yandex_static_key", "yandex {<}YCM{w37}{>}" },
	{ "scalingo_token", "{<}tk-us-{w48}{>}" },
	{ "openshift_token", "oc login --token={<}sha256~{w43}{>}" },
	{ "deno_token", "DENO_DEPLOY_TOKEN={<}ddp_{n36}{>}\n" },
	{ "netlify_token", "{<}nfp_{n36}{>}" },
	{ "ngrok_token", "ngrok config add-authtoken {<}{n27}_{n21}{>}\n" },
	{ "tailscale_key", "{<}tskey-auth-{n17}-{n32}{>}" },
	{ "clickhouse_key", "{<}4b1d{n38}{>}" },
	{ "bitbucket_server_token", "{<}BBDC-{b44}{>}" },
	{ "atlassian_server_token", "JIRA_TOKEN={<}NDc{n13}O{b27}{>}\n" },
	{ "docker_registry_login",
	    "{\"auths\": {\"https://index.docker.io/v1/\": {\"auth\": \"{<}{n30}{>}=\"}}}" },
	{ "nuget_password", "<add key=\"ClearTextPassword\" value=\"{<}{n6}7!{n6}{>}\" />" },
	{ "sidekiq_key", "BUNDLE_GEMS__CONTRIBSYS__COM={<}{x8}:{x8}{>}\n" },
	{ "clojars_token", "{<}CLOJARS_{x60}{>}" },
	{ "vault_token", "VAULT_TOKEN={<}hvs.{n24}{>}\n" },
	{ "vault_legacy_token", "vault login=s.{<}{n12}7{n11}{>}\n" },
	{ "doppler_token", "{<}dp.st.prd_main.{n43}{>}" },
	{ "grafana_api_key", "{<}eyJrIjoi{n80}{>}==" },
	{ "grafana_cloud_token", "{<}glc_eyJv{n120}{>}=" },
	{ "pulumi_token", "{<}pul-{x40}{>}" },
	{ "infracost_key", "{<}ico-{n32}{>}" },
	{ "prefect_key", "{<}pnu_{n36}{>}" },
	{ "buildkite_token", "{<}bkua_{x40}{>}" },
	{ "circleci_token", "{<}CCIPAT_{n22}_{x40}{>}" },
	{ "readme_key", "{<}rdme_{l70}{>}" },
	{ "harness_token", "{<}pat.{w22}.{x24}.{n20}{>}" },
	{ "sourcegraph_token", "{<}sgp_{x16}_{x40}{>}" },
	{ "sourcegraph_token", "{<}sgp_local_{x40}{>}" },
	{ "sourcegraph_token", "{<}slk_{x64}{>}" },
	{ "launchdarkly_key", "LAUNCHDARKLY_SDK_KEY={<}sdk-{x8}-{x4}-4{x3}-{x4}-{x12}{>}\n" },
	{ "dynatrace_token", "{<}dt0c01.{U24}.{U64}{>}" },
	{ "posthog_key", "{<}phx_{n43}{>}" },
	{ "percy_token", "PERCY_TOKEN={<}{x64}{>}\n" },
	{ "portainer_token", "X-API-Key: {<}ptr_{b43}{>}=\n" },
	{ "tines_webhook", "https://a-b-1234.{<}tines.com/webhook/{x32}/{x32}{>}" },
	{ "zapier_webhook", "https://{<}hooks.zapier.com/hooks/catch/{d8}/{l7}{>}/" },
	{ "airtable_oauth_token", "airtable {<}oaa{n14}.v1.{w200}.{x64}{>}" },
	{ "notion_token", "NOTION_TOKEN={<}secret_{n43}{>}\n" },
	{ "nvidia_key", "{<}nvapi-{w64}{>}" },
	{ "braintrust_key", "BRAINTRUST_API_KEY={<}sk-{n48}{>}\n" },
	{ "deepseek_key", "DEEPSEEK_API_KEY={<}sk-{x32}{>}\n" },
	{ "elevenlabs_key", "xi-api-key: {<}sk_{x48}{>}" },
	{ "voiceflow_key", "{<}VF.DM.{x24}.{n16}{>}" },
	{ "saladcloud_key", "{<}salad_cloud_{n5}_{n60}{>}" },
	{ "mailgun_key", "mailgun api_key='{<}{x32}-{x8}-{x8}{>}'" },
	{ "brevo_key", "{<}xkeysib-{x64}-{n16}{>}" },
	{ "klaviyo_key", "{<}pk_{x34}{>}" },
	{ "klaviyo_key", "{<}pk_{n6}_{x34}{>}" },
	{ "courier_key", "courier {<}pk_prod_{U28}{>}" },
	{ "twilio_api_key", "TWILIO_API_KEY={<}SK{x32}{>}\n" },
	{ "twilio_auth_token", "TWILIO_AUTH_TOKEN=\"{<}{x32}{>}\"" },
	{ "telnyx_key", "TELNYX_API_KEY={<}KEY{U32}_{n22}{>}\n" },
	{ "webex_token", "Authorization: Bearer {<}{n64}_PF84_{x8}-{x4}-{x4}-{x4}-{x12}{>}" },
	{ "intercom_token", "INTERCOM_TOKEN={<}dG9rO{n54}={>}\n" },
	{ "hubspot_token", "{<}pat-na1-{x8}-{x4}-{x4}-{x4}-{x12}{>}" },
	{ "salesforce_token", "{<}00D{n12}!{n96}{>}" },
	{ "salesforce_refresh_token", "{<}5AEP861{n90}{>}" },
	{ "zoho_token", "{<}1000.{x32}.{x32}{>}" },
	{ "teamwork_token", "{<}tkn.v1_{n71}{>}=" },
	{ "facebook_token", "{<}EAAC{n150}{>}" },
	{ "facebook_app_token", "access_token={<}{d15}%7C{w27}{>}" },
	{ "twitter_bearer_token",
	    "Authorization: Bearer{<} AAAAAAAAAAAAAAAAAAAAAA{n40}%2F{n40}%3D{n10}{>}" },
	{ "apideck_key", "{<}sk_live_{n8}-{n4}-{n79}{>}" },
	{ "paystack_key", "PAYSTACK_SECRET_KEY={<}sk_live_{n40}{>}\n" },
	{ "stripe_key", "{<}sk_prod_{n40}{>}" },
	{ "square_token", "{<}EAAA{w60}{>}" },
	{ "square_token", "{<}sq0atp-{w22}{>}" },
	{ "easypost_key", "{<}EZAK{n54}{>}" },
	{ "easypost_test_key", "{<}EZTK{n54}{>}" },
	{ "flutterwave_key", "{<}FLWSECK-{x32}-X{>}" },
	{ "flutterwave_test_key", "{<}FLWSECK_TEST-{x32}-X{>}" },
	{ "flutterwave_test_key", "{<}FLWSECK_TEST-{x12}{>}" },
	{ "plaid_token", "{<}access-production-{x8}-{x4}-{x4}-{x4}-{x12}{>}" },
	{ "plaid_test_token", "{<}access-sandbox-{x8}-{x4}-{x4}-{x4}-{x12}{>}" },
	{ "gocardless_token", "gocardless {<}live_{w40}{>}" },
	{ "lob_key", "LOB_API_KEY={<}live_{x35}{>}\n" },
	{ "column_key", "column {<}live_{n27}{>}" },
	{ "pagarme_key", "{<}ak_live_{n30}{>}" },
	{ "checkout_key", "{<}sk_{x8}-{x4}-{x4}-{x4}-{x12}{>}" },
	{ "checkout_test_key", "{<}sk_test_{x8}-{x4}-{x4}-{x4}-{x12}{>}" },
	{ "recharge_token", "{<}sk_1x3_{x64}{>}" },
	{ "recharge_token", "{<}sk_test_10x1_{x64}{>}" },
	{ "ramp_secret", "{<}ramp_sec_{n48}{>}" },
	{ "robinhood_key", "{<}rh-api-{x8}-{x4}-{x4}-{x4}-{x12}{>}" },
	{ "settlemint_token", "{<}sm_aat_{n16}{>}" },
	{ "freemius_key", "'secret_key' => '{<}sk_{n29}{>}'" },
	{ "onepassword_secret_key", "{<}A3-{U6}-{U11}-{U5}-{U5}-{U5}{>}" },
	{ "onepassword_secret_key", "{<}A3-{U6}-{U6}-{U5}-{U5}-{U5}-{U5}{>}" },
	{ "onepassword_token", "OP_SERVICE_ACCOUNT_TOKEN={<}ops_eyJ{n600}{>}==\n" },
	{ "okta_token", "https://a.okta.com Authorization: SSWS {<}00{w40}{>}\n" },
	{ "authress_key", "{<}sc_{l12}.{l4}.acc-{l16}.{n80}{>}" },
	{ "trufflehog_key", "{<}thog-secret-{x32}{>}" },
	{ "endorlabs_key", "{<}endr+{n16}{>}" },
	{ "nightfall_key", "nightfall {<}NF-{n20}4{n11}{>}" },
	{ "defined_networking_key", "{<}dnkey-{U26}-{U52}{>}" },
	{ "maxmind_key", "license_key={<}{n6}_{n29}_mmk{>}\n" },
	{ "adobe_secret", "{<}p8e-{n32}{>}" },
	{ "adafruit_key", "{<}aio_{n28}{>}" },
	{ "asana_token", "ASANA_TOKEN={<}1/1{d15}:{x32}{>}\n" },
	{ "asana_token", "asana {<}2/1{d15}/{d16}:{x32}{>}" },
	{ "clickup_token", "{<}pk_{d8}_{U32}{>}" },
	{ "dropbox_token", "{<}sl.{w140}{>}" },
	{ "dropbox_token", "{<}sl.u.{w140}{>}" },
	{ "frameio_token", "{<}fio-u-{w64}{>}" },
	{ "typeform_token", "{<}tfp_{n44}_{n14}{>}" },
	{ "contentful_token", "{<}CFPAT-{w43}{>}" },
	{ "storyblok_token", "{<}{n22}tt-{d6}-{w20}{>}" },
	{ "sanity_token", "SANITY_TOKEN={<}sk{n79}{>}\n" },
	{ "mapbox_token", "mapbox {<}sk.eyJ{n80}.{n22}{>}" },
	{ "tableau_token", "{<}{n22}==:{n32}{>}" },
	{ "intra42_secret", "{<}s-s4t2ud-{x64}{>}" },
	{ "apify_token", "{<}apify_api_{n36}{>}" },
	{ "alchemy_key", "{<}alcht_{n30}{>}" },
	{ "close_key", "{<}api_{n22}.{n22}{>}" },
	{ "photoroom_key", "{<}sk_pr_default_{x40}{>}" },
	{ "scrapfly_key", "{<}scp-live-{x32}{>}" },
	{ "fleetbase_key", "{<}flb_live_{n20}{>}" },
	{ "flexport_key", "{<}shltm_{w40}{>}" },
	{ "ubidots_token", "{<}BBFF-{n30}{>}" },
	{ "finage_key", "{<}API_KEY{U32}{>}" },
	{ "tickettailor_key", "{<}sk_{d4}_{d6}_{x32}{>}" },
	{ "checio_key", "{<}pk_{l45}{>}" },
	{ "baremetrics_key", "baremetrics {<}lk_{n22}{>}" },
	{ "besttime_key", "https://besttime.app/?api_key_private={<}pri_{x32}{>}" },
	{ "convertapi_secret", "https://v2.convertapi.com/?Secret={<}secret_{n16}{>}" },
	{ "salesblink_key", "salesblink {<}key-{n64}{>}" },
	{ "smooch_key", "smooch {<}act_{l24}{>}" },
	{ "fullstory_key", "fullstory {<}na1.{b100}{>}" },
	{ "shutterstock_token", "shutterstock {<}v2/{n388}{>}" },
	{ "ecostruxure_key", "ecostruxure {<}AK1{n53}{>}" },
	{ "locationiq_key", "https://eu1.locationiq.com/v1/search?key={<}pk.{x32}{>}" },
	{ "encoded_jwt", "token: {<}ZXlKaGJHY2lPaU{n200}{>}\n" },
	{ "connection_password",
	    "jdbc:postgresql://db/app?user=app&password={<}{n6}7{n7}{>}&ssl=true" },
	{ "connection_password",
	    "Server=db.corp.net;Database=app;User Id=app;Password={<}{n6}7!{n7}{>};" },
	{ "private_key", "{<}-----BEGIN RSA PRIVATE KEY-----\n{b64}\n{b64}\n-----END RSA PRIVATE "
			 "KEY-----{>}\n" },
	{ "private_key", "{<}-----BEGIN EC PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: "
			 "AES-256-CBC,{X32}\n\n{b64}\n"
			 "{b30}==\n-----END EC PRIVATE KEY-----{>}\n" },
	{ "private_key", "key: \"{<}-----BEGIN OPENSSH PRIVATE KEY-----\\n{b70}\\n{b70}\\n-----END "
			 "OPENSSH PRIVATE KEY-----{>}\\n\"" },
	{ "private_key", "\"{<}-----BEGIN PRIVATE KEY-----\\n\" +\n  \"{b64}\\n\" +\n  "
			 "\"{b64}\\n\" +\n  \"-----END PRIVATE KEY-----{>}\\n\"" },
	{ "private_key",
	    "{<}-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n{b64}\n{b64}\n={b4}\n-----END PGP PRIVATE "
	    "KEY BLOCK-----{>}" },
	{ "putty_private_key", "PuTTY-User-Key-File-3: ssh-ed25519\nPrivate-Lines: "
			       "2{<}\n{b64}\n{b24}{>}\nPrivate-MAC: {x64}\n" },
	{ "age_secret_key", "{<}AGE-SECRET-KEY-1{U58}{>}" },
	{ "jwt", "Authorization: Bearer {<}{j0}{>}\n" },
	{ "jwt", "access_token={<}{j1}{>}&b=c" },
	{ "url_password", "postgres://app:{<}{n12}{>}@db.internal:5432/app" },
	{ "url_password", "<a href=\"https://deploy:{<}{n20}{>}@ci.corp.net/\">" },
	{ "url_password", "amqp://svc:{<}{n6}!{n7}{>}@10.0.0.1/" },
};
const size_t secret_nsamples = COUNT(secret_samples);

/* Near misses and placeholders. */
const struct secret_sample secret_traps[] = {
	{ NULL, "AKIA{u15} " },
	{ NULL, "Private-Lines: 2\nComment: a\n{b64}\n{b64}\n" },
	{ NULL, "AKIA{u17}" },
	{ NULL, "AKIAs9L8{u12}" },
	{ NULL, "AKIAIOSFODNN7EXAMPLE" },
	{ NULL, "ASIAPACIFICNORTHEAST" },
	{ NULL, "aws_secret_access_key = os.environ['{n10}']" },
	{ NULL, "aws_secret_access_key = {x39}" },
	{ NULL, "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY" },
	{ NULL, "\"integrity\": \"sha512-{b85}A==\"" },
	{ NULL, "ghp_{n36}" },
	{ NULL, "ghp_{k29}" },
	{ NULL, "ghp_{k30}a" },
	{ NULL, "npm_{n36}" },
	{ NULL, "npm_config_registry npm_package_name npm_lifecycle_event" },
	{ NULL, "github_pat_{n22}-{n59}" },
	{ NULL, "github_pat_{n21}_{n59} " },
	{ NULL, "glpat-{w19} " },
	{ NULL, "glpat-{w23}" },
	{ NULL, "sk-{n48}" },
	{ NULL, "sk-ant-api03-{w95}x" },
	{ NULL, "sk-ant-api03-{w94}x" },
	{ NULL, "task-{n20}T3BlbkFJ{n20}" },
	{ NULL, "hf_{n33} " },
	{ NULL, "hf_{n35}" },
	{ NULL, "xoxb-your-token-here" },
	{ NULL, "xoxb-{d12}-{d13}-{o24}" },
	{ NULL, "https://hooks.slack.com/services/T{O8}/B{O8}/{O24}" },
	{ NULL, "https://discord.com/api/webhooks/{d18}/token" },
	{ NULL, "{d7}:AA{w33}" },
	{ NULL, "{d9}:AA{w32} " },
	{ NULL, "{x32}-use1" },
	{ NULL, "{x33}-us5" },
	{ NULL, "Mailchimp.sdk = MailchimpSDK.initialize(token: \"{x32}-us12\")" },
	{ NULL, "data:image/png;base64,{n30}+{n30}/AIza{n35}+{n40}/{n40}" },
	{ NULL, "ABSK{b108} " },
	{ NULL, "ABSK{b270}" },
	{ NULL, "aABSK{b128}" },
	{ NULL, "bedrock-api-key-YmVkcm9jay5hbWF6b25hd3MuY29t bedrock-api-key-{n200}" },
	{ NULL, "da2-{l25} da2-{l27}" },
	{ NULL, "cfut_{n40} cfut_{n40}{x7} cfat_{n40}{x9} cfk_{n40}{x8}g" },
	{ NULL, "fm2_{b90} fo1_{w42} fo1_{w44}" },
	{ NULL, "squ_{w39} sqco_{n58} sqp_{w41}" },
	{ NULL, "figd_{w39} figp_{w55} figure_{w40}" },
	{ NULL, "NRII-{w24} NRAK-{U26} NRJS-{x19} NRBR-{x19}" },
	{ NULL, "{x31}FFFFNRAL {x32}FFFFNRAl {x40}-NRMA" },
	{ NULL, "AKCp{n68} AKCp{n70} cmVmdGtu{n55}" },
	{ NULL, "sntrys_eyJ{n60} sntrys_{x64}" },
	{ NULL, "API-REFERENCEFORALLTHEPARTNERS API-{U25} API-{U27}" },
	{ NULL, "rootly_{x63} pgar_{n26} spu-{l31} bb_pr_{x31} bb_xx_{x30}" },
	{ NULL, "pcsk_{n4}_{n63} pcsk_{n6}_{n62} pplx-{n47}" },
	{ NULL,
	    "lsv2_pt_{x32}_{x9} pk-lf-{x8}-{x4}-{x4}-{x4}-{x12} sk-lf-{x8}-{x4}-{x4}-{x4}-{x11}" },
	{ NULL, "duffel_live_{w42} shippo_live_{x39} shippo_test_{x41}" },
	{ NULL, "https://a.webhook.office.com/webhookb2/{x8}@{x8}/IncomingWebhook/{x32}/{x8}" },
	{ NULL, "/powerautomate/x?sv=1.0&sig={n20}" },
	{ NULL, "https://api.corp.net/?sv=1.0&sig={n43}" },
	{ NULL, "xoxs-{d12}-{d9}-{d10}-{x9} xoxb-{d7}-{n24}" },
	{ NULL, "key-{x32}" },
	{ NULL, "sk_live_{n23} " },
	{ NULL, "pk_live_{n24}" },
	{ NULL, "sk_live_{o24}" },
	{ NULL, "glpat-{o20}" },
	{ NULL, "hf_{o34}" },
	{ NULL, "ghp_{o36}" },
	{ NULL, "SG.{o22}.{o43}" },
	{ NULL, "sk_test_your_key_goes_here" },
	{ NULL, "{apiKey: \"AIza{w35}\", authDomain: \"a.firebaseapp.com\"}" },
	{ NULL, "AIza{w34} " },
	{ NULL, "https://maps.googleapis.com/maps/api/js?key=AIza{w35}" },
	{ NULL, "SG.{w22}.{w42} " },
	{ NULL, "SG.{w21}.{w43} " },
	{ NULL, "{j2}" },
	{ NULL, "{j3}" },
	{ NULL, "eyJ{n30}.eyJ{n30}.{w43}" },
	{ NULL, "data:application/json;base64,eyJ{a200}" },
	{ NULL, "-----BEGIN PUBLIC KEY-----\n{b64}\n{b64}\n-----END PUBLIC KEY-----" },
	{ NULL, "-----BEGIN CERTIFICATE-----\n{b64}\n{b64}\n-----END CERTIFICATE-----" },
	{ NULL, "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----" },
	{ NULL, "-----BEGIN RSA PRIVATE KEY-----\n{b40}\n-----END RSA PRIVATE KEY-----" },
	{ NULL, "strings.Contains(s, \"-----BEGIN PRIVATE KEY-----\") || x == \"{b64}\"" },
	{ NULL, "postgres://user:password@localhost/db" },
	{ NULL, "postgres://user:$PASSWORD@localhost/db" },
	{ NULL, "postgres://user:${DB_PASS}@localhost/db" },
	{ NULL, "postgres://{{ user }}:{{ pass }}@host/db" },
	{ NULL, "mysql://root:example@db" },
	{ NULL, "amqp://guest:guest@rabbit" },
	{ NULL, "http://user:<password>@host" },
	{ NULL, "\"http://\" + user + \":\" + password + \"@\" + host" },
	{ NULL, "printf(\"http://%s:%s@%s/\")" },
	{ NULL, "http://{n6}.com:8080@x" },
	{ NULL, "https://unpkg.com:443/@{n5}/x@1.2.3" },
	{ NULL, "url://xxxx:xxxxxxxx@host" },
	{ NULL, "redis://:######@host" },
	{ NULL, "token = \"anything\"; bot = \"my-bot-token\"; s = \"RANDOMSTRINGHERE\"" },
	{ NULL, "IQoJb3JpZ2luX2Vj{n60}" },
	{ NULL, "a.documents.azure.com {b84}A== sha512-{b85}A==x" },
	{ NULL, "{n41}+ACR{n6} {n42}+ACR{n5} {n41}AzSe{n6}" },
	{ NULL, "https://login.corp.net/?code={w54} https://a.azurewebsites.net/b?code={w20}" },
	{ NULL, "Endpoint=https://a.azconfig.io;Secret=short git&{d12}&{b80}==" },
	{ NULL, "ya29.{w30} 0.A{w40}.Ag{w300} 1.A{w60}.Ag{w200}" },
	{ NULL, "LTAI{n16} LTAI{n22} AQVN{w36} YCM{w37} t1.{w120}.{w86}" },
	{ NULL, "tk-us-{w47} sha256~{w42} sha256:{x64} ddp_{n35} nfp_{n35}" },
	{ NULL, "ngrok authtoken: {n26}_{n21} tskey-auth-{n7}-{n15}" },
	{ NULL, "4b1d{n37} BBDC-{b39} JIRA_TOKEN=NDc{n13}P{b27} NDc{n13}O{b27}x" },
	{ NULL, "{\"auths\": {\"a\": {\"auth\": \"{n8}\"}}}" },
	{ NULL, "<add key=\"ClearTextPassword\" value=\"%NUGET_PASSWORD%\" />" },
	{ NULL, "<add key=\"Password\" value=\"{b40}\" />" },
	{ NULL, "BUNDLE_GEMS__CONTRIBSYS__COM={x7}:{x8}" },
	{ NULL, "hvs.{n23} hvs.{n25} dp.pt.{n39} dp.xx.{n43}" },
	{ NULL, "vault: this.s.{n12}7{n11} s={n24} vault:s.{n12}7{n10}" },
	{ NULL, "eyJrIjoi{n60} glc_{n30} CLOJARS_{n59}" },
	{ NULL, "pul-{x39} ico-{n31} pnu_{n35} bkua_{x39} rdme_{l69}" },
	{ NULL, "CCIPAT_{n22}_{x39} pat.{w22}.{x24}.{n19} sgp_{x39} slk_{x63}" },
	{ NULL, "launchdarkly api-{x8}-{x4}-5{x3}-{x4}-{x12} api-{x8}-{x4}-4{x3}-{x4}-{x11}" },
	{ NULL, "sdk-{x8}-{x4}-4{x3}-{x4}-{x12}" },
	{ NULL, "dt0c01.{U24}.{U63} dt0c02.{U24}.{U64} phx_{n42} phc_{n43}" },
	{ NULL, "PERCY_TOKEN={x63} ptr_{n18} https://a.tines.com/webhook/{x32}/{x31}" },
	{ NULL, "https://hooks.zapier.com/hooks/catch/{d8}/ oaa{n14}.v1.{w200}.{x64}" },
	{ NULL, "secret_{n42} secret_{n44} nvapi-{w63} sk-{x32} sk-{n48}" },
	{ NULL, "sk_{x47} sk_{x49} VF.XX.{x24}.{n16} VF.DM.{x23}.{n16}" },
	{ NULL, "salad_cloud_{n8}_{n60} salad_cloud_{n5}_{n6}" },
	{ NULL, "mailgun pubkey-{x32} api_key='{x32}-{x8}-{x7}'" },
	{ NULL, "xkeysib-{x63}-{n16} pk_{x33} pk_{n5}_{x34} pk_prod_{n28}" },
	{ NULL, "SK{x32} AUTH_TOKEN={x32} AC{x32} KEY{U32}_{n22}" },
	{ NULL, "TWILIO_ACCOUNT_SID=AC{x32} twilio auth_token={x31}" },
	{ NULL, "{n63}_PF84_{x8}-{x4}-{x4}-{x4}-{x12} {n64}_XX00_{x8}-{x4}-{x4}-{x4}-{x12}" },
	{ NULL, "intercom dG9rO{n53}= pat-us1-{x8}-{x4}-{x4}-{x4}-{x12}" },
	{ NULL, "00D{n12}!{n95} 3MVG9{n80} 1000.{x32}.{x31} tkn.v1_{n60}" },
	{ NULL, "EAAC{n89} {d14}%7C{w27} {d15}%7C{w26}" },
	{ NULL, "x=AAAAAAAAAAAAAAAAAAAAAA{n90}" },
	{ NULL, "sk_live_{n8}-{n4}-{n78} pk_live_{n40} pi_{n24}_secret_{n25}" },
	{ NULL, "EAAA{w59} EAAA{w61} sq0idp-{w22} EZAK{n53} EZUK{n54}" },
	{ NULL, "FLWSECK-{x32} FLWPUBK-{x32}-X FLWPUBK_TEST-{x32}-X" },
	{ NULL,
	    "access-other-{x8}-{x4}-{x4}-{x4}-{x12} access-production-{x8}-{x4}-{x4}-{x4}-{x11}" },
	{ NULL, "live_{w40} live_{x35} live_{n27}" },
	{ NULL, "LOB live_pub_{x31} live_{x34}" },
	{ NULL,
	    "ak_live_{n29} ak_test_{n30} pk_{x8}-{x4}-{x4}-{x4}-{x12} sk_2x4_{x64} ramp_id_{n48}" },
	{ NULL, "sm_aat_{n15} sm_xat_{n16} 'secret_key' => 'sk_{n28}' 'secret_key' => 'pk_{n29}'" },
	{ NULL, "A3-{U6}-{U10}-{U5}-{U5}-{U5} ops_{n300} ops_eyJ{n200}" },
	{ NULL, "okta api_token=00{w39} okta 00{w40}" },
	{ NULL, "sc_{l12}.{l4}.bcc-{l16}.{n80} thog-key-{x16} thog-secret-{x31}" },
	{ NULL, "endr+{n15} NF-{n32} dnkey-{U26}-{U51} {n5}_{n29}_mmk {n6}_{n29}_mmj" },
	{ NULL, "p8e-{n31} aio_{n27} 1/1{d15}:{x32} pk_{d6}_{U32}" },
	{ NULL, "asana 1/1{d15}:{x31}" },
	{ NULL, "sl.{w120} fio-u-{w63} tfp_{n39} CFPAT-{w42} CFPAY-{w43}" },
	{ NULL, "{n21}tt-{d6}-{w20} {n22}tt-{d5}-{w20} sk{n79} sk.eyJ{n80}.{n22}" },
	{ NULL, "mapbox pk.eyJ{n80}.{n22} {n21}==:{n32} {n22}==:{n31}" },
	{ NULL, "s-s4t2xx-{x64} u-s4t2ud-{x64} apify_api_{n35} alcht_{n29} api_{n22}.{n21}" },
	{ NULL, "sk_pr_default_{x39} scp-live-{x31} flb_test_{n20} shltm_{w39} BBFF-{n29}" },
	{ NULL, "API_KEY{U31} sk_{d4}_{d5}_{x32} pk_{l44} lk_{n22} sk_{l32}" },
	{ NULL, "pri_{x32} secret_{n16} key-{n64} act_{l24} na1.{b100} v2/{n388} AK1{n53}" },
	{ NULL, "pk.{x32} web_{x32} t-{n20} u-{n20} _gitlab_session={x32}" },
	{ NULL, "ZXlKaGJHY2lPaU{n80}" },
	{ NULL, "jdbc:postgresql://db/app?user=app&password=${DB_PASSWORD} "
		"jdbc:x?a&password=secret&b" },
	{ NULL, "https://corp.net/?user=a&password={n6}7{n7}" },
	{ NULL, "Server=db;Password={password1};Server=db;Password=changeme1;" },
	{ NULL, "{x8}-{x4}-{x4}-{x4}-{x12}" },
	{ NULL, "commit {x40}" },
	{ NULL, "sha256:{x64}" },
	{ NULL, "public_key={w43} monkey={n20} \"key\": \"ctrl+shift+down\"" },
	{ NULL, "api_key = \"{n32}\"; secret = \"{n40}\"; password: {n16}" },
};
const size_t secret_ntraps = COUNT(secret_traps);

static const char letters[] = "abcdefghijklmnopqrstuvwxyz";
static const char capitals[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

static struct str
alphabet(struct arena *a, char class)
{
	const char *low =
	    class == 'd' || class == 'X' || class == 'u' || class == 'U' ? "" : letters;
	const char *high = class == 'd' || class == 'x' || class == 'l' ? "" : capitals;

	if (class == 'o' || class == 'O')
		return class == 'o' ? STR("x") : STR("X");
	if (class == 'x')
		low = "abcdef";
	if (class == 'X')
		high = "ABCDEF";
	return arena_printf(a, "%s%s%s%s", low, high, class == 'u' ? "234567" : "0123456789",
	    class == 'w'   ? "_-"
	    : class == 'b' ? "+/"
			   : "");
}

static unsigned
dice(uint64_t *seed, unsigned n)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(*seed >> 33) % n;
}

static uint32_t
checksum(struct str s)
{
	uint32_t c = 0xFFFFFFFFu;

	for (size_t i = 0; i < s.n; i++)
		for (int bit = 0; bit < 8; bit++) {
			uint32_t in = (uint32_t)((unsigned char)s.p[i] >> bit & 1);

			c = (c ^ in) & 1 ? (c >> 1) ^ 0xEDB88320u : c >> 1;
		}
	return ~c;
}

static void
put_check(struct buf *b, size_t from)
{
	static const char digits[] =
	    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
	uint32_t c = checksum((struct str){ b->p + from, b->n - from });
	char end[6];

	for (int i = 5; i >= 0; i--, c /= 62)
		end[i] = digits[c % 62];
	buf_add(b, end, 6);
}

static void
put_base64(struct buf *b, struct str s)
{
	char room[512];

	buf_add(b, room, base64url_print(room, (const unsigned char *)s.p, s.n));
}

static void
put_jwt(struct arena *a, struct buf *b, char which, uint64_t *seed)
{
	struct str signature = alphabet(a, 'w');

	put_base64(b, STR("{\"alg\":\"HS256\",\"typ\":\"JWT\"}"));
	buf_char(b, '.');
	if (which == '3')
		put_base64(
		    b, STR("{\"sub\":\"1234567890\",\"name\":\"John Doe\",\"iat\":1516239022}"));
	else if (which == '0')
		put_base64(b, STR("{\"iss\":\"https://id.corp.net\",\"uid\":42}"));
	else
		put_base64(b,
		    arena_printf(a, "{\"iss\":\"a\",\"exp\":%lld}",
			(long long)(SAMPLES_NOW.us / SECOND_US) + (which == '1' ? 3600 : -3600)));
	buf_char(b, '.');
	for (int i = 0; i < 43; i++)
		buf_char(b, signature.p[dice(seed, (unsigned)signature.n)]);
}

static void
put_random(struct arena *a, struct buf *b, const char *text, enum sample_form form, uint64_t *seed)
{
	bool checked = text[0] == 'k';
	struct str from = alphabet(a, checked ? 'n' : text[0]);
	size_t n = (size_t)strtoul(text + 1, NULL, 10), at = b->n;

	for (size_t i = 0; i < n; i++)
		buf_char(b, form == SAMPLE_WEAK ? from.p[0] : from.p[dice(seed, (unsigned)from.n)]);
	if (checked)
		put_check(b, at);
	if (form == SAMPLE_BROKEN && n > 1)
		b->p[at + n / 2] = ' ';
}

struct made
sample_make(struct arena *a, const char *text, enum sample_form form, uint64_t *seed)
{
	struct buf b = { .a = a };
	struct made m = { .end = SIZE_MAX };

	while (*text != '\0') {
		const char *close = text[0] == '{' ? strchr(text, '}') : NULL;
		bool part = close != NULL && close - text < 6 && close - text > 1;

		if (part && text[1] == '<') {
			m.start = b.n;
		} else if (part && text[1] == '>') {
			m.end = b.n;
		} else if (part && text[1] == 'j' && form == SAMPLE_TRUE) {
			put_jwt(a, &b, text[2], seed);
		} else if (part && (ascii_digit(text[2]) || text[1] == 'j')) {
			put_random(a, &b, text + 1, form, seed);
			if (form == SAMPLE_BROKEN)
				form = SAMPLE_TRUE;
		} else {
			buf_char(&b, *text++);
			continue;
		}
		text = close + 1;
	}
	m.text = buf_done(&b);
	if (m.end == SIZE_MAX)
		m.end = m.text.n;
	return m;
}
