/* Credentials that a text may contain: SECRET(type, provider, anchors, lead, shape, check, entropy,
   near, severity).
     type       the name of the kind of secret
     anchors    texts that only such a secret has, separated by blanks; "^" is a blank of the text,
                and [AQ0-9] one of these characters. The secret begins with the anchor unless the
                row has a lead or a "<"
     lead       "b85-85": characters of class b before the anchor, which belong to the secret;
                "": there are none
     shape      the characters behind the anchor, as parts: "n36" is 36 characters of class n,
                "w22-40" is 22 to 40 of class w, "=." are these characters. "<s1-8": characters that
                are skipped before the secret begins. "|" separates shapes; the first that fits
                counts
                  d 0-9   x 0-9a-f   X x and A-F   u A-Z2-7   U A-Z0-9   l 0-9a-z   n A-Za-z0-9
                  v n and _   w n and _-   a w and .~   b n and +/   e b and %   q w and +/=   c q and ,
                  p printable but "'`<>&;,\{}|()   s blank and "':=>,[(
     check      a function of src/secret/check.c that must also accept the secret, or NONE
     entropy    bits of a character that the secret must have, times ten
     near       words separated by blanks, one of which must be within 256 bytes; "!" before them:
                none of them may be there
     severity   of the finding
   The character before a secret that begins with a letter or a digit is neither a letter nor a
   digit nor one of its first class, and the one behind is neither a letter nor a digit nor one of
   its last class. "=" may be before a secret, so no shape begins with q, c or p. For one place the
   first row that fits counts. */

/* Clouds */
SECRET(aws_access_key, "aws", "AKIA ASIA ABIA ACCA A3T[A-Z0-9]", "", "u16", AWS, 28, "", HIGH)
SECRET(aws_secret_key, "aws", "aws_secret_access_key AWS_SECRET_ACCESS_KEY aws_secret_key AWS_SECRET_KEY secretAccessKey SecretAccessKey",
    "", "<s1-8 b40", NONE, 38, "", CRITICAL)
SECRET(aws_bedrock_key, "aws", "ABSK", "", "b109-269 === | b109-269 == | b109-269", NONE, 38, "", HIGH)
SECRET(aws_bedrock_short_term_key, "aws", "bedrock-api-key-", "", "=YmVkcm9jay5hbWF6b25hd3MuY29t q20-4000", NONE, 38, "", MEDIUM)
SECRET(aws_appsync_key, "aws", "da2-", "", "l26", NONE, 32, "", MEDIUM)
SECRET(azure_storage_key, "azure", "[AQgw]==", "b85-85", "", NONE, 45,
    "accountkey account_key storagekey storage_key storageaccesskey core.windows.net", CRITICAL)
SECRET(power_automate_url, "microsoft", "sv=1.0&sig= sv=1.0&amp;sig=", "", "<s0 w40-60", NONE, 38,
    "powerautomate/ /paths/invoke", MEDIUM)
