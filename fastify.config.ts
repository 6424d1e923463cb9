import { existsSync } from 'node:fs'
import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { envSchema } from 'env-schema'
import { isLoopback } from './src/platform/loopback.js'
import { annotationSets } from './src/terminology/sets.js'

const oneOf = <const T extends readonly string[]>(values: T, description: string, initial: T[number]) =>
  Type.Unsafe<T[number]>({ type: 'string', enum: values, default: initial, description })

const flag = (description: string, initial = false) => Type.Boolean({ default: initial, description })

const count = (description: string, initial: number, minimum = 1, maximum = Number.MAX_SAFE_INTEGER) =>
  Type.Integer({ default: initial, minimum, maximum, description })

const list = (description: string) =>
  Type.Unsafe<string[]>({ type: 'string', separator: ',', default: '', description })

const environments = ['devtest', 'inttest', 'exttest', 'preprod', 'prod'] as const

/** Every setting there is, with its default; the README's table and `.env.example` are held against it by a test. */
export const Settings = Type.Object({
  ENVIRONMENT: oneOf(environments, 'Where this runs. Only devtest takes unsigned tokens.', 'devtest'),
  HOST: Type.String({ default: '127.0.0.1', description: 'Address to listen on.' }),
  PORT: count('Port to listen on.', 3000, 1, 65535),
  PUBLIC_URL: Type.Optional(
    Type.String({ description: 'Origin under which clients reach the service. Default: http://HOST:PORT.' })
  ),
  ADDRESSING: oneOf(
    ['path', 'host'],
    'path: {PUBLIC_URL}/ssl-order/v1; host: ssl-order.{PUBLIC_URL host}/v1.',
    'path'
  ),
  TRUST_PROXY: flag('Take the caller’s address from X-Forwarded-* (only behind a proxy of yours).'),
  ALLOW_UNSIGNED_TOKENS: flag('Let devtest listen beyond loopback although tokens are not verified.'),
  DATABASE_URL: Type.Optional(
    Type.String({ description: 'PostgreSQL 15 or newer. Default: an embedded PostgreSQL.' })
  ),
  DATA_DIR: Type.String({ default: '.data', description: 'Where the embedded PostgreSQL keeps its data.' }),
  DATABASE_POOL: count('Connections to the database at most.', 8, 2, 200),
  REFERENCE_ORIGINS: list('Former public origins whose references are still accepted, comma-separated.'),
  CORS_ORIGINS: list('Origins of web pages that may call the service, comma-separated. Default: none.'),
  TOKEN_ISSUERS: list('Trusted token issuers (OpenID discovery), comma-separated.'),
  TOKEN_AUDIENCE: Type.Optional(
    Type.String({ description: 'Audience that tokens must name. Default: any.' })
  ),
  TOKEN_KEYS_KEPT: count(
    'Milliseconds for which an issuer’s keys are used after they were last fetched.',
    86_400_000,
    1000
  ),
  VALUESETS_DIR: Type.Optional(
    Type.String({
      description:
        'Folder of FHIR R4 ValueSet, CodeSystem and Bundle JSON files; sets replace built-in ones of the same name.'
    })
  ),
  VALUESET_BASE: Type.String({
    default: 'https://valuesets.example/vs',
    description: 'Base of the project’s own value set and code system addresses.'
  }),
  TERMINOLOGY_URL: Type.Optional(
    Type.String({
      description:
        'Base of a FHIR R4 terminology server, which checks annotation values. Default: the value sets here.'
    })
  ),
  TERMINOLOGY_SETS: list('Value sets that are asked there, comma-separated. Default: all of annotations.'),
  CLINICAL_FHIR_URL: Type.Optional(
    Type.String({
      description: 'Base of the clinical FHIR backend; Patient and Organization references must lie under it.'
    })
  ),
  REMOTE_TIMEOUT: count(
    'Milliseconds that a remote party may take to answer; it is asked twice.',
    3000,
    10,
    10_000
  ),
  REMOTE_PAUSE: count(
    'Milliseconds for which a remote party that failed repeatedly is left alone.',
    10_000,
    10
  ),
  REQUIRE_CONSENT: flag('Submit an order only with an active consent (category SSLPCI) of its patient.'),
  PLATFORM_PREFIX: Type.String({
    default: 'ehealth',
    pattern: '^[^:|/]+$',
    description: 'Prefix of the reserved annotation names.'
  }),
  AUDIT_PATIENTS: oneOf(
    ['hash', 'reference'],
    'How patients stand in the audit record: as a keyed hash, or as their reference.',
    'hash'
  ),
  TIME_ZONE: Type.String({
    default: 'Europe/Copenhagen',
    description: 'Time zone that decides which date is today for contracts.'
  }),
  LOG_LEVEL: oneOf(
    ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
    'Least severe log lines to write.',
    'info'
  ),
  BODY_LIMIT: count('Bytes of a JSON body.', 1_048_576, 1024),
  BULK_BODY_LIMIT: count('Bytes of the JSON body of a bulk create.', 10_485_760, 1024),
  BULK_ITEMS: count('Items of a bulk create.', 5000),
  STRING_LIMIT: count('Characters of a string.', 4000),
  NOTE_LIMIT: count('Characters of a note.', 10_000),
  QUERY_LIMIT: count('Bytes of a query string.', 8192, 256),
  REFERENCE_LIST_LIMIT: count('References in a list.', 1000),
  PAGE_LIMIT: count('Entries of a page of a list: the default and the maximum.', 1000, 1, 10_000),
  PATCH_OPERATIONS: count('Operations of a JSON Patch.', 50),
  RATE_LIMIT: count('Requests a minute of one caller, on each instance; 0: no limit.', 0, 0),
  EVENT_LOOP_DELAY_LIMIT: count(
    'Milliseconds of lag from which requests are refused with 503; 0: never.',
    1000,
    0
  ),
  REQUEST_TIMEOUT: count('Milliseconds from the arrival of a request to its answer.', 30_000, 1000),
  SHUTDOWN_TIMEOUT: count('Milliseconds that requests under way may take after SIGTERM.', 10_000, 100)
})
export type Settings = Static<typeof Settings>

