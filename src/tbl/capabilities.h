/* Capabilities that an answer of a web server proves: RECOGNISE(in, path, status, marker,
   capabilities).
     in            where the marker is:
                     BODY    in the body; white space of the body is ignored, since JSON is written
                             with and without blanks
                     WHOLE   the body is the marker, byte for byte
                     TITLE   the title is the marker
                     PREFIX  the title begins with the marker; SUFFIX: it ends with the marker. The
                             rest is the name of an instance, of a page or a version
                     HEADER  in one of http.headers, "name: value" without regard to case
                     ASKS    in the header www-authenticate of the answer to the path
     path          of the request, without the query string; "*" for titles and HEADER, which a
                   service has for one path only
     status        of the answer; for titles and HEADER an unknown status is accepted
     capabilities  for http.capabilities, separated by blanks: api/NAME is a protocol, app/NAME a
                   program, auth/none has answered without a login, auth/login asks for one
   Among the rows for one body the first that fits counts: programs that imitate another one's API
   come before it. A row has auth/none only if the answer has what a login would have protected; the
   greeting of an API at / has not.

   RECOGNISE_PAGE(title, in, marker, capabilities) is for a title that other pages have, too: the page
   is the program's if its answer also has the marker, in http.server (SERVER) or in one of
   http.headers (HEADER), without regard to case. */

/* Ollama. KoboldCpp and llama.cpp answer the same path. */
RECOGNISE(WHOLE, "/", 200, "Ollama is running", "api/ollama")
RECOGNISE(BODY, "/api/tags", 200, "\"family\":\"koboldcpp\"", "api/koboldcpp auth/none")
RECOGNISE(BODY, "/api/tags", 200, "\"owned_by\":\"llamacpp\"", "api/llamacpp")
RECOGNISE(BODY, "/api/tags", 200, "{\"models\":[", "api/ollama auth/none")

/* The API of OpenAI, which many programs answer. llama.cpp lists its models, and TGI tells what it
   is, also where a key is set; the settings of llama.cpp need the key. */
RECOGNISE(BODY, "/v1/models", 200, "\"owned_by\":\"vllm\"", "api/openai api/vllm auth/none")
RECOGNISE(BODY, "/v1/models", 200, "\"owned_by\":\"sglang\"", "api/openai api/sglang auth/none")
RECOGNISE(BODY, "/v1/models", 200, "\"owned_by\":\"koboldcpp\"", "api/koboldcpp api/openai auth/none")
RECOGNISE(BODY, "/v1/models", 200, "\"owned_by\":\"llamacpp\"", "api/llamacpp api/openai")
RECOGNISE(BODY, "/props", 200, "\"default_generation_settings\":", "api/llamacpp auth/none")
RECOGNISE(BODY, "/v1/models", 200, "\"owned_by\":\"library\"", "api/ollama api/openai auth/none")
RECOGNISE(BODY, "/v1/models", 200, "\"owned_by\":\"organization_owner\"", "api/lm-studio api/openai auth/none")
RECOGNISE(BODY, "/v1/models", 200, "\"owned_by\":\"tensorrt_llm\"", "api/openai api/tensorrt-llm auth/none")
RECOGNISE(BODY, "/v1/models", 200, "\"owned_by\":\"lmdeploy\"", "api/lmdeploy api/openai auth/none")
RECOGNISE(BODY, "/v1/models", 200, "\"owned_by\":\"lemonade\"", "api/lemonade api/openai auth/none")
RECOGNISE(BODY, "/api/v1/models", 200, "\"owned_by\":\"lemonade\"", "api/lemonade api/openai auth/none")
RECOGNISE(BODY, "/v1/models", 200, "\"object\":\"object\",\"created\":", "api/dynamo api/openai auth/none")
RECOGNISE(BODY, "/v1/models", 200, "\"object\":\"list\"", "api/openai auth/none")

/* NIM describes itself without a key, and its models are served by vLLM or another engine. */
RECOGNISE(BODY, "/v1/metadata", 200, "\"assetInfo\":[", "api/nim")

