import { resolve } from 'node:path'
import t from 'tap'
import { loadConfig, Settings } from '../../fastify.config.js'
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
    TOKEN_KEYS_KEPT: '1001',
    VALUESETS_DIR: folder,
    VALUESET_BASE: 'https://vs.example.org/vs/',
    TERMINOLOGY_URL: 'https://tx.example.org/r4/',
    TERMINOLOGY_SETS: 'device-type, device-safety',
    CLINICAL_FHIR_URL: 'https://fhir.example.org/r4/',
    DATABASE_SERVER_ROLE: 'ssl_server',
    REMOTE_TIMEOUT: '1002',
    REMOTE_PAUSE: '1003',
    CLERK_SCOPE: 'any',
    API_DOCS: 'true',
    REQUIRE_CONSENT: 'true',
    CONSENT_ACTOR: 'ignore',
    PLATFORM_PREFIX: 'acme',
    AUDIT_PATIENTS: 'reference',
    EVENTS_KEPT: '30',
    EVENT_TARGETS: 'https://hooks.example.org/, https://10.0.0.3:8443, https://in.example.org=FD00::0:1',
    SECRETS_KEY: secretsKey,
    TIME_ZONE: 'Europe/Lisbon',
    LOG_LEVEL: 'debug',
    METRICS_PORT: '9464',
    METRICS_HOST: '10.0.0.2',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'https://otel.example.org/',
    OTEL_TRACES_SAMPLER_ARG: '0.25',
    BODY_LIMIT: '1101',
    BULK_BODY_LIMIT: '1102',
    BULK_CONCURRENCY: '1122',
    BULK_ITEMS: '1103',
    STRING_LIMIT: '1104',
    NOTE_LIMIT: '1105',
    QUERY_LIMIT: '1106',
    REFERENCE_LIST_LIMIT: '1107',
    PAGE_LIMIT: '1108',
    PAGE_BYTES: '1118',
    ORDER_NOTES: '1119',
    ORDER_NOTES_BYTES: '1120',
    SEARCH_WORDS: '1121',
    SEARCH_WORD_LIMIT: '1122',
    UPLOAD_LIMIT: '1109',
    UNPACKED_LIMIT: '1110',
    WORKBOOK_TIMEOUT: '1116',
    PATCH_OPERATIONS: '1111',
    RATE_LIMIT: '1112',
    EVENT_LOOP_DELAY_LIMIT: '1113',
    REQUEST_TIMEOUT: '1114',
    SHUTDOWN_DELAY: '1114',
    SHUTDOWN_TIMEOUT: '1115',
    RESPONSE_TIMEOUT: '1116',
    UNREAD_LIMIT: '1117'
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
      audience: 'ssl',
      keysMaxAgeMs: 1001
    },
    valueSets: { dir: folder, base: 'https://vs.example.org/vs' },
    terminology: { url: 'https://tx.example.org/r4', sets: ['device-type', 'device-safety'] },
    remote: { timeoutMs: 1002, circuitOpenMs: 1003 },
    clinical: { url: 'https://fhir.example.org/r4', requireConsent: true, consentActor: 'ignore' },
    platformPrefix: 'acme',
    auditPatients: 'reference',
    timeZone: 'Europe/Lisbon',
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
    shutdown: { delayMs: 1114, timeoutMs: 1115 },
    limits: {
      body: 1101,
      bulkBody: 1102,
      bulkItems: 1103,
      bulkConcurrency: 1122,
      string: 1104,
      note: 1105,
      query: 1106,
      referenceList: 1107,
      page: 1108,
      pageBytes: 1118,
      notes: 1119,
      noteBytes: 1120,
      searchWords: 1121,
      searchWord: 1122,
      upload: 1109,
      unpacked: 1110,
      workbookTimeout: 1116,
      patchOperations: 1111,
      rate: 1112,
      eventLoopDelay: 1113,
      requestTimeout: 1114,
      responseTimeout: 1116,
      unread: 1117,
      eventDays: 30
    }
  })
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