/** The checked settings in the shape in which the program uses them; frozen. */
export interface Config {
  environment: Settings['ENVIRONMENT']
  host: string
  port: number
  publicUrl: string
  /** Origins, besides the public one, whose references are ours as well. */
  referenceOrigins: readonly string[]
  addressing: Settings['ADDRESSING']
  trustProxy: boolean
  /** Origins of web pages that browsers let call the service. */
  corsOrigins: readonly string[]
  database: { url: string | undefined; dataDir: string; pool: number }
  tokens: { verified: boolean; issuers: readonly string[]; audience: string | undefined; keysKept: number }
  valueSets: { dir: string | undefined; base: string }
  /** The sets that are asked of the terminology server. */
  terminology: { url: string | undefined; sets: readonly string[] }
  clinicalUrl: string | undefined
  /** Milliseconds that remote parties may take, and for which they are left alone when they fail. */
  remote: { timeout: number; away: number }
  clinical: { url: string | undefined; requireConsent: boolean }
  platformPrefix: string
  auditPatients: Settings['AUDIT_PATIENTS']
  timeZone: string
  logLevel: Settings['LOG_LEVEL']
  limits: Limits
}

/** The limits of the interface; bytes, characters, entries or milliseconds as the settings of the same name say. */
export interface Limits {
  body: number
  bulkBody: number
  bulkItems: number
  string: number
  note: number
  query: number
  referenceList: number
  page: number
  patchOperations: number
  /** Requests a minute. */
  rate: number
  eventLoopDelay: number
  requestTimeout: number
  shutdownTimeout: number
}

/** Thrown when settings are missing or wrong; carries every fault, one a line. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  constructor(readonly faults: readonly string[]) {
    super(`The settings are not usable:\n${faults.map((fault) => `  ${fault}`).join('\n')}`)
  }
}

/**
 * Reads and checks all settings from environment variables.
 * @throws ConfigError naming all faults at once.
 */
