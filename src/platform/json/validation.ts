import type { Static, TSchema } from '@sinclair/typebox'
import { Ajv, type ErrorObject, type Options, type ValidateFunction } from 'ajv'
import formats from 'ajv-formats'
import { fullFormats } from 'ajv-formats/dist/formats.js'
import type { FastifyError, FastifySchemaValidationError } from 'fastify'
import { calendarDate } from '../dates/calendar-date.js'
import { type Problem, problem } from '../errors/problem.js'
import { normalizeNumber } from '../text/numbers.js'
import { withSharedMembers, withTagErrors } from './discriminator.js'
import { isJsonPatch } from './json-patch.js'
import { segmentsOf } from './json-pointer.js'
import { keywords, maxNormalizedLength } from './keywords.js'
import { documentKeywords, eachSchema, type JsonRecord } from './swagger-schema.js'
import { violationTexts } from './texts.js'
import { describeKnown, describeViolations } from './violations.js'

const MIN_TIMESTAMP = new Date('0001-01-01T00:00:00Z')
const MAX_TIMESTAMP = new Date('9999-12-31T23:59:59.999Z')

function compilerOf(options: Options): (schema: object) => ValidateFunction {
  const ajv = formats.default(new Ajv({ allowUnionTypes: true, discriminator: true, ...options }))
  ajv.addVocabulary(['example', 'collectionFormat', ...documentKeywords])
  for (const keyword of keywords) ajv.addKeyword(keyword)
  ajv.addFormat('date-time', isTimestamp)
  ajv.addFormat('date', isDate)
  ajv.addFormat('day-or-month', (text) => isDate(text) || isDate(`${text}-01`))
  ajv.addFormat('number-text', (text) => !/\p{Cc}/u.test(normalizeNumber(text)))
  ajv.addFormat('scanned-text', (text) =>
    /^[\x20-\x7e]*$/.test(normalizeNumber(text).replaceAll('\u001d', ''))
  )
  return (schema) => ajv.compile(schema)
}

const compileForFirstError = compilerOf({ verbose: true })
const compileForAllErrors = compilerOf({ allErrors: true, verbose: true })
/** Bounds must also apply to an infinite number, because `1e999` is coerced to infinity. */
const compileForQuery = compilerOf({
  allErrors: true,
  coerceTypes: 'array',
  useDefaults: true,
  strictNumbers: false
})

/**
 * Makes the validator of a part of a request. The validator compiles its schema at the first
 * request, because compiling all schemas would take longer than the rest of the start.
 */
export function validatorCompiler({
  schema,
  httpPart
}: {
  schema: unknown
  httpPart?: string
}): ValidateFunction {
  const isBody = httpPart === 'body' || httpPart === undefined
  return isBody ? bodyValidator(schema as object) : queryValidator(schema as JsonRecord)
}

function queryValidator(schema: JsonRecord): ValidateFunction {
  let check: ValidateFunction | undefined
  const validate = ((value: unknown) => {
    check ??= compileForQuery(schema)
    const isValid = check(value)
    validate.errors = check.errors?.map((error) => ofParameter(schema, value, error)) ?? null
    return isValid
  }) as ValidateFunction
  return validate
}

/**
 * The error of a single parameter that was sent twice is the repetition, not the type. The error of
 * an unknown parameter has the `names` of all parameters.
 */
function ofParameter(schema: JsonRecord, query: unknown, error: ErrorObject): ErrorObject {
  if (error.keyword === 'additionalProperties') {
    const params = { ...error.params, names: Object.keys(schema.properties ?? {}) }
    return { ...error, keyword: 'unknownParameter', params }
  }
  const [name = ''] = segmentsOf(error.instancePath)
  const isRepeated = error.keyword === 'type' && Array.isArray((query as JsonRecord)[name])
  return isRepeated ? { ...error, keyword: 'repeated' } : error
}

/**
 * Maximum number of values of a body for which all errors are reported. For a larger body only the
 * first error is reported.
 */
const MAX_VALUES_FOR_ALL_ERRORS = 2000

