import { type Static, Type } from '@sinclair/typebox'

const oneOf = <const T extends readonly string[]>(values: T, description: string, defaultValue: T[number]) =>
  Type.Unsafe<T[number]>({ type: 'string', enum: values, default: defaultValue, description })

const flag = (description: string, defaultValue = false) =>
  Type.Boolean({ default: defaultValue, description })

const count = (description: string, defaultValue: number, minimum: number, maximum: number) =>
  Type.Integer({ default: defaultValue, minimum, maximum, description })

/** Without a default in the schema, because the default depends on other settings. */
const optionalCount = (description: string, minimum: number, maximum: number) =>
  Type.Optional(Type.Integer({ minimum, maximum, description }))

/** Maximum of Node timers. A longer timer fires immediately. */
const MAX_TIMER_MS = 2 ** 31 - 1

const milliseconds = (description: string, defaultValue: number, minimum: number, maximum = MAX_TIMER_MS) =>
  count(`Milliseconds ${description}`, defaultValue, minimum, maximum)

const text = (defaultValue: string, description: string) =>
  Type.String({ default: defaultValue, description })

const optionalText = (description: string) => Type.Optional(Type.String({ description }))

const list = (description: string) =>
  Type.Unsafe<string[]>({ type: 'string', separator: ',', default: '', description })