export function loadConfig(env: Readonly<Record<string, string | undefined>> = process.env): Config {
  const given = Object.fromEntries(
    Object.entries(env).filter(([, value]) => value !== undefined && value !== '')
  )
  const { settings, faults } = readSettings(given)
  faults.push(...crossFaults(settings))
  if (faults.length > 0) throw new ConfigError(faults)
  return Object.freeze(shape(settings))
}

/** A setting whose form is wrong is replaced by its default here, so that the other checks still run and speak. */
function readSettings(given: Record<string, string | undefined>) {
  const faults: string[] = []
  const usable = { ...given }
  for (const [name, schema] of Object.entries(Settings.properties)) {
    if (given[name] === undefined) continue
    const alone = Type.Object({ [name]: schema })
    try {
      envSchema({ schema: alone, data: { [name]: given[name] }, env: false })
    } catch {
      faults.push(`${name} ${expectation(schema)}`)
      delete usable[name]
    }
  }
  return { settings: envSchema<Settings>({ schema: Settings, data: usable, env: false }), faults }
}

function expectation(schema: TSchema): string {
  if (Array.isArray(schema.enum)) return `must be one of ${schema.enum.join(', ')}`
  if (schema.type === 'integer') return `must be a whole number from ${schema.minimum} to ${schema.maximum}`
  if (schema.type === 'boolean') return 'must be true or false'
  return 'has a form that is not allowed'
}

function crossFaults(s: Settings): string[] {
  const faults: string[] = []
  const check = (ok: boolean, fault: string) => ok || faults.push(fault)
  const secure = s.ENVIRONMENT !== 'devtest'
  if (secure) {
    for (const name of ['DATABASE_URL', 'PUBLIC_URL'] as const)
      check(s[name] !== undefined, `${name} is required when ENVIRONMENT is ${s.ENVIRONMENT}`)
    check(s.TOKEN_ISSUERS.length > 0, `TOKEN_ISSUERS is required when ENVIRONMENT is ${s.ENVIRONMENT}`)
  } else {
    check(
      isLoopback(s.HOST) || s.ALLOW_UNSIGNED_TOKENS,
      `HOST ${s.HOST} is not a loopback address; devtest does not verify tokens, so set ALLOW_UNSIGNED_TOKENS=true if you mean it`
    )
  }
  check(!(secure && s.ALLOW_UNSIGNED_TOKENS), 'ALLOW_UNSIGNED_TOKENS is for ENVIRONMENT=devtest only')
  if (s.PUBLIC_URL !== undefined) check(isOrigin(s.PUBLIC_URL), `PUBLIC_URL must be ${anOrigin}`)
  check(
    s.ADDRESSING === 'path' || (s.PUBLIC_URL !== undefined && /^https?:\/\/[a-z]/i.test(s.PUBLIC_URL)),
    'ADDRESSING=host needs a PUBLIC_URL with a host name, to put the API’s name before'
  )
  for (const origin of s.REFERENCE_ORIGINS)
    check(isOrigin(origin), `REFERENCE_ORIGINS: ${origin} must be ${anOrigin}`)
  for (const origin of s.CORS_ORIGINS) check(isOrigin(origin), `CORS_ORIGINS: ${origin} must be ${anOrigin}`)
  for (const issuer of s.TOKEN_ISSUERS)
    check(isIssuer(issuer), `TOKEN_ISSUERS: ${issuer} must be an https URL (http for loopback alone)`)
  if (s.DATABASE_URL !== undefined)
    check(
      /^postgres(ql)?:\/\//.test(s.DATABASE_URL),
      'DATABASE_URL must begin with postgres:// or postgresql://'
    )
  if (s.CLINICAL_FHIR_URL !== undefined)
    check(httpUrl(s.CLINICAL_FHIR_URL) !== undefined, 'CLINICAL_FHIR_URL must be an http or https URL')
  if (s.TERMINOLOGY_URL !== undefined)
    check(httpUrl(s.TERMINOLOGY_URL) !== undefined, 'TERMINOLOGY_URL must be an http or https URL')
  for (const set of s.TERMINOLOGY_SETS)
    check(
      annotationSets.includes(set.trim()),
      `TERMINOLOGY_SETS: ${set.trim()} must be one of ${annotationSets.join(', ')}; other sets are always local`
    )
  check(
    !s.REQUIRE_CONSENT || s.CLINICAL_FHIR_URL !== undefined,
    'REQUIRE_CONSENT needs CLINICAL_FHIR_URL, where consents are asked for'
  )
  check(httpUrl(s.VALUESET_BASE) !== undefined, 'VALUESET_BASE must be an http or https URL')
  check(
    s.VALUESETS_DIR === undefined || existsSync(s.VALUESETS_DIR),
    `VALUESETS_DIR ${s.VALUESETS_DIR} is not there`
  )
  check(isTimeZone(s.TIME_ZONE), `TIME_ZONE ${s.TIME_ZONE} is not a time zone name such as Europe/Copenhagen`)
  return faults
}