/* Metrics are served without the key that protects the API. */
RECOGNISE(BODY, "/metrics", 200, "#TYPEvllm:", "api/vllm metrics/prometheus")
RECOGNISE(BODY, "/metrics", 200, "#TYPEsglang:", "api/sglang metrics/prometheus")
RECOGNISE(BODY, "/metrics", 200, "#TYPEtgi_", "api/tgi metrics/prometheus")
RECOGNISE(BODY, "/metrics", 200, "#TYPEte_request_count", "api/tei metrics/prometheus")
RECOGNISE(BODY, "/metrics", 200, "#TYPEnv_inference_", "api/triton metrics/prometheus")
RECOGNISE(BODY, "/metrics", 200, "#TYPEmilvus_", "api/milvus metrics/prometheus")
RECOGNISE(BODY, "/metrics", 200, "#TYPEdynamo_frontend_", "api/dynamo metrics/prometheus")
RECOGNISE(BODY, "/metrics", 200, "#TYPEdynamo_component_", "api/dynamo metrics/prometheus")
RECOGNISE(BODY, "/metrics", 200, "#TYPEetcd_server_", "api/etcd metrics/prometheus")
RECOGNISE(BODY, "/metrics", 200, "#TYPE", "metrics/prometheus")

RECOGNISE(BODY, "/info", 200, "\"router\":\"text-generation-router\"", "api/tgi")
RECOGNISE(BODY, "/info", 200, "\"named_endpoints\":{", "api/gradio auth/none")
RECOGNISE(BODY, "/gradio_api/info", 200, "\"named_endpoints\":{", "api/gradio auth/none")
RECOGNISE(BODY, "/api/contents", 200, "\"type\":\"directory\"", "api/jupyter auth/none")
RECOGNISE(BODY, "/api/contents/", 200, "\"type\":\"directory\"", "api/jupyter auth/none")
RECOGNISE(BODY, "/collections", 200, "\"result\":{\"collections\":[", "api/qdrant auth/none")
RECOGNISE(BODY, "/v1/schema", 200, "\"classes\":[", "api/weaviate auth/none")
RECOGNISE(BODY, "/api/v1/heartbeat", 200, "\"nanosecondheartbeat\":", "api/chroma")
RECOGNISE(BODY, "/api/v2/heartbeat", 200, "\"nanosecondheartbeat\":", "api/chroma")
RECOGNISE(BODY, "/api/2.0/mlflow/experiments/search", 200, "\"experiments\":[", "api/mlflow auth/none")
RECOGNISE(BODY, "/system_stats", 200, "\"comfyui_version\":", "api/comfyui auth/none")
RECOGNISE(BODY, "/object_info", 200, "\"KSampler\":{", "api/comfyui auth/none")
RECOGNISE(BODY, "/sdapi/v1/sd-models", 200, "\"model_name\":", "api/stable-diffusion auth/none")
RECOGNISE(BODY, "/api/config", 200, "\"features\":{\"auth\":false", "app/open-webui auth/none")
RECOGNISE(BODY, "/api/config", 200, "\"features\":{\"auth\":true", "app/open-webui auth/login")
RECOGNISE(BODY, "/api/version", 200, "\"ray_version\":", "api/ray auth/none")
RECOGNISE(BODY, "/api/cluster_status", 200, "\"autoscalingStatus\":", "api/ray auth/none")
RECOGNISE(BODY, "/api/v1/dags", 200, "{\"dags\":[", "api/airflow auth/none")
RECOGNISE(BODY, "/api/v2/dags", 200, "{\"dags\":[", "api/airflow auth/none")
RECOGNISE(BODY, "/health", 200, "\"latest_scheduler_heartbeat\":", "api/airflow")
RECOGNISE(BODY, "/api/v2/monitor/health", 200, "\"latest_scheduler_heartbeat\":", "api/airflow")
RECOGNISE(BODY, "/auth-status", 200, "{\"auth_configured\":false,\"access_token\":", "api/lightrag")
RECOGNISE(BODY, "/documents", 200, "{\"statuses\":{", "api/lightrag auth/none")
RECOGNISE(BODY, "/api/common/system/getInitData", 200, "\"feConfigs\":{", "app/fastgpt")
RECOGNISE(BODY, "/api/v1/chatflows", 200, "\"flowData\":", "api/flowise auth/none")

