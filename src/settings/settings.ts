import { type Static, Type } from '@sinclair/typebox'

const oneOf = <const T extends readonly string[]>(values: T, description: string, initial: T[number]) =>
  Type.Unsafe<T[number]>({ type: 'string', enum: values, default: initial, description })

const flag = (description: string, initial = false) => Type.Boolean({ default: initial, description })

const count = (description: string, initial: number, minimum = 1, maximum = Number.MAX_SAFE_INTEGER) =>
  Type.Integer({ default: initial, minimum, maximum, description })

/** A timer of Node fires at once when it is set for longer. */
const MAX_TIMER_MS = 2 ** 31 - 1

const milliseconds = (description: string, initial: number, minimum: number, maximum = MAX_TIMER_MS) =>
  count(`Milliseconds ${description}`, initial, minimum, maximum)

const list = (description: string) =>
  Type.Unsafe<string[]>({ type: 'string', separator: ',', default: '', description })

const environments = ['devtest', 'inttest', 'exttest', 'preprod', 'prod'] as const

/** Every setting with its default. `npm run docs` makes the table of settings and `.env.example` from it. */
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
  TRUST_PROXY: flag('Take the caller’s address from the proxy right before the service (X-Forwarded-For).'),
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
    Type.String({
      description: 'Audience that tokens must name. Required in preprod and prod; default elsewhere: any.'
    })
  ),
  TOKEN_KEYS_KEPT: milliseconds(
    'for which an issuer’s keys are used after they were last fetched.',
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
  REMOTE_TIMEOUT: milliseconds(
    'that a remote party may take to answer; it is asked twice at most.',
    3000,
    10,
    10_000
  ),
  REMOTE_PAUSE: milliseconds('for which a remote party that failed repeatedly is left alone.', 10_000, 10),
  CLERK_SCOPE: oneOf(
    ['own', 'any'],
    'own: an AdministrativeClerk changes what its organization takes part in or registered; any: everything, for a national administration.',
    'own'
  ),
  API_DOCS: flag('Serve the OpenAPI documents and their pages outside devtest as well.'),
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
  BULK_CONCURRENCY: count(
    'Imports, exports and JSON bodies over 1 MiB that are worked on at once; four times as many may wait.',
    2
  ),
  STRING_LIMIT: count('Characters of a string.', 4000),
  NOTE_LIMIT: count('Characters of a note.', 10_000),
  ORDER_NOTES: count('Notes of an order.', 200),
  ORDER_NOTES_BYTES: count('Bytes of the notes of an order together, as JSON.', 262_144, 1024),
  SEARCH_WORDS: count('Different words of a search (q).', 10),
  SEARCH_WORD_LIMIT: count('Characters of a word of a search, folded.', 100),
  QUERY_LIMIT: count('Bytes of a query string.', 8192, 256),
  REFERENCE_LIST_LIMIT: count('References in a list.', 1000),
  PAGE_LIMIT: count('Entries of a page of a list: the default and the maximum.', 1000, 1, 10_000),
  PAGE_BYTES: count(
    'Bytes of a page of a list: one that would have more ends earlier, after one entry at least.',
    8_388_608,
    1024
  ),
  UPLOAD_LIMIT: count('Bytes of a workbook that is sent.', 10_485_760, 1024),
  UNPACKED_LIMIT: count('Bytes of a workbook when it is unpacked.', 268_435_456, 1024),
  WORKBOOK_TIMEOUT: milliseconds(
    'that reading a workbook may take, and as many that it may wait for its turn.',
    20_000,
    1000
  ),
  PATCH_OPERATIONS: count('Operations of a JSON Patch.', 50),
  RATE_LIMIT: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description:
        'Requests a minute of one caller, on each instance; 0: no limit. Default: 600, in devtest 0.'
    })
  ),
  EVENT_LOOP_DELAY_LIMIT: milliseconds('of lag from which requests are refused with 503; 0: never.', 1000, 0),
  REQUEST_TIMEOUT: milliseconds(
    'from the arrival of a request to its answer; its audit record may take a third more.',
    30_000,
    1000,
    // A third more must fit a timer as well.
    Math.floor(MAX_TIMER_MS / 2)
  ),
  RESPONSE_TIMEOUT: milliseconds(
    'that a client may take to read a response; then its connection is closed.',
    120_000,
    1000
  ),
  UNREAD_LIMIT: count(
    'Bytes of all responses together that clients have not read yet; beyond, those that wait longest are cut.',
    268_435_456,
    1024
  ),
  SHUTDOWN_TIMEOUT: milliseconds('that requests under way may take after SIGTERM.', 10_000, 100)
})
export type Settings = Static<typeof Settings>