SECRET(teams_webhook, "microsoft", "webhook.office.com/webhookb2/", "", "w36 =@ w36 =/IncomingWebhook/ l32 =/ w36", NONE, 35, "", MEDIUM)
SECRET(azure_sas, "azure", "sig=", "", "<s0 e43-100", NONE, 38, "sv=20 sp= se=20", HIGH)
SECRET(azure_client_secret, "azure", "[0-9]Q~", "a3-3", "a31-34", NONE, 38, "", HIGH)
SECRET(gcp_service_account, "google", "-----BEGIN^PRIVATE^KEY-----", "", "", PEM, 45, "service_account gserviceaccount", CRITICAL)
SECRET(google_oauth_secret, "google", "GOCSPX-", "", "w28", NONE, 32, "", HIGH)
SECRET(google_refresh_token, "google", "1//0", "", "w38-100", NONE, 35, "", HIGH)
SECRET(google_api_key, "google", "AIza", "", "w35", NONE, 35, "!authdomain firebaseapp maps.googleapis.com", LOW)
SECRET(digitalocean_token, "digitalocean", "dop_v1_ doo_v1_ dor_v1_", "", "x64", NONE, 28, "", HIGH)
SECRET(alibaba_access_key, "alibaba", "LTAI", "", "n20", DIGIT, 35, "", HIGH)
SECRET(cloudflare_origin_key, "cloudflare", "v1.0-", "", "x24 =- x146", NONE, 28, "", HIGH)
SECRET(cloudflare_token, "cloudflare", "cfut_ cfat_ cfk_", "", "n40 x8", NONE, 35, "", HIGH)
SECRET(fly_token, "fly.io", "FlyV1^fm1_ FlyV1^fm2_", "", "b1 c499-4000", NONE, 45, "", HIGH)
SECRET(fly_macaroon, "fly.io", "fm1a_ fm1r_ fm2_", "", "b100-4000", NONE, 45, "", HIGH)
SECRET(fly_access_token, "fly.io", "fo1_", "", "w43", NONE, 38, "", HIGH)
SECRET(heroku_key, "heroku", "HRKU-AA", "", "w58", NONE, 38, "", HIGH)
SECRET(databricks_token, "databricks", "dapi", "", "x32 =- d1 | x32", NONE, 25, "", HIGH)
SECRET(supabase_key, "supabase", "sbp_ sb_secret_", "", "x40 | w31-41", NONE, 28, "", HIGH)
SECRET(planetscale_secret, "planetscale", "pscale_tkn_ pscale_pw_ pscale_oauth_", "", "a32-64", NONE, 35, "", HIGH)

/* Hosting of code and packages */
SECRET(github_token, "github", "ghp_ gho_ ghu_ ghs_ ghr_", "", "n36", CRC62, 30, "", CRITICAL)
SECRET(github_app_token, "github", "ghs_", "", "w20-600 =. w10-2000 =. w10-1000 | w60-600", NONE, 35, "", HIGH)
SECRET(github_fine_grained_token, "github", "github_pat_", "", "n22 =_ n59", NONE, 38, "", CRITICAL)
SECRET(gitlab_token, "gitlab", "glpat- gldt- glft- glffct- glrt- glsoat- GR1348941", "", "w27-300 =. l2 =. l9 | w27-300 =. l9 | w20-22 | =t1_ w20", NONE, 30, "", CRITICAL)
SECRET(gitlab_trigger_token, "gitlab", "glptt-", "", "x40", NONE, 28, "", HIGH)
SECRET(gitlab_mail_token, "gitlab", "glimt-", "", "w25", NONE, 30, "", MEDIUM)
SECRET(gitlab_agent_token, "gitlab", "glagent-", "", "w50", NONE, 35, "", HIGH)
SECRET(gitlab_oauth_secret, "gitlab", "gloas-", "", "w64", NONE, 35, "", HIGH)
SECRET(gitlab_job_token, "gitlab", "glcbt-", "", "X1-5 =_ w20", NONE, 30, "", MEDIUM)
SECRET(bitbucket_token, "atlassian", "ATBB", "", "n32", DIGIT, 35, "", HIGH)
SECRET(atlassian_token, "atlassian", "ATATT3xFf ATCTT3xFf", "", "w100-260 == X8", NONE, 40, "", HIGH)
SECRET(npm_token, "npm", "npm_", "", "n36", CRC62, 30, "", CRITICAL)
SECRET(pypi_token, "pypi", "pypi-AgEIcHlwaS5vcmc pypi-AgENdGVzdC5weXBpLm9yZw", "", "w50-1000", NONE, 38, "", CRITICAL)
SECRET(rubygems_key, "rubygems", "rubygems_", "", "x48", NONE, 28, "", HIGH)
SECRET(docker_token, "docker", "dckr_pat_ dckr_oat_", "", "w27-32", NONE, 32, "", HIGH)
SECRET(terraform_token, "hashicorp", ".atlasv1.", "n14-14", "w60-70", NONE, 38, "", HIGH)
SECRET(vault_token, "hashicorp", "hvs. hvb. hvr.", "", "w90-300", NONE, 38, "", HIGH)
SECRET(doppler_token, "doppler", "dp.pt. dp.st. dp.ct. dp.sa.", "", "n40-44", NONE, 38, "", HIGH)
SECRET(linear_key, "linear", "lin_api_ lin_oauth_", "", "n40 | x64", NONE, 28, "", HIGH)
SECRET(postman_key, "postman", "PMAK-", "", "x24 =- x34", NONE, 28, "", HIGH)
SECRET(grafana_token, "grafana", "glsa_", "", "n32 =_ X8", NONE, 32, "", HIGH)
SECRET(sentry_token, "sentry", "sntryu_ sntrys_eyJ", "", "x64 | w8 q72-592", NONE, 28, "", HIGH)
SECRET(newrelic_key, "newrelic", "NRAK-", "", "U27", NONE, 30, "", HIGH)
SECRET(newrelic_ingest_key, "newrelic", "NRII- NRIQ-", "", "w25-32", NONE, 30, "", HIGH)
SECRET(newrelic_license_key, "newrelic", "FFFFNRAL", "l32-32", "", NONE, 30, "", HIGH)
SECRET(newrelic_mobile_token, "newrelic", "-NRMA", "n42-42", "", NONE, 28, "", LOW)
SECRET(figma_token, "figma", "fig[dhopru]_ fig[uo][rh]_", "", "w1 q39-53", NONE, 35, "", MEDIUM)
SECRET(artifactory_token, "jfrog", "AKCp cmVmd", "", "n69 | n59", NONE, 42, "", HIGH)
SECRET(sonar_token, "sonar", "squ_ sqp_ sqa_ sqco_", "", "w40 | n59", NONE, 30, "", HIGH)
SECRET(octopus_key, "octopus", "API-", "", "U26 | U29-34", DIGIT, 35, "", HIGH)
SECRET(rootly_key, "rootly", "rootly_", "", "x64", NONE, 28, "", HIGH)
SECRET(pganalyze_key, "pganalyze", "pgar_", "", "n27", NONE, 35, "", HIGH)
SECRET(spectral_token, "spectral", "spu-", "", "l32", NONE, 32, "", HIGH)
SECRET(airtable_token, "airtable", "pat", "", "n14 =. x64", NONE, 35, "", HIGH)
SECRET(notion_token, "notion", "ntn_", "", "d11 n35", NONE, 35, "", HIGH)