/* The Model Context Protocol. The answer names its server; a JSON-RPC of another protocol does
   not. */
RECOGNISE(BODY, "/mcp", 200, "\"serverInfo\":{", "mcp auth/none")
RECOGNISE(BODY, "/sse", 200, "event:endpoint", "mcp auth/none")

/* RFC 9728: the resource names where its login is. MCP servers must answer so, and other programs
   may. It is MCP if the request was one for MCP, or the URL names MCP. */
RECOGNISE(ASKS, "/mcp", 401, "resource_metadata=", "auth/login mcp")
RECOGNISE(ASKS, "/sse", 401, "resource_metadata=", "auth/login mcp")
RECOGNISE(HEADER, "*", 401, "/.well-known/oauth-protected-resource/mcp", "mcp")
RECOGNISE(HEADER, "*", 401, "/.well-known/oauth-protected-resource/sse", "mcp")
RECOGNISE(HEADER, "*", 401, "resource_metadata=\"https://mcp.", "mcp")
RECOGNISE(HEADER, "*", 401, "resource_metadata=", "auth/login")

/* Pages whose title is a word or belongs to the installation. */
RECOGNISE(BODY, "/", 200, "<zeppelin-root>", "app/zeppelin")
RECOGNISE(BODY, "/", 200, "static/pin_32.png\"", "app/airflow")
RECOGNISE(BODY, "/", 200, "window.MaxKB={", "app/maxkb")
RECOGNISE(BODY, "/admin/", 200, "window.MaxKB={", "app/maxkb")
RECOGNISE(BODY, "/chat/", 200, "window.MaxKB={", "app/maxkb")
RECOGNISE(BODY, "/", 200, "'WeKnora_theme'", "app/weknora")
RECOGNISE(BODY, "/", 200, "content=\"ArizePhoenix\"", "app/phoenix")
RECOGNISE(BODY, "/", 200, "content=\"AstrBotDashboard\"", "app/astrbot")

/* Pages that a program shows only where it asks for no login. */
RECOGNISE(TITLE, "*", 200, "Home Page - Select or create a notebook", "app/jupyter auth/none")
RECOGNISE(TITLE, "*", 200, "Airflow - DAGs", "app/airflow auth/none")
RECOGNISE(TITLE, "*", 200, "Ray Dashboard", "app/ray auth/none")

/* The same pages where the title alone is also that of pages about the program. */
RECOGNISE_PAGE("ComfyUI", SERVER, "aiohttp", "app/comfyui auth/none")
RECOGNISE_PAGE("JupyterLab", SERVER, "TornadoServer", "app/jupyter auth/none")
RECOGNISE_PAGE("JupyterLab", HEADER, "set-cookie: _xsrf", "app/jupyter auth/none")
RECOGNISE_PAGE("MLflow", SERVER, "gunicorn", "app/mlflow auth/none")

