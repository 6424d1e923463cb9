import { existsSync } from 'node:fs'
import { databaseUrlError } from '../db/database-url.js'
import { parseEncryptionKey } from '../platform/encryption/encryption.js'
import { isLoopback } from '../platform/urls/addressing.js'
import { annotationSets } from '../terminology/local-value-sets.js'
import type { Settings } from './settings.js'
import { httpUrl, isOrigin, parseTarget } from './urls.js'

const isSmtpUrl = (text: string) => URL.canParse(text) && /^smtps?:$/.test(new URL(text).protocol)

const anOrigin = 'an origin without a path, such as https://inttest.example.org'

/**
 * Validates conditions that the schema cannot express, such as combinations. Returns all error
 * messages.
 */
export function validateSettings(s: Settings): string[] {
  const errors: string[] = []
  const check = (isValid: boolean, error: string) => isValid || errors.push(error)
  const isSecure = s.ENVIRONMENT !== 'devtest'
  const isProduction = s.ENVIRONMENT === 'preprod' || s.ENVIRONMENT === 'prod'
  const required = {
    DATABASE_URL: isSecure && s.DATABASE_URL === undefined,
    PUBLIC_URL: isSecure && s.PUBLIC_URL === undefined,
    TOKEN_ISSUERS: isSecure && s.TOKEN_ISSUERS.length === 0,
    TOKEN_AUDIENCE: isProduction && s.TOKEN_AUDIENCE === undefined
  }
  for (const [name, isMissing] of Object.entries(required))
    check(!isMissing, `${name} is required when ENVIRONMENT is ${s.ENVIRONMENT}`)
  check(
    isSecure || isLoopback(s.HOST) || s.ALLOW_UNSIGNED_TOKENS,
    `HOST ${s.HOST} is not a loopback address; devtest does not verify tokens. Set ALLOW_UNSIGNED_TOKENS=true to allow that`
  )
  check(!(isSecure && s.ALLOW_UNSIGNED_TOKENS), 'ALLOW_UNSIGNED_TOKENS is for ENVIRONMENT=devtest only')
  check(s.PUBLIC_URL === undefined || isOrigin(s.PUBLIC_URL), `PUBLIC_URL must be ${anOrigin}`)
  check(
    s.ADDRESSING === 'path' || (s.PUBLIC_URL !== undefined && /^https?:\/\/[a-z]/i.test(s.PUBLIC_URL)),
    'ADDRESSING=host requires a PUBLIC_URL with a host name, which it prefixes with the name of the API'
  )
  for (const name of ['REFERENCE_ORIGINS', 'CORS_ORIGINS'] as const)
    for (const origin of s[name]) check(isOrigin(origin), `${name}: ${origin} must be ${anOrigin}`)
  for (const target of s.EVENT_TARGETS)
    check(
      parseTarget(target) !== undefined && (!isSecure || target.trim().startsWith('https:')),
      `EVENT_TARGETS: ${target} must be ${anOrigin}, or such an origin, = and an IP address, with https outside devtest`
    )
  check(
    s.SECRETS_KEY === undefined || parseEncryptionKey(s.SECRETS_KEY) !== undefined,
    'SECRETS_KEY must be 32 bytes in base64, as of: openssl rand -base64 32'
  )
  check(
    !isSecure || s.EVENT_TARGETS.length === 0 || s.SECRETS_KEY !== undefined,
    'EVENT_TARGETS requires SECRETS_KEY, the key of the secrets of webhooks'
  )
  check(s.SMTP_URL === undefined || isSmtpUrl(s.SMTP_URL), 'SMTP_URL must be an smtp:// or smtps:// URL')
  check(
    (s.SMTP_URL === undefined) === (s.MAIL_FROM === undefined),
    'SMTP_URL and MAIL_FROM require each other'
  )
  for (const issuer of s.TOKEN_ISSUERS)
    check(isIssuer(issuer), `TOKEN_ISSUERS: ${issuer} must be an https URL (http only for loopback)`)
  check(
    isSecure || s.SIGN_IN_CLIENT_ID === undefined,
    'SIGN_IN_CLIENT_ID is for environments that verify tokens; devtest does not'
  )
  const databaseError = s.DATABASE_URL && databaseUrlError(s.DATABASE_URL)
  check(!databaseError, `DATABASE_URL ${databaseError}`)
  check(
    s.DATABASE_POOLER === 'none' || s.DATABASE_URL !== undefined,
    'DATABASE_POOLER=transaction requires DATABASE_URL, the address of the pooler'
  )
  for (const name of [
    'CLINICAL_FHIR_URL',
    'TERMINOLOGY_URL',
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    'VALUESET_BASE'
  ] as const)
    check(s[name] === undefined || httpUrl(s[name]) !== undefined, `${name} must be an http or https URL`)
  for (const set of s.TERMINOLOGY_SETS.map((set) => set.trim()))
    check(
      annotationSets.includes(set),
      `TERMINOLOGY_SETS: ${set} must be one of ${annotationSets.join(', ')}; other sets are always local`
    )
  check(
    !s.REQUIRE_CONSENT || s.CLINICAL_FHIR_URL !== undefined,
    'REQUIRE_CONSENT requires CLINICAL_FHIR_URL, the source of consents'
  )
  check(
    s.VALUESETS_DIR === undefined || existsSync(s.VALUESETS_DIR),
    `VALUESETS_DIR ${s.VALUESETS_DIR} does not exist`
  )
  check(
    isTimeZone(s.TIME_ZONE),
    `TIME_ZONE ${s.TIME_ZONE} must be a time zone name such as Europe/Copenhagen`
  )
  return errors
}

function isIssuer(text: string): boolean {
  const url = httpUrl(text)
  return url !== undefined && (url.protocol === 'https:' || isLoopback(url.hostname))
}

function isTimeZone(name: string): boolean {
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone: name }))
  } catch {
    return false
  }
}
