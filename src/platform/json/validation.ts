import type { Static, TSchema } from '@sinclair/typebox'
import { Ajv, type ErrorObject, type FuncKeywordDefinition, type Options, type ValidateFunction } from 'ajv'
import type { DataValidateFunction } from 'ajv/dist/types/index.js'
import formats from 'ajv-formats'
import { fullFormats } from 'ajv-formats/dist/formats.js'
import type { FastifyError, FastifySchemaValidationError } from 'fastify'
import { inEachLanguage } from '../errors/language.js'
import { type Problem, problem } from '../errors/problem.js'
import { calendarDate } from '../util/calendar-date.js'
import { exceedsNormalizedLength } from '../util/search-text.js'
import { segmentsOf } from './json-pointer.js'
import { documentKeywords, eachSchema, type JsonRecord } from './swagger-schema.js'
import { describeViolations } from './violations.js'

const MIN_TIMESTAMP = new Date('0001-01-01T00:00:00Z')
const MAX_TIMESTAMP = new Date('9999-12-31T23:59:59.999Z')

/** Keyword that bounds the normalized length of a text, see {@link exceedsNormalizedLength}. */
export const maxNormalizedLength = 'x-max-normalized-length'

const normalizedLength: FuncKeywordDefinition = {
  keyword: maxNormalizedLength,
  type: 'string',
  schemaType: 'number',
  errors: true,
  compile(limit: number) {
    const isShort: DataValidateFunction = (text: string) => !exceedsNormalizedLength(limit, text)
    isShort.errors = [{ keyword: 'maxLength', params: { limit, isNormalized: true } }]
    return isShort
  }
}

/** Makes a compiler. Equal schemas, such as those of a POST and its PUT, share their validator. */
function compilerOf(options: Options): (schema: object) => ValidateFunction {
  const ajv = formats.default(new Ajv({ allowUnionTypes: true, discriminator: true, ...options }))
  ajv.addVocabulary(['example', 'collectionFormat', ...documentKeywords])
  ajv.addKeyword(normalizedLength)
  ajv.addFormat('date-time', isTimestamp)
  ajv.addFormat('date', isDate)
  ajv.addFormat('visible-ascii', /^[\x20-\x7e]*$/)
  const compiled = new Map<string, ValidateFunction>()
  return (schema) => {
    const text = JSON.stringify(schema)
    const validate = compiled.get(text) ?? ajv.compile(schema)
    compiled.set(text, validate)
    return validate
  }
}

const compileForFirstError = compilerOf({})
const compileForAllErrors = compilerOf({ allErrors: true })
/**
 * Numbers and single list values are coerced to the type of the schema. Bounds must hold for an
 * infinite number, too: `1e999` is coerced to one.
 */
const compileForQuery = compilerOf({
  allErrors: true,
  coerceTypes: 'array',
  useDefaults: true,
  strictNumbers: false
})

/**
 * Makes the validator of a part of a request. It compiles its schema at the first request, because
 * compiling all schemas would take longer than the rest of the start.
 */
export function validatorCompiler({
  schema,
  httpPart
}: {
  schema: unknown
  httpPart?: string
}): ValidateFunction {
  const isBody = httpPart === 'body' || httpPart === undefined
  return isBody ? bodyValidator(schema as object) : queryValidator(schema as object)
}

function queryValidator(schema: object): ValidateFunction {
  let check: ValidateFunction | undefined
  const validate = ((value: unknown) => {
    check ??= compileForQuery(schema)
    const isValid = check(value)
    validate.errors = check.errors ?? null
    return isValid
  }) as ValidateFunction
  return validate
}

/** Values of a body up to which all errors are reported; for a larger body only the first. */
const MAX_VALUES_FOR_ALL_ERRORS = 2000

/** Validates a body. Validates an invalid small body again, to report all errors at once. */
function bodyValidator(schema: object): ValidateFunction {
  let first: ValidateFunction | undefined
  let every: ValidateFunction | undefined
  const validate = ((body: unknown) => {
    first ??= compileForFirstError(schema)
    if (first(body)) return true
    const isSmall = sizeOf(body, MAX_VALUES_FOR_ALL_ERRORS) <= MAX_VALUES_FOR_ALL_ERRORS
    if (isSmall) every ??= compileForAllErrors(schema)
    const errors = isSmall && every?.(body) === false ? every.errors : first.errors
    validate.errors = errors?.map((error) => withTagValues(schema, error)) ?? null
    return false
  }) as ValidateFunction
  return validate
}

/** A discriminator's alternatives. Each has its own values of the tag. */
interface Alternatives {
  oneOf: { properties: Record<string, { enum: string[] }> }[]
}

/** Adds the values that the tag of a discriminator may have, which Ajv does not say. */
function withTagValues(schema: object, error: ErrorObject): ErrorObject {
  if (error.keyword !== 'discriminator') return error
  const path = segmentsOf(error.schemaPath).slice(0, -1)
  const { oneOf } = path.reduce(
    (value, name) => value[name] as JsonRecord,
    schema as JsonRecord
  ) as unknown as Alternatives
  const allowedValues = oneOf.flatMap(({ properties }) => properties[error.params.tag]?.enum ?? [])
  return { ...error, params: { ...error.params, allowedValues } }
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
  if (validationContext === 'params') return problem('not-found')
  const isQuery = validationContext === 'querystring'
  const named = isQuery
    ? { en: 'Query parameter ', da: 'Parameteren ' }
    : { en: 'In the body: ', da: 'I kroppen: ' }
  const { errors, sentence } = describeViolations(validation, isQuery)
  return problem(
    isQuery ? 'invalid-query' : 'invalid-body',
    inEachLanguage((language) => `${named[language]}${sentence[language]}.`),
    { errors }
  )
}

/** A schema with its validators. */
export interface PatchResultSchema<T> {
  schema: TSchema
  /**
   * Ignores length after normalization, because stored text may predate that limit.
   * @throws Problem `invalid-result` naming the fields.
   */
  validate(value: unknown): T
  /** Like `validate`, but also limits the length after normalization. */
  validateNormalized(value: unknown): T
}

/** Compiles the schema of the result of a JSON Patch. */
export function compilePatchResultSchema<T extends TSchema>(schema: T): PatchResultSchema<Static<T>> {
  const validatorOf = (checked: unknown) => {
    const isValid = validatorCompiler({ schema: checked, httpPart: 'body' })
    return (value: unknown) => {
      if (isValid(value)) return value as Static<T>
      const { errors, sentence } = describeViolations(
        (isValid.errors ?? []) as FastifySchemaValidationError[]
      )
      const { en, da } = sentence
      const detail = { en: `Result of the JSON Patch: ${en}.`, da: `Resultatet af JSON Patch: ${da}.` }
      throw problem('invalid-result', detail, { errors })
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
