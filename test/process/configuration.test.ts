import { resolve } from 'node:path'
import t from 'tap'
import { loadConfig, Settings } from '../../fastify.config.js'
import { fixedLimits } from '../../src/settings/limits.js'
import { annotationSets } from '../../src/terminology/local-value-sets.js'

const secretsKey = Buffer.alloc(32, 1).toString('base64')

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
    AUDIT_PATIENTS: 'reference',
    EVENTS_KEPT: '30',
    EVENT_TARGETS: 'https://hooks.example.org/, https://10.0.0.3:8443, https://in.example.org=FD00::0:1',
    SECRETS_KEY: secretsKey,
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
    Object.keys(env).concat('ALLOW_UNSIGNED_TOKENS', 'CLOCK_SHIFT').sort(),
    Object.keys(Settings.properties).sort(),
    'ALLOW_UNSIGNED_TOKENS and CLOCK_SHIFT, only for devtest, have their own checks'
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
    auditPatients: 'reference',
    timeZone: 'Europe/Lisbon',
    answerDays: 5,
    clockShiftMs: 0,
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
      keyFolder: undefined
    },
    apiDocs: true,
    orderDesk: true,
    shutdown: { delayMs: 1114, timeoutMs: 1115 },
    limits: { ...fixedLimits, rate: 1112, eventLoopDelay: 1113, requestTimeout: 1114, eventDays: 30 }
  })
  const audience = 'https://ssl.example.org/api'
  t.equal(loadConfig({ ...env, TOKEN_AUDIENCE: audience }).signIn?.resource, audience, 'as a resource')
  t.equal(loadConfig({}).signIn, undefined)
  t.equal(loadConfig({ CLOCK_SHIFT: '-2' }).clockShiftMs, -7_200_000)
  t.throws(() => Object.assign(loadConfig(env), { port: 1 }), TypeError, 'it stays unchanged')
})

t.test('without a public URL the loopback names count too', async (t) => {
  const aliases = ['http://127.0.0.1:3000', 'http://localhost:3000', 'http://[::1]:3000']
  t.same(loadConfig({}).referenceOrigins, aliases)
  t.same(loadConfig({ REFERENCE_ORIGINS: 'https://old.example' }).referenceOrigins, [
    'https://old.example',
    ...aliases
  ])
  t.equal(loadConfig({ HOST: '::', ALLOW_UNSIGNED_TOKENS: 'true' }).publicUrl, 'http://localhost:3000')
  t.same(loadConfig({}).terminology.sets, annotationSets, 'all annotation sets are validated by the server')
  t.same(loadConfig({}).corsOrigins, [])
})
