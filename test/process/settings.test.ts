import { resolve } from 'node:path'
import t from 'tap'
import { ConfigError, loadConfig, Settings } from '../../fastify.config.js'
import { fixedLimits } from '../../src/settings/limits.js'
import { annotationSets } from '../../src/terminology/local-value-sets.js'

const prod = {
  ENVIRONMENT: 'prod',
  DATABASE_URL: 'postgres://db/ssl',
  PUBLIC_URL: 'https://prod.example.org',
  TOKEN_ISSUERS: 'https://issuer.example.org/realms/a',
  TOKEN_AUDIENCE: 'ssl'
}

const secretsKey = Buffer.alloc(32, 1).toString('base64')

function faultsOf(env: Record<string, string>): readonly string[] {
  try {
    loadConfig(env)
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.errors
    throw error
  }
}

t.test('defaults to devtest on loopback', async (t) => {
  t.match(loadConfig({}), {
    environment: 'devtest',
    publicUrl: 'http://127.0.0.1:3000',
    database: { url: undefined, dataDir: '.data' },
    tokens: { verified: false },
    valueSets: { base: 'https://valuesets.example/vs' }
  })
  t.equal(
    loadConfig({ HOST: '0.0.0.0', ALLOW_UNSIGNED_TOKENS: 'true', PORT: '80' }).publicUrl,
    'http://localhost:80'
  )
  t.equal(loadConfig({ HOST: '::1' }).publicUrl, 'http://[::1]:3000')
  t.equal(loadConfig({ DATABASE_URL: '' }).database.url, undefined, 'an empty variable is no setting')
})

t.test('tokens are verified outside devtest', async (t) => {
  for (const environment of ['inttest', 'exttest', 'preprod', 'prod'])
    t.match(loadConfig({ ...prod, ENVIRONMENT: environment }).tokens, {
      verified: true,
      issuers: [prod.TOKEN_ISSUERS]
    })
  t.same(loadConfig({ ...prod, TOKEN_ISSUERS: 'https://a.example, http://localhost:8080' }).tokens.issuers, [
    'https://a.example',
    'http://localhost:8080'
  ])
})

t.test('some defaults depend on the environment', async (t) => {
  const devtest = { apiDocs: true, clerkScope: 'own', limits: { rate: 0 }, shutdown: { delayMs: 0 } }
  t.match(loadConfig({}), devtest, 'devtest')
  for (const ENVIRONMENT of ['inttest', 'exttest', 'preprod', 'prod']) {
    const env = { ...prod, ENVIRONMENT }
    const expected = { apiDocs: false, clerkScope: 'own', limits: { rate: 600 }, shutdown: { delayMs: 5000 } }
    t.match(loadConfig(env), expected, ENVIRONMENT)
    t.match(loadConfig({ ...env, API_DOCS: 'true', RATE_LIMIT: '0' }), { apiDocs: true, limits: { rate: 0 } })
  }
  t.equal(loadConfig({ RATE_LIMIT: '5' }).limits.rate, 5)
})

t.test('the clinical backend URL is normalized', async (t) => {
  for (const given of ['https://fhir.example/r4', ' HTTPS://FHIR.Example:443/x/../r4// '])
    t.equal(loadConfig({ CLINICAL_FHIR_URL: given }).clinical.url, 'https://fhir.example/r4', given)
  t.equal(loadConfig({ CLINICAL_FHIR_URL: 'https://fhir.example' }).clinical.url, 'https://fhir.example')
})

