import { annotationSets } from '../terminology/local-value-sets.js'
import type { Settings } from './settings.js'
import { parseTarget, withoutSlash } from './urls.js'

/** The validated settings in the shape that the program uses. Frozen. */
export interface Config {
  environment: Settings['ENVIRONMENT']
  host: string
  port: number
  publicUrl: string
  /** Further origins whose references belong to this service. */
  referenceOrigins: readonly string[]
  addressing: Settings['ADDRESSING']
  /** Whether `X-Forwarded-For` of the proxy in front of the service is trusted. */
  trustProxy: boolean
  /** Origins of web pages that may call the service. */
  corsOrigins: readonly string[]
  database: {
    url: string | undefined
    dataDir: string
    pool: number
    pooler: Settings['DATABASE_POOLER']
  }
  tokens: {
    verified: boolean
    issuers: readonly string[]
    audience: string | undefined
    keysMaxAgeMs: number
  }
  valueSets: { dir: string | undefined; base: string }
  /** The value sets of the terminology server. */
  terminology: { url: string | undefined; sets: readonly string[] }
  /** Timeout of upstreams, and the time for which their circuit stays open after failures. */
  remote: { timeoutMs: number; circuitOpenMs: number }
  clinical: { url: string | undefined; requireConsent: boolean; consentActor: Settings['CONSENT_ACTOR'] }
  platformPrefix: string
  auditPatients: Settings['AUDIT_PATIENTS']
  timeZone: string
  logLevel: Settings['LOG_LEVEL']
  metrics: { host: string; port: number | undefined }
  tracing: { endpoint: string | undefined; sampleRatio: number }
  /** Scope of clerks for changes. */
  clerkScope: Settings['CLERK_SCOPE']
  /** Origins of targets, the key of their secrets, and where it is kept without a setting. */
  webhooks: {
    targets: readonly { origin: string; address: string | undefined }[]
    secretsKey: string | undefined
    keyFolder: string | undefined
  }
  /** Whether the OpenAPI and AsyncAPI documents and Swagger UI are served. */
  apiDocs: boolean
  /** After SIGTERM: how long all requests are answered, and then how long those in flight. */
  shutdown: { delayMs: number; timeoutMs: number }
  limits: Limits
}

/** The limits of the interface. The settings of the same names document their units. */
export interface Limits {
  body: number
  bulkBody: number
  bulkItems: number
  /** Maximum concurrent heavy requests. */
  bulkConcurrency: number
  string: number
  note: number
  notes: number
  noteBytes: number
  searchWords: number
  searchWord: number
  query: number
  referenceList: number
  page: number
  pageBytes: number
  upload: number
  unpacked: number
  workbookTimeout: number
  patchOperations: number
  /** Maximum requests a minute. */
  rate: number
  eventLoopDelay: number
  requestTimeout: number
  responseTimeout: number
  /** Maximum unread bytes of responses. */
  unread: number
  /** Days for which events are kept. */
  eventDays: number
}