const anOrigin = 'an origin without a path, such as https://inttest.example.org'

function shape(s: Settings): Config {
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
      keysKept: s.TOKEN_KEYS_KEPT
    },
    valueSets: { dir: s.VALUESETS_DIR, base: withoutSlash(s.VALUESET_BASE) },
    terminology: {
      url: s.TERMINOLOGY_URL && withoutSlash(s.TERMINOLOGY_URL),
      sets: s.TERMINOLOGY_SETS.length > 0 ? s.TERMINOLOGY_SETS.map((set) => set.trim()) : annotationSets
    },
    remote: { timeout: s.REMOTE_TIMEOUT, away: s.REMOTE_PAUSE },
    clinicalUrl: s.CLINICAL_FHIR_URL && withoutSlash(s.CLINICAL_FHIR_URL),
    clinical: {
      // As a URL parser prints it, for so must be the references that are held against it.
      url: s.CLINICAL_FHIR_URL && withoutSlash(new URL(s.CLINICAL_FHIR_URL.trim()).href),
      requireConsent: s.REQUIRE_CONSENT
    },
    platformPrefix: s.PLATFORM_PREFIX,
    auditPatients: s.AUDIT_PATIENTS,
    timeZone: s.TIME_ZONE,
    logLevel: s.LOG_LEVEL,
    limits: limitsOf(s)
  }
}

function limitsOf(s: Settings): Limits {
  return {
    body: s.BODY_LIMIT,
    bulkBody: s.BULK_BODY_LIMIT,
    bulkItems: s.BULK_ITEMS,
    string: s.STRING_LIMIT,
    note: s.NOTE_LIMIT,
    query: s.QUERY_LIMIT,
    referenceList: s.REFERENCE_LIST_LIMIT,
    page: s.PAGE_LIMIT,
    patchOperations: s.PATCH_OPERATIONS,
    rate: s.RATE_LIMIT,
    eventLoopDelay: s.EVENT_LOOP_DELAY_LIMIT,
    requestTimeout: s.REQUEST_TIMEOUT,
    shutdownTimeout: s.SHUTDOWN_TIMEOUT
  }
}

const withoutSlash = (url: string) => url.trim().replace(/\/+$/, '')

function httpUrl(text: string): URL | undefined {
  const url = URL.canParse(text.trim()) ? new URL(text.trim()) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') return undefined
  return /[?#]/.test(text) ? undefined : url
}

const isOrigin = (text: string) => httpUrl(text)?.origin === withoutSlash(text)

function isIssuer(text: string): boolean {
  const url = httpUrl(text)
  return url !== undefined && (url.protocol === 'https:' || isLoopback(url.hostname))
}

/** A wildcard address is no address that a client can call. */
function urlHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost'
  return host.includes(':') ? `[${host}]` : host
}

function isTimeZone(name: string): boolean {
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone: name }))
  } catch {
    return false
  }
}
