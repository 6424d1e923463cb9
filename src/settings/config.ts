import { annotationSets } from '../terminology/local-value-sets.js'
import { fixedLimits } from './limits.js'
import type { Settings } from './settings.js'
import { httpUrl, parseTarget, withoutSlash } from './urls.js'

/** The validated settings in the shape that the program uses. Frozen. */
export type Config = ReturnType<typeof toConfig>

/** The limits of the APIs: {@link fixedLimits} and the limits that are settings. */
export type Limits = Config['limits']

/** Converts settings to the configuration. Derived values are computed here. */
export function toConfig(s: Settings) {
  const isDevtest = s.ENVIRONMENT === 'devtest'
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
      verified: !isDevtest,
      issuers: s.TOKEN_ISSUERS.map((issuer) => issuer.trim()),
      audience: s.TOKEN_AUDIENCE
    },
    signIn: s.SIGN_IN_CLIENT_ID === undefined ? undefined : signInOf(s, s.SIGN_IN_CLIENT_ID),
    valueSets: { dir: s.VALUESETS_DIR, base: withoutSlash(s.VALUESET_BASE) },
    terminology: {
      url: s.TERMINOLOGY_URL && withoutSlash(s.TERMINOLOGY_URL),
      sets: s.TERMINOLOGY_SETS.length > 0 ? s.TERMINOLOGY_SETS.map((set) => set.trim()) : annotationSets
    },
    remoteTimeoutMs: s.REMOTE_TIMEOUT,
    clinical: {
      // Normalized, because references are compared as strings.
      url: s.CLINICAL_FHIR_URL && withoutSlash(new URL(s.CLINICAL_FHIR_URL.trim()).href),
      requireConsent: s.REQUIRE_CONSENT,
      consentActor: s.CONSENT_ACTOR
    },
    platformPrefix: s.PLATFORM_PREFIX,
    timeZone: s.TIME_ZONE,
    answerDays: s.ANSWER_DAYS,
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
      /** The folder of the key without a setting. */
      keyFolder: isDevtest ? s.DATA_DIR : undefined,
      mail:
        s.SMTP_URL === undefined
          ? undefined
          : {
              url: s.SMTP_URL,
              from: s.MAIL_FROM ?? '',
              requireTls: !isDevtest,
              link: `${publicUrl}/${s.ORDER_DESK || isDevtest ? 'desk/' : ''}`
            }
    },
    apiDocs: s.API_DOCS || isDevtest,
    orderDesk: s.ORDER_DESK || isDevtest,
    /**
     * After SIGTERM: how long all requests are served, and then how long the requests in flight.
     */
    shutdown: { delayMs: s.SHUTDOWN_DELAY ?? (isDevtest ? 0 : 5000), timeoutMs: s.SHUTDOWN_TIMEOUT },
    limits: {
      ...fixedLimits,
      rate: s.RATE_LIMIT ?? (isDevtest ? 0 : 600),
      eventLoopDelay: s.EVENT_LOOP_DELAY_LIMIT,
      requestTimeout: s.REQUEST_TIMEOUT,
      eventDays: s.EVENTS_KEPT
    }
  }
}

/** An audience that is a URL is requested as a resource (RFC 8707). */
const signInOf = ({ SIGN_IN_SCOPE: scope, TOKEN_AUDIENCE: audience = '' }: Settings, clientId: string) => ({
  clientId,
  scope,
  resource: httpUrl(audience) ? audience : undefined
})

/** The host for URLs, because clients cannot call a wildcard address. */
function urlHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost'
  return host.includes(':') ? `[${host}]` : host
}
