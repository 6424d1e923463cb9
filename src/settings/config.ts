import { annotationSets } from '../terminology/local-value-sets.js'
import type { Settings } from './settings.js'
import { withoutSlash } from './urls.js'

/** The checked settings in the shape in which the program uses them; frozen. */
export interface Config {
  environment: Settings['ENVIRONMENT']
  host: string
  port: number
  publicUrl: string
  /** Origins, besides the public one, whose references are ours as well. */
  referenceOrigins: readonly string[]
  addressing: Settings['ADDRESSING']
  /** Whether the proxy right before the service is taken at its word. */
  trustProxy: boolean
  /** Origins of web pages that browsers let call the service. */
  corsOrigins: readonly string[]
  database: { url: string | undefined; dataDir: string; pool: number }
  tokens: {
    verified: boolean
    issuers: readonly string[]
    audience: string | undefined
    keysMaxAgeMs: number
  }
  valueSets: { dir: string | undefined; base: string }
  /** The sets that are asked of the terminology server. */
  terminology: { url: string | undefined; sets: readonly string[] }
  /** Milliseconds that remote parties may take, and for which they are left alone when they fail. */
  remote: { timeoutMs: number; circuitOpenMs: number }
  clinical: { url: string | undefined; requireConsent: boolean }
  platformPrefix: string
  auditPatients: Settings['AUDIT_PATIENTS']
  timeZone: string
  logLevel: Settings['LOG_LEVEL']
  /** How far a clerk reaches with what it changes. */
  clerkScope: Settings['CLERK_SCOPE']
  /** Whether the OpenAPI documents and their pages are served. */
  apiDocs: boolean
  limits: Limits
}

/** The limits of the interface; bytes, characters, entries or milliseconds as the settings of the same name say. */
export interface Limits {
  body: number
  bulkBody: number
  bulkItems: number
  /** Heavy requests that are worked on at once. */
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
  /** Requests a minute. */
  rate: number
  eventLoopDelay: number
  requestTimeout: number
  responseTimeout: number
  /** Bytes of responses. */
  unread: number
  shutdownTimeout: number
}

/** The settings as the program uses them; where one is derived from others, it is derived here. */
export function toConfig(s: Settings): Config {
  const publicUrl = s.PUBLIC_URL ? withoutSlash(s.PUBLIC_URL) : `http://${urlHost(s.HOST)}:${s.PORT}`
  // Whoever runs it at home calls it localhost or 127.0.0.1 as the mood takes them.
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
    database: { url: s.DATABASE_URL, dataDir: s.DATA_DIR, pool: s.DATABASE_POOL },
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
      // As a URL parser prints it, for so must be the references that are held against it.
      url: s.CLINICAL_FHIR_URL && withoutSlash(new URL(s.CLINICAL_FHIR_URL.trim()).href),
      requireConsent: s.REQUIRE_CONSENT
    },
    platformPrefix: s.PLATFORM_PREFIX,
    auditPatients: s.AUDIT_PATIENTS,
    timeZone: s.TIME_ZONE,
    logLevel: s.LOG_LEVEL,
    clerkScope: s.CLERK_SCOPE,
    apiDocs: s.API_DOCS || s.ENVIRONMENT === 'devtest',
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
    shutdownTimeout: s.SHUTDOWN_TIMEOUT
  }
}

/** A wildcard address is no address that a client can call. */
function urlHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost'
  return host.includes(':') ? `[${host}]` : host
}