t.test('each invalid setting is reported', async (t) => {
  const cases: [env: Record<string, string>, faults: RegExp[]][] = [
    [
      { ENVIRONMENT: 'prod' },
      [
        /^DATABASE_URL is required/,
        /^PUBLIC_URL is required/,
        /^TOKEN_ISSUERS is required/,
        /^TOKEN_AUDIENCE is required/
      ]
    ],
    [{ ...prod, TOKEN_AUDIENCE: '' }, [/^TOKEN_AUDIENCE is required when ENVIRONMENT is prod$/]],
    [
      { ...prod, ENVIRONMENT: 'preprod', TOKEN_AUDIENCE: '', PORT: 'x' },
      [/^PORT/, /^TOKEN_AUDIENCE is required when ENVIRONMENT is preprod$/]
    ],
    [{ ...prod, ENVIRONMENT: 'inttest', TOKEN_AUDIENCE: '' }, []],
    [{ ...prod, ENVIRONMENT: 'exttest', TOKEN_AUDIENCE: '' }, []],
    [{ ENVIRONMENT: 'test' }, [/^ENVIRONMENT must be one of devtest, inttest/]],
    [{ HOST: '0.0.0.0' }, [/^HOST 0\.0\.0\.0 is not a loopback address/]],
    [{ PORT: 'x', LOG_LEVEL: 'loud', HOST: '10.0.0.1' }, [/^PORT/, /^LOG_LEVEL/, /^HOST/]],
    [{ PUBLIC_URL: 'https://x.example/path' }, [/^PUBLIC_URL must be an origin/]],
    [{ REFERENCE_ORIGINS: 'https://a.example,b.example' }, [/^REFERENCE_ORIGINS: b\.example/]],
    [{ ...prod, TOKEN_ISSUERS: 'http://issuer.example.org' }, [/^TOKEN_ISSUERS: http:\/\/issuer/]],
    [{ ...prod, ALLOW_UNSIGNED_TOKENS: 'true' }, [/^ALLOW_UNSIGNED_TOKENS/]],
    [{ SIGN_IN_CLIENT_ID: 'ssl' }, [/^SIGN_IN_CLIENT_ID is for environments that verify tokens/]],
    [{ DATABASE_URL: 'mysql://x' }, [/^DATABASE_URL/]],
    [{ DATABASE_POOLER: 'transaction' }, [/^DATABASE_POOLER=transaction requires DATABASE_URL/]],
    [{ DATABASE_URL: 'postgres://a:1,b/db?target_session_attrs=read-write' }, []],
    [
      { DATABASE_URL: 'postgres://a,b/db?target_session_attrs=standby' },
      [/^DATABASE_URL must not set target_session_attrs=standby: the service writes\./]
    ],
    [
      { DATABASE_URL: 'postgres://a/db?sslrootcert=/etc/ca.pem' },
      [/^DATABASE_URL must not set sslrootcert: .* NODE_EXTRA_CA_CERTS/]
    ],
    [{ EVENT_TARGETS: 'http://127.0.0.1:8080,https://hooks.example.org' }, []],
    [{ EVENT_TARGETS: 'https://hooks.example.org/path' }, [/^EVENT_TARGETS: .* must be an origin/]],
    [{ EVENT_TARGETS: 'https://h.example.org=10.1.2.3,https://h.example.org=fd00::1' }, []],
    [{ EVENT_TARGETS: 'https://h.example.org=name' }, [/^EVENT_TARGETS: .* an IP address/]],
    [{ EVENT_TARGETS: 'https://h.example.org=127.1' }, [/^EVENT_TARGETS: .* an IP address/]],
    [{ SECRETS_KEY: 'short' }, [/^SECRETS_KEY must be 32 bytes in base64/]],
    [{ ...prod, EVENT_TARGETS: 'https://hooks.example.org' }, [/^EVENT_TARGETS requires SECRETS_KEY/]],
    [{ ...prod, EVENT_TARGETS: 'https://hooks.example.org', SECRETS_KEY: secretsKey }, []],
    [
      { ...prod, EVENT_TARGETS: 'http://hooks.example.org', SECRETS_KEY: secretsKey },
      [/^EVENT_TARGETS: .* with https outside devtest$/]
    ],
    [{ TIME_ZONE: 'Mars/Olympus' }, [/^TIME_ZONE/]],
    [{ PLATFORM_PREFIX: 'a:b' }, [/^PLATFORM_PREFIX/]],
    [{ CLINICAL_FHIR_URL: 'fhir' }, [/^CLINICAL_FHIR_URL/]],
    [{ TERMINOLOGY_URL: 'tx.example.org' }, [/^TERMINOLOGY_URL must be an http or https URL/]],
    [{ TERMINOLOGY_URL: 'https://tx.example.org/r4?x' }, [/^TERMINOLOGY_URL/]],
    [
      { TERMINOLOGY_SETS: 'device-type, order-status,Device-Type' },
      [
        /^TERMINOLOGY_SETS: order-status must be one of device-type, .*local$/,
        /^TERMINOLOGY_SETS: Device-Type/
      ]
    ],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector' }, [/^OTEL_EXPORTER_OTLP_ENDPOINT must be an http/]],
    [{ OTEL_TRACES_SAMPLER_ARG: '1.5' }, [/^OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1$/]],
    [{ CLINICAL_FHIR_URL: 'https://:pw@fhir.example' }, [/^CLINICAL_FHIR_URL/]],
    [{ CLINICAL_FHIR_URL: 'https://fhir.example/r4?' }, [/^CLINICAL_FHIR_URL/]],
    [{ CLINICAL_FHIR_URL: 'https://fhir.example/#' }, [/^CLINICAL_FHIR_URL/]],
    [{ REQUIRE_CONSENT: 'true' }, [/^REQUIRE_CONSENT requires CLINICAL_FHIR_URL/]],
    [{ REQUIRE_CONSENT: 'true', PORT: 'x' }, [/^PORT/, /^REQUIRE_CONSENT/]],
    [{ CORS_ORIGINS: 'https://a.example,https://b.example/x' }, [/^CORS_ORIGINS: https:\/\/b\.example\/x/]],
    [{ ADDRESSING: 'host' }, [/^ADDRESSING=host requires/]],
    [{ ADDRESSING: 'host', PUBLIC_URL: 'https://10.0.0.1' }, [/^ADDRESSING=host requires/]],
    [{ VALUESET_BASE: 'vs' }, [/^VALUESET_BASE/]],
    [{ VALUESETS_DIR: 'not/there' }, [/^VALUESETS_DIR not\/there does not exist/]],
    [{ PUBLIC_URL: 'ftp://x.example' }, [/^PUBLIC_URL/]],
    [{ PUBLIC_URL: 'https://user@x.example' }, [/^PUBLIC_URL/]],
    [{ ...prod, TOKEN_ISSUERS: 'https://a.example,http://b.example' }, [/^TOKEN_ISSUERS: http:\/\/b/]],
    [{ ...prod, TOKEN_ISSUERS: 'https://a.example?x' }, [/^TOKEN_ISSUERS/]]
  ]
  for (const [env, expected] of cases) {
    const faults = faultsOf(env)
    t.equal(faults.length, expected.length, `${JSON.stringify(env)}: ${faults.join(' | ')}`)
    for (const [at, pattern] of expected.entries()) t.match(faults[at], pattern)
  }
})