/* Services of models */
SECRET(openai_key, "openai", "sk-", "", "w48-200", OPENAI, 35, "", HIGH)
SECRET(anthropic_key, "anthropic", "sk-ant-api03- sk-ant-admin01- sk-ant-oat01-", "", "w95", ANTHROPIC, 38, "", HIGH)
SECRET(huggingface_token, "huggingface", "hf_ api_org_", "", "n34", NONE, 32, "", HIGH)
SECRET(openrouter_key, "openrouter", "sk-or-v1-", "", "x64", NONE, 28, "", HIGH)
SECRET(groq_key, "groq", "gsk_", "", "n52", NONE, 35, "", HIGH)
SECRET(replicate_token, "replicate", "r8_", "", "n37", NONE, 35, "", HIGH)
SECRET(xai_key, "xai", "xai-", "", "n80", NONE, 38, "", HIGH)
SECRET(pinecone_key, "pinecone", "pcsk_", "", "n5-6 =_ n63", NONE, 38, "", HIGH)
SECRET(perplexity_key, "perplexity", "pplx-", "", "n48", NONE, 35, "", HIGH)
SECRET(langsmith_key, "langsmith", "lsv2_pt_ lsv2_sk_", "", "x32 =_ x10", NONE, 28, "", HIGH)
SECRET(langfuse_key, "langfuse", "sk-lf-", "", "x8 =- x4 =- x4 =- x4 =- x12", NONE, 28, "", HIGH)

/* Services that send messages */
SECRET(slack_token, "slack", "xoxb- xoxp- xoxa- xoxr- xoxs- xoxo- xoxe-", "",
    "d8-14 =- d8-14 =- d8-14 =- n26-64 | d8-14 =- d8-14 =- n18-40 | d8-14 =- n18-40", NONE, 28, "", HIGH)