/** Validates a body. Validates an invalid small body again, to report all errors at once. */
function bodyValidator(schema: object): ValidateFunction {
  let first: ValidateFunction | undefined
  let every: ValidateFunction | undefined
  const validate = ((body: unknown) => {
    first ??= compileForFirstError(schema)
    if (first(body)) return true
    const isSmall = sizeOf(body, MAX_VALUES_FOR_ALL_ERRORS) <= MAX_VALUES_FOR_ALL_ERRORS
    if (isSmall) every ??= compileForAllErrors(withSharedMembers(schema))
    const errors = isSmall && every?.(body) === false ? every.errors : first.errors
    validate.errors = withTagErrors(errors ?? []).map(ofBody)
    // The errors contain the body, which may be patient data.
    first.errors = null
    if (every) every.errors = null
    return false
  }) as ValidateFunction
  return validate
}

/**
 * The error without the body, which may be patient data. The error of an unknown member has the
 * `names` of all members, without former names. A JSON Patch that is no array has its own error.
 */
function ofBody({ parentSchema = {}, schema: _, data: __, ...error }: ErrorObject): ErrorObject {
  if (error.keyword === 'type' && isJsonPatch(parentSchema)) return { ...error, keyword: 'jsonPatch' }
  if (error.keyword !== 'additionalProperties') return error
  const { properties = {} } = (parentSchema['x-document'] ?? parentSchema) as JsonRecord
  return { ...error, params: { ...error.params, names: Object.keys(properties as object) } }
}

/** Counts the values in a value; stops just past a limit. */
function sizeOf(value: unknown, limit: number): number {
  if (typeof value !== 'object' || value === null) return 1
  let size = 1
  for (const member of Object.values(value)) {
    if (size > limit) break
    size += sizeOf(member, limit - size)
  }
  return size
}

/** Makes the 400 for a schema violation, or the 404 for a malformed id in the path. */
export function validationProblem({ validation = [], validationContext }: FastifyError): Problem {
  if (validationContext === 'params')
    return problem(validation[0]?.instancePath === '/id' ? 'not-found.malformedId' : 'not-found')
  const isQuery = validationContext === 'querystring'
  const { errors, sentence } = describeViolations(validation, violationTexts.body, isQuery)
  const values = { sentence, known: describeKnown(validation, violationTexts.body) }
  if (isQuery) return problem('invalid-query.parameters', null, values, { errors })
  const isWhole = errors.some(({ pointer }) => pointer === '')
  return problem(isWhole ? 'invalid-body.whole' : 'invalid-body.members', null, values, { errors })
}

export interface PatchResultSchema<T> {
  schema: TSchema
  /**
   * Ignores length after normalization.
   * @throws Problem `invalid-result` naming the fields.
   */
  validate(value: unknown): T
  /** Like `validate`, but also limits the length after normalization. */
  validateNormalized(value: unknown): T
}

export function compilePatchResultSchema<T extends TSchema>(schema: T): PatchResultSchema<Static<T>> {
  const validatorOf = (checked: unknown) => {
    const isValid = validatorCompiler({ schema: checked, httpPart: 'body' })
    return (value: unknown) => {
      if (isValid(value)) return value as Static<T>
      const violations = (isValid.errors ?? []) as FastifySchemaValidationError[]
      const { errors, sentence } = describeViolations(violations, violationTexts.result)
      const known = describeKnown(violations, violationTexts.wholeResult)
      throw problem('invalid-result.members', null, { sentence, known }, { errors })
    }
  }
  const withoutNormalization = eachSchema(schema, ({ [maxNormalizedLength]: _, ...others }) => others)
  return { schema, validate: validatorOf(withoutNormalization), validateNormalized: validatorOf(schema) }
}

const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i

/** Whether a text is a day, `yyyy-mm-dd`, of the years 1 to 9999. */
export function isDate(text: string): boolean {
  return calendarDate(text) === text
}

/** Whether a text is an RFC 3339 timestamp in the years 1 to 9999 of UTC, without leap seconds. */
export function isTimestamp(text: string): boolean {
  const { validate } = fullFormats['date-time'] as { validate: (text: string) => boolean }
  const moment = new Date(text)
  return rfc3339.test(text) && validate(text) && moment >= MIN_TIMESTAMP && moment <= MAX_TIMESTAMP
}