/** Minimum, maximum and default of every number setting. */
const numbers: Readonly<Record<string, [lowest: number, initial: number | undefined, highest: number]>> = {
  PORT: [1, 3000, 65_535],
  METRICS_PORT: [1, undefined, 65_535],
  DATABASE_POOL: [2, 8, 200],
  EVENTS_KEPT: [1, 90, 3650],
  ANSWER_DAYS: [0, 3, 365],
  REMOTE_TIMEOUT: [10, 3000, 10_000],
  RATE_LIMIT: [0, undefined, Number.MAX_SAFE_INTEGER],
  EVENT_LOOP_DELAY_LIMIT: [0, 1000, 2 ** 31 - 1],
  REQUEST_TIMEOUT: [1000, 30_000, 2 ** 30 - 1],
  SHUTDOWN_DELAY: [0, undefined, 600_000],
  SHUTDOWN_TIMEOUT: [100, 10_000, 2 ** 31 - 1]
}

t.test('number settings accept only values within their bounds', async (t) => {
  const integers = Object.entries(Settings.properties).filter(([, { type }]) => type === 'integer')
  t.same(Object.fromEntries(integers.map(([name, s]) => [name, [s.minimum, s.default, s.maximum]])), numbers)
  for (const [name, [lowest, , highest]] of Object.entries(numbers)) {
    for (const value of [lowest, highest]) t.same(faultsOf({ [name]: String(value) }), [], `${name}=${value}`)
    for (const value of [lowest - 1, highest === Number.MAX_SAFE_INTEGER ? '1.5' : highest + 1, 'x'])
      t.match(
        faultsOf({ [name]: String(value) }),
        [new RegExp(`^${name} must be a whole number from ${lowest}`)],
        `${name}=${value}`
      )
  }
})