/** Converts settings to the configuration. Derived values are computed here. */
export function toConfig(s: Settings): Config {
  const publicUrl = s.PUBLIC_URL ? withoutSlash(s.PUBLIC_URL) : `http://${urlHost(s.HOST)}:${s.PORT}`
  // Local clients use any of these names.
  const aliases = s.PUBLIC_URL
    ? []
    : ['127.0.0.1', 'localhost', '[::1]'].map((host) => `http://${host}:${s.PORT}`)
  return {
    environment: s.ENVIRONMENT,
    host: s.HOST,
    port: s.PORT,
    publicUrl,
    referenceOrigins: [...s.REFERENCE_ORIGINS.map(withoutSlash), ...aliases],
    addressing: s.ADDRESSING,
    trustProxy: s.TRUST_PROXY,
    corsOrigins: s.CORS_ORIGINS.map(withoutSlash),
    database: {
      url: s.DATABASE_URL,
      dataDir: s.DATA_DIR,
      pool: s.DATABASE_POOL,
      pooler: s.DATABASE_POOLER
    },
    tokens: {
      verified: s.ENVIRONMENT !== 'devtest',
      issuers: s.TOKEN_ISSUERS.map((issuer) => issuer.trim()),
      audience: s.TOKEN_AUDIENCE,
      keysMaxAgeMs: s.TOKEN_KEYS_KEPT
    },
    valueSets: { dir: s.VALUESETS_DIR, base: withoutSlash(s.VALUESET_BASE) },
    terminology: {
      url: s.TERMINOLOGY_URL && withoutSlash(s.TERMINOLOGY_URL),
      sets: s.TERMINOLOGY_SETS.length > 0 ? s.TERMINOLOGY_SETS.map((set) => set.trim()) : annotationSets
    },
    remote: { timeoutMs: s.REMOTE_TIMEOUT, circuitOpenMs: s.REMOTE_PAUSE },
    clinical: {
      // Normalized, because references are compared as strings.
      url: s.CLINICAL_FHIR_URL && withoutSlash(new URL(s.CLINICAL_FHIR_URL.trim()).href),
      requireConsent: s.REQUIRE_CONSENT,
      consentActor: s.CONSENT_ACTOR
    },
    platformPrefix: s.PLATFORM_PREFIX,
    auditPatients: s.AUDIT_PATIENTS,
    timeZone: s.TIME_ZONE,
    logLevel: s.LOG_LEVEL,
    metrics: { host: s.METRICS_HOST, port: s.METRICS_PORT },
    tracing: {
      endpoint: s.OTEL_EXPORTER_OTLP_ENDPOINT && withoutSlash(s.OTEL_EXPORTER_OTLP_ENDPOINT),
      sampleRatio: s.OTEL_TRACES_SAMPLER_ARG
    },
    clerkScope: s.CLERK_SCOPE,
    webhooks: {
      targets: s.EVENT_TARGETS.flatMap((target) => parseTarget(target) ?? []),
      secretsKey: s.SECRETS_KEY,
      keyFolder: s.ENVIRONMENT === 'devtest' ? s.DATA_DIR : undefined
    },
    apiDocs: s.API_DOCS || s.ENVIRONMENT === 'devtest',
    shutdown: {
      delayMs: s.SHUTDOWN_DELAY ?? (s.ENVIRONMENT === 'devtest' ? 0 : 5000),
      timeoutMs: s.SHUTDOWN_TIMEOUT
    },
    limits: limitsOf(s)
  }
}

function limitsOf(s: Settings): Limits {
  return {
    body: s.BODY_LIMIT,
    bulkBody: s.BULK_BODY_LIMIT,
    bulkItems: s.BULK_ITEMS,
    bulkConcurrency: s.BULK_CONCURRENCY,
    string: s.STRING_LIMIT,
    note: s.NOTE_LIMIT,
    notes: s.ORDER_NOTES,
    noteBytes: s.ORDER_NOTES_BYTES,
    searchWords: s.SEARCH_WORDS,
    searchWord: s.SEARCH_WORD_LIMIT,
    query: s.QUERY_LIMIT,
    referenceList: s.REFERENCE_LIST_LIMIT,
    page: s.PAGE_LIMIT,
    pageBytes: s.PAGE_BYTES,
    upload: s.UPLOAD_LIMIT,
    unpacked: s.UNPACKED_LIMIT,
    workbookTimeout: s.WORKBOOK_TIMEOUT,
    patchOperations: s.PATCH_OPERATIONS,
    rate: s.RATE_LIMIT ?? (s.ENVIRONMENT === 'devtest' ? 0 : 600),
    eventLoopDelay: s.EVENT_LOOP_DELAY_LIMIT,
    requestTimeout: s.REQUEST_TIMEOUT,
    responseTimeout: s.RESPONSE_TIMEOUT,
    unread: s.UNREAD_LIMIT,
    eventDays: s.EVENTS_KEPT
  }
}

/** The host for URLs. Clients cannot call a wildcard address. */
function urlHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost'
  return host.includes(':') ? `[${host}]` : host
}