SECRET(slack_legacy_token, "slack", "xoxs- xoxo-", "", "d1-14 =- d1-14 =- d1-14 =- d1-14 =- X10-64 | d1-14 =- d1-14 =- d1-14 =- X10-64", NONE, 25, "", HIGH)
SECRET(slack_app_token, "slack", "xapp-1-", "", "U9-14 =- d10-15 =- x32-64", NONE, 28, "", HIGH)
SECRET(slack_config_token, "slack", "xoxe-1- xoxe.xoxp-1- xoxe.xoxb-1-", "", "n140-180", NONE, 38, "", HIGH)
SECRET(slack_webhook, "slack", "hooks.slack.com/services/", "", "U8-13 =/ U8-13 =/ n20-26", NONE, 28, "", MEDIUM)
SECRET(slack_workflow, "slack", "hooks.slack.com/workflows/ hooks.slack.com/triggers/", "", "U8-13 =/ U8-13 =/ d15-20 =/ n20-40 | U8-13 =/ d10-20 =/ x20-40", NONE, 28, "", MEDIUM)
SECRET(discord_bot_token, "discord", "[MNO][DTjz][AEIMQUYcgk]", "", "n20-23 =. w6 =. w27-38", NONE, 38, "", HIGH)
SECRET(discord_webhook, "discord", "discord.com/api/webhooks/ discordapp.com/api/webhooks/", "", "d17-20 =/ w60-80", NONE, 35, "", MEDIUM)
SECRET(telegram_token, "telegram", ":AA", "d8-10", "w33", NONE, 35, "", HIGH)
SECRET(sendgrid_key, "sendgrid", "SG.", "", "w22 =. w43", NONE, 38, "", HIGH)
SECRET(mailchimp_key, "mailchimp", "-us[0-9]", "x32-32", "d0-1", NONE, 25, "!mailchimpsdk", HIGH)
SECRET(mailgun_key, "mailgun", "key-", "", "x32", NONE, 25, "mailgun", HIGH)

/* Shops and payments */
SECRET(stripe_key, "stripe", "sk_live_ rk_live_", "", "n24-120", NONE, 32, "", CRITICAL)
SECRET(stripe_test_key, "stripe", "sk_test_ rk_test_", "", "n24-120", NONE, 32, "", INFO)
SECRET(stripe_webhook_secret, "stripe", "whsec_", "", "b32-64", NONE, 35, "", MEDIUM)
SECRET(shopify_token, "shopify", "shpat_ shpca_ shppa_ shpss_", "", "X32", NONE, 25, "", HIGH)
SECRET(duffel_token, "duffel", "duffel_live_", "", "w43", NONE, 38, "", HIGH)
SECRET(duffel_test_token, "duffel", "duffel_test_", "", "w43", NONE, 38, "", INFO)
SECRET(shippo_token, "shippo", "shippo_live_", "", "X40", NONE, 28, "", HIGH)
SECRET(shippo_test_token, "shippo", "shippo_test_", "", "X40", NONE, 28, "", INFO)
SECRET(square_token, "square", "sq0atp- sq0csp-", "", "w43 | w22", NONE, 32, "", HIGH)

/* Other services */
SECRET(bannerbear_key, "bannerbear", "bb_pr_ bb_ma_", "", "x30", NONE, 28, "", HIGH)

/* Secrets of no provider */
SECRET(private_key, "", "-----BEGIN^", "", "", PEM, 45, "", HIGH)
SECRET(putty_private_key, "", "Private-Lines:^", "", "", PUTTY, 45, "", HIGH)
SECRET(age_secret_key, "", "AGE-SECRET-KEY-1", "", "U58", NONE, 35, "", HIGH)
SECRET(jwt, "", "eyJ", "", "w15-4000 =.eyJ w8-12000 =. w16-1400", JWT, 35, "", MEDIUM)
SECRET(url_password, "", "://", "", "", URL, 15, "", HIGH)