t.test('an enumerated setting accepts only its values', async (t) => {
  const choices: Record<string, [initial: string, ...others: string[]]> = {
    ENVIRONMENT: ['devtest', 'inttest', 'exttest', 'preprod', 'prod'],
    ADDRESSING: ['path', 'host'],
    CLERK_SCOPE: ['own', 'any'],
    CONSENT_ACTOR: ['seller', 'ignore'],
    DATABASE_POOLER: ['none', 'transaction'],
    LOG_LEVEL: ['info', 'trace', 'debug', 'warn', 'error', 'fatal', 'silent']
  }
  const enums = Object.entries(Settings.properties).filter(([, schema]) => schema.enum !== undefined)
  t.same(enums.map(([name]) => name).sort(), Object.keys(choices).sort())
  for (const [name, values] of Object.entries(choices)) {
    t.equal(Settings.properties[name as keyof typeof Settings.properties].default, values[0], name)
    for (const value of values) t.same(faultsOf({ ...prod, [name]: value }), [], `${name}=${value}`)
    t.match(faultsOf({ ...prod, [name]: `${values[0]}x` }), [new RegExp(`^${name} must be one of`)])
  }
  const flags = Object.entries(Settings.properties).filter(([, { type }]) => type === 'boolean')
  for (const [name, schema] of flags) {
    t.equal(schema.default, false, name)
    t.notMatch(faultsOf({ [name]: 'true' }), [/must be true or false/], name)
    t.match(faultsOf({ [name]: 'yes' }), [new RegExp(`^${name} must be true or false`)])
  }
})