/* Titles with a part that differs between installations. */
RECOGNISE(PREFIX, "*", 200, "Airflow - ", "app/airflow")
RECOGNISE(PREFIX, "*", 200, "AnythingLLM | ", "app/anythingllm")
RECOGNISE(PREFIX, "*", 200, "Flowise - ", "app/flowise")
RECOGNISE(PREFIX, "*", 200, "Fooocus ", "app/fooocus")
RECOGNISE(PREFIX, "*", 200, "LLaMA Board (", "app/llama-factory")
RECOGNISE(PREFIX, "*", 200, "LiteLLM API", "app/litellm")
RECOGNISE(PREFIX, "*", 200, "LocalAI API - ", "app/localai")
RECOGNISE(PREFIX, "*", 200, "phpMyAdmin 3.", "app/phpmyadmin")
RECOGNISE(PREFIX, "*", 200, "phpMyAdmin 4.", "app/phpmyadmin")
RECOGNISE(PREFIX, "*", 200, "phpMyAdmin 5.", "app/phpmyadmin")
RECOGNISE(SUFFIX, "*", 200, " - SwarmUI", "app/swarmui")
RECOGNISE(SUFFIX, "*", 200, " \302\267 LobeChat", "app/lobechat")
RECOGNISE(SUFFIX, "*", 200, " (Open WebUI)", "app/open-webui")
RECOGNISE(SUFFIX, "*", 200, " [Jenkins]", "app/jenkins")
RECOGNISE(SUFFIX, "*", 200, " - Adminer", "app/adminer")
RECOGNISE(SUFFIX, "*", 200, " - Proxmox Virtual Environment", "app/proxmox")
RECOGNISE(SUFFIX, "*", 200, " | phpMyAdmin", "app/phpmyadmin")

/* Servers of models and of vectors, beside those above. */
RECOGNISE(BODY, "/info", 200, "\"model_type\":{\"embedding\":", "api/tei")
RECOGNISE(BODY, "/info", 200, "\"model_type\":{\"reranker\":", "api/tei")
RECOGNISE(BODY, "/info", 200, "\"model_type\":{\"classifier\":", "api/tei")
RECOGNISE(BODY, "/v2", 200, "{\"name\":\"triton\"", "api/triton auth/none")
RECOGNISE(BODY, "/models", 200, "\"modelUrl\":\"", "api/torchserve auth/none")
RECOGNISE(BODY, "/", 200, "\"title\":\"qdrant-vectorsearchengine\"", "api/qdrant")
RECOGNISE(BODY, "/", 301, "{\"links\":{\"href\":\"/v1\",\"name\":\"apiv1\"", "api/weaviate")
RECOGNISE(BODY, "/v1/meta", 200, "\"modules\":{", "api/weaviate")

/* Databases. The first two answer / to those alone who may read the state of the cluster. */
RECOGNISE(BODY, "/", 200, "\"tagline\":\"YouKnow,forSearch\"", "api/elasticsearch auth/none")
RECOGNISE(BODY, "/", 200, "\"tagline\":\"TheOpenSearchProject:", "api/opensearch auth/none")
RECOGNISE(BODY, "/", 200, "{\"couchdb\":\"Welcome\"", "api/couchdb")
RECOGNISE(BODY, "/_all_dbs", 200, "\"_users\"", "api/couchdb auth/none")
RECOGNISE(BODY, "/", 200, "\"neo4j_version\":", "api/neo4j")
RECOGNISE(BODY, "/version", 200, "{\"etcdserver\":", "api/etcd")
RECOGNISE(BODY, "/v2/keys", 200, "{\"action\":\"get\",\"node\":{", "api/etcd auth/none")
RECOGNISE(BODY, "/v2/keys/", 200, "{\"action\":\"get\",\"node\":{", "api/etcd auth/none")

/* Programs that run containers and services. */
RECOGNISE(BODY, "/version", 200, "\"MinAPIVersion\":", "api/docker auth/none")
RECOGNISE(BODY, "/containers/json", 200, "\"ImageID\":", "api/docker auth/none")
RECOGNISE(BODY, "/", 200, "\"tagline\":\"Welcometokong\"", "api/kong-admin auth/none")
RECOGNISE(BODY, "/pods", 200, "{\"kind\":\"PodList\"", "api/kubelet auth/none")
RECOGNISE(BODY, "/api/v1/namespaces", 200, "{\"kind\":\"NamespaceList\"", "api/kubernetes auth/none")
RECOGNISE(BODY, "/", 403, "\"message\":\"forbidden:User\\\"system:anonymous\\\"", "api/kubernetes auth/login")
RECOGNISE(BODY, "/v1/agent/self", 200, "{\"Config\":{\"Datacenter\":", "api/consul auth/none")
RECOGNISE(BODY, "/v1/jobs", 200, "\"JobModifyIndex\":", "api/nomad auth/none")