/** All settings. `npm run docs` generates the table of settings from it. */
export const Settings = Type.Object({
  ENVIRONMENT: oneOf(
    ['devtest', 'inttest', 'exttest', 'preprod', 'prod'],
    'Environment of this instance. Only devtest accepts unsigned tokens.',
    'devtest'
  ),
  HOST: text('127.0.0.1', 'Address to listen on.'),
  PORT: count('Port to listen on.', 3000, 1, 65535),
  PUBLIC_URL: optionalText('Origin of the service for clients. Default: http://HOST:PORT.'),
  ADDRESSING: oneOf(
    ['path', 'host'],
    'path: {PUBLIC_URL}/ssl-order/v1; host: ssl-order.{PUBLIC_URL host}/v1.',
    'path'
  ),
  TRUST_PROXY: flag('Trust X-Forwarded-For of the proxy in front of the service.'),
  ALLOW_UNSIGNED_TOKENS: flag(
    'Allow devtest to listen on addresses other than loopback, without verifying tokens. Clients then use an IP address, localhost, or the host of HOST or PUBLIC_URL.'
  ),
  DATABASE_URL: optionalText(
    'PostgreSQL 15 or newer. If there are several hosts, comma-separated, the host that accepts writes is used. Default: an embedded PostgreSQL.'
  ),
  DATABASE_SERVER_ROLE: optionalText(
    'Role of the instances, if it is not the owner of the schema. The command migrate grants it the rights that it needs. Default: the instances use the owner.'
  ),
  DATA_DIR: text('.data', 'Data directory of the embedded PostgreSQL.'),
  DATABASE_POOL: count('Maximum connections to the database.', 8, 2, 200),
  DATABASE_POOLER: oneOf(
    ['none', 'transaction'],
    'transaction: DATABASE_URL names a connection pooler, such as PgBouncer, that lends a connection for each transaction. No prepared statements are used.',
    'none'
  ),
  REFERENCE_ORIGINS: list('Former public origins whose references are still accepted, comma-separated.'),
  CORS_ORIGINS: list('Origins of web pages that may call the service, comma-separated. Default: none.'),
  TOKEN_ISSUERS: list('Trusted token issuers (OpenID discovery), comma-separated.'),
  TOKEN_AUDIENCE: optionalText(
    'Required audience of tokens. Required in preprod and prod. Default elsewhere: any.'
  ),
  SIGN_IN_CLIENT_ID: optionalText(
    'Client id of the pages at the token issuers, so that users can sign in on the pages. Not in devtest. Default: users paste a token, or an application hands it over.'
  ),
  SIGN_IN_SCOPE: text('openid', 'Scopes that the pages request when a user signs in, separated by spaces.'),
  VALUESETS_DIR: optionalText(
    'Folder of FHIR R4 ValueSet, CodeSystem and Bundle JSON files. They replace built-in sets of the same name.'
  ),
  VALUESET_BASE: text('https://valuesets.example/vs', 'Base URL of the local value sets and code systems.'),
  TERMINOLOGY_URL: optionalText(
    'Base URL of a FHIR R4 terminology server, which validates annotation values. Default: local value sets.'
  ),
  TERMINOLOGY_SETS: list(
    'Value sets of the terminology server, comma-separated. Default: all sets of annotations.'
  ),
  CLINICAL_FHIR_URL: optionalText(
    'Base URL of the clinical FHIR backend, which must contain Patient and Organization references.'
  ),
  REMOTE_TIMEOUT: milliseconds(
    'of an attempt to call an upstream. A call has at most two attempts.',
    3000,
    10,
    10_000
  ),
  CLERK_SCOPE: oneOf(
    ['own', 'any'],
    'own: an AdministrativeClerk changes the resources of its organization and of the parties that the organization registered; any: the resources of all parties, for a national administration.',
    'own'
  ),
  API_DOCS: flag('Serve the OpenAPI and AsyncAPI documents and Swagger UI outside devtest as well.'),
  ORDER_DESK: flag('Serve the order desk, an example of an application, at /desk/ outside devtest as well.'),
  REQUIRE_CONSENT: flag('Submit an order only with an active consent (category SSLPCI) of its patient.'),
  CONSENT_ACTOR: oneOf(
    ['seller', 'ignore'],
    'seller: a consent that names actors must name the organization of the seller; ignore: for consents that name care teams.',
    'seller'
  ),
  PLATFORM_PREFIX: Type.String({
    default: 'ehealth',
    pattern: '^[^:|/]+$',
    description: 'Prefix of the reserved annotation names.'
  }),
  EVENTS_KEPT: count(
    'Minimum number of days for which events are stored, because whole months are removed. A cursor that is older gets 410.',
    90,
    1,
    3650
  ),
  EVENT_TARGETS: list(
    'Origins that may be targets of webhooks, comma-separated; http only in devtest. `<origin>=<address>` lists a private address that the name may lead to. Default: none.'
  ),
  SECRETS_KEY: optionalText(
    'Key of the secrets of webhooks: 32 bytes in base64. Required with EVENT_TARGETS. Default in devtest: a file in DATA_DIR.'
  ),
  SMTP_URL: optionalText(
    'Mail server for subscriptions with a mail address, smtp:// or smtps://, with user and password if it requires them. Outside devtest smtp:// must offer STARTTLS. Default: no mail.'
  ),
  MAIL_FROM: optionalText('Sender address of mail. Required with SMTP_URL.'),
  TIME_ZONE: text(
    'Europe/Copenhagen',
    'Time zone of calendar days, for the validity of contracts and due times. A start with another time zone than the first start is rejected.'
  ),
  ANSWER_DAYS: count(
    'Days, of 24 hours each, after which a submitted order without an answer counts as UNANSWERED, if no contract in force determines it. 0: never.',
    3,
    0,
    365
  ),
  LOG_LEVEL: oneOf(
    ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
    'Minimum level of log lines. At debug and trace, lines of requests also have the organization of the caller and the waiting times.',
    'info'
  ),
  METRICS_PORT: optionalCount(
    'Port of GET /metrics, in the format of Prometheus, without a token. Default: no metrics.',
    1,
    65535
  ),
  METRICS_HOST: text(
    '127.0.0.1',
    'Address of METRICS_PORT. Addresses other than loopback must be reachable only by the monitoring.'
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: optionalText(
    'Base URL of an OpenTelemetry collector (OTLP over HTTP) for traces. Default: no traces.'
  ),
  OTEL_TRACES_SAMPLER_ARG: Type.Number({
    default: 0.1,
    minimum: 0,
    maximum: 1,
    description: 'Fraction of requests that are traced, unless the traceparent of the caller decides.'
  }),
  RATE_LIMIT: optionalCount(
    'Maximum requests a minute of a caller, for each instance. With TRUST_PROXY, public routes except health count by address; otherwise all clients of public routes share ten times this number. 0: no limit. Default: 600, in devtest 0.',
    0,
    Number.MAX_SAFE_INTEGER
  ),
  EVENT_LOOP_DELAY_LIMIT: milliseconds(
    'of event loop lag from which requests are rejected with 503. 0: never.',
    1000,
    0
  ),
  REQUEST_TIMEOUT: milliseconds(
    'from the arrival of a request to its response. The audit record may take a third longer.',
    30_000,
    1000,
    // The value plus a third must also fit into a timer.
    Math.floor(MAX_TIMER_MS / 2)
  ),
  SHUTDOWN_DELAY: optionalCount(
    'Milliseconds after SIGTERM for which all requests are served, while /health/ready responds with 503, so that load balancers notice. Default: 5000, in devtest 0.',
    0,
    600_000
  ),
  SHUTDOWN_TIMEOUT: milliseconds('of requests in flight after SIGTERM and SHUTDOWN_DELAY.', 10_000, 100)
})
export type Settings = Static<typeof Settings>