t.test('every setting reaches the program', async (t) => {
  const folder = resolve('test')
  const env = {
    ENVIRONMENT: 'inttest',
    HOST: '10.0.0.1',
    PORT: '4000',
    PUBLIC_URL: 'https://ssl.example.org/',
    ADDRESSING: 'host',
    TRUST_PROXY: 'true',
    DATABASE_URL: 'postgresql://db/ssl',
    DATA_DIR: 'elsewhere',
    DATABASE_POOL: '3',
    DATABASE_POOLER: 'transaction',
    REFERENCE_ORIGINS: 'https://old.example.org/, https://older.example.org',
    CORS_ORIGINS: 'https://web.example.org, https://other.example.org/',
    TOKEN_ISSUERS: 'https://a.example.org, https://b.example.org',
    TOKEN_AUDIENCE: 'ssl',
    SIGN_IN_CLIENT_ID: 'ssl-pages',
    SIGN_IN_SCOPE: 'openid offline_access',
    VALUESETS_DIR: folder,
    VALUESET_BASE: 'https://vs.example.org/vs/',
    TERMINOLOGY_URL: 'https://tx.example.org/r4/',
    TERMINOLOGY_SETS: 'device-type, device-safety',
    CLINICAL_FHIR_URL: 'https://fhir.example.org/r4/',
    DATABASE_SERVER_ROLE: 'ssl_server',
    REMOTE_TIMEOUT: '1002',
    CLERK_SCOPE: 'any',
    API_DOCS: 'true',
    ORDER_DESK: 'true',
    REQUIRE_CONSENT: 'true',
    CONSENT_ACTOR: 'ignore',
    PLATFORM_PREFIX: 'acme',
    EVENTS_KEPT: '30',
    EVENT_TARGETS: 'https://hooks.example.org/, https://10.0.0.3:8443, https://in.example.org=FD00::0:1',
    SECRETS_KEY: secretsKey,
    SMTP_URL: 'smtps://mail.example.org',
    MAIL_FROM: 'ssl@example.org',
    TIME_ZONE: 'Europe/Lisbon',
    ANSWER_DAYS: '5',
    LOG_LEVEL: 'debug',
    METRICS_PORT: '9464',
    METRICS_HOST: '10.0.0.2',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'https://otel.example.org/',
    OTEL_TRACES_SAMPLER_ARG: '0.25',
    RATE_LIMIT: '1112',
    EVENT_LOOP_DELAY_LIMIT: '1113',
    REQUEST_TIMEOUT: '1114',
    SHUTDOWN_DELAY: '1114',
    SHUTDOWN_TIMEOUT: '1115'
  }
  t.same(
    Object.keys(env).concat('ALLOW_UNSIGNED_TOKENS').sort(),
    Object.keys(Settings.properties).sort(),
    'ALLOW_UNSIGNED_TOKENS, only for devtest, has its own check'
  )
  t.same(loadConfig(env), {
    environment: 'inttest',
    host: '10.0.0.1',
    port: 4000,
    publicUrl: 'https://ssl.example.org',
    referenceOrigins: ['https://old.example.org', 'https://older.example.org'],
    addressing: 'host',
    trustProxy: true,
    corsOrigins: ['https://web.example.org', 'https://other.example.org'],
    database: {
      url: 'postgresql://db/ssl',
      dataDir: 'elsewhere',
      pool: 3,
      pooler: 'transaction'
    },
    tokens: {
      verified: true,
      issuers: ['https://a.example.org', 'https://b.example.org'],
      audience: 'ssl'
    },
    signIn: { clientId: 'ssl-pages', scope: 'openid offline_access', resource: undefined },
    valueSets: { dir: folder, base: 'https://vs.example.org/vs' },
    terminology: { url: 'https://tx.example.org/r4', sets: ['device-type', 'device-safety'] },
    remoteTimeoutMs: 1002,
    clinical: { url: 'https://fhir.example.org/r4', requireConsent: true, consentActor: 'ignore' },
    platformPrefix: 'acme',
    timeZone: 'Europe/Lisbon',
    answerDays: 5,
    logLevel: 'debug',
    metrics: { host: '10.0.0.2', port: 9464 },
    tracing: { endpoint: 'https://otel.example.org', sampleRatio: 0.25 },
    clerkScope: 'any',
    webhooks: {
      targets: [
        { origin: 'https://hooks.example.org', address: undefined },
        { origin: 'https://10.0.0.3:8443', address: undefined },
        { origin: 'https://in.example.org', address: 'fd00::1' }
      ],
      secretsKey,
      keyFolder: undefined,
      mail: {
        url: 'smtps://mail.example.org',
        from: 'ssl@example.org',
        requireTls: true,
        link: 'https://ssl.example.org/desk/'
      }
    },
    apiDocs: true,
    orderDesk: true,
    shutdown: { delayMs: 1114, timeoutMs: 1115 },
    limits: { ...fixedLimits, rate: 1112, eventLoopDelay: 1113, requestTimeout: 1114, eventDays: 30 }
  })
  const audience = 'https://ssl.example.org/api'
  t.equal(loadConfig({ ...env, TOKEN_AUDIENCE: audience }).signIn?.resource, audience, 'as a resource')
  t.equal(loadConfig({}).signIn, undefined)
  t.throws(() => Object.assign(loadConfig(env), { port: 1 }), TypeError, 'it stays unchanged')
})

t.test('rejects incomplete settings of mail', async (t) => {
  const together = ['SMTP_URL and MAIL_FROM require each other']
  t.same(faultsOf({ SMTP_URL: 'smtp://mail.example.org' }), together)
  t.same(faultsOf({ MAIL_FROM: 'ssl@example.org' }), together)
  t.same(faultsOf({ SMTP_URL: 'https://mail.example.org', MAIL_FROM: 'ssl@example.org' }), [
    'SMTP_URL must be an smtp:// or smtps:// URL'
  ])
})

t.test('without a public URL the server accepts its loopback names', async (t) => {
  const aliases = ['http://127.0.0.1:3000', 'http://localhost:3000', 'http://[::1]:3000']
  t.same(loadConfig({}).referenceOrigins, aliases)
  t.same(loadConfig({ REFERENCE_ORIGINS: 'https://old.example' }).referenceOrigins, [
    'https://old.example',
    ...aliases
  ])
  t.same(loadConfig({}).terminology.sets, annotationSets, 'all annotation sets are validated by the server')
  t.same(loadConfig({}).corsOrigins, [])
})
