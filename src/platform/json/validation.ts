import type { Static, TSchema } from '@sinclair/typebox'
import { Ajv, type ErrorObject, type FuncKeywordDefinition, type Options, type ValidateFunction } from 'ajv'
import type { DataValidateFunction } from 'ajv/dist/types/index.js'
import formats from 'ajv-formats'
import { fullFormats } from 'ajv-formats/dist/formats.js'
import type { FastifyError, FastifySchemaValidationError } from 'fastify'
import { type FieldError, type Problem, problem } from '../errors/problem.js'
import { documentKeywords, eachSchema } from '../openapi/swagger-schema.js'
import { exceedsNormalizedLength } from '../util/search-text.js'
import { pointerOf } from './json-pointer.js'

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

const options: Options = {
  allowUnionTypes: true,
  removeAdditional: false,
  useDefaults: false,
  discriminator: true
}
const bodyAjv = formats.default(new Ajv({ ...options, coerceTypes: false }))
const allErrorsAjv = formats.default(new Ajv({ ...options, coerceTypes: false, allErrors: true }))
const queryAjv = formats.default(new Ajv({ ...options, coerceTypes: 'array', useDefaults: true }))
for (const ajv of [bodyAjv, allErrorsAjv]) ajv.addFormat('date-time', isTimestamp)
for (const ajv of [bodyAjv, allErrorsAjv, queryAjv]) {
  ajv.addVocabulary(['example', 'collectionFormat', ...documentKeywords])
  ajv.addKeyword(normalizedLength)
}

const compiledByAjv = new Map<Ajv, Map<string, ValidateFunction>>(
  [bodyAjv, allErrorsAjv, queryAjv].map((ajv) => [ajv, new Map()])
)

/** Compiles a schema. Equal schemas, such as those of a POST and its PUT, share their validator. */
function compile(ajv: Ajv, schema: object): ValidateFunction {
  const text = JSON.stringify(schema)
  const known = compiledByAjv.get(ajv)
  const validate = known?.get(text) ?? ajv.compile(schema)
  known?.set(text, validate)
  return validate
}

/**
 * Makes the validator of a part of a request. It compiles its schema at the first request, because
 * compiling all schemas would take longer than the rest of the start. Bodies are not coerced. In
 * query strings, numbers and single list values are coerced to the type of the schema.
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
    check ??= compile(queryAjv, schema)
    const isValid = check(value)
    validate.errors = check.errors ?? infinityErrors(value)
    return isValid && validate.errors === null
  }) as ValidateFunction
  return validate
}

/** Refuses parameters such as `1e999`: Ajv coerces it to Infinity, which passes every bound. */
function infinityErrors(parameters: unknown): ErrorObject[] | null {
  const found = Object.entries(parameters as object).find(
    ([, value]) => value === Infinity || value === -Infinity
  )
  if (!found) return null
  return [
    {
      instancePath: `/${found[0]}`,
      keyword: 'type',
      params: { type: 'integer' },
      schemaPath: '#',
      message: ''
    }
  ]
}

/** Values of a body up to which all errors are reported; for a larger body only the first. */
const MAX_VALUES_FOR_ALL_ERRORS = 2000

/** Validates a body. Validates an invalid small body again, to report all errors at once. */
function bodyValidator(schema: object): ValidateFunction {
  let first: ValidateFunction | undefined
  let every: ValidateFunction | undefined
  const validate = ((body: unknown) => {
    first ??= compile(bodyAjv, schema)
    if (first(body)) return true
    const isSmall = sizeOf(body, MAX_VALUES_FOR_ALL_ERRORS) <= MAX_VALUES_FOR_ALL_ERRORS
    if (isSmall) every ??= compile(allErrorsAjv, schema)
    validate.errors = (isSmall && every?.(body) === false ? every.errors : first.errors) ?? null
    return false
  }) as ValidateFunction
  return validate
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
export function validationProblem(error: FastifyError): Problem {
  const errors = (error.validation ?? []).map(fieldErrorOf)
  const detail = errors.map((each) => `${each.pointer || 'It'} ${each.detail}`).join('; ')
  if (error.validationContext === 'params') return problem('not-found', 'No resource has this address.')
  if (error.validationContext === 'querystring')
    return problem('invalid-query', `Query parameter ${detail.replace(/^\//, '')}.`, { errors })
  return problem('invalid-body', `In the body: ${detail}.`, { errors })
}

/** Describes a schema violation. Never quotes values, which may be patient data. */
export function fieldErrorOf(found: FastifySchemaValidationError): FieldError {
  const { keyword, instancePath, params } = found
  const member = String(params.additionalProperty ?? params.missingProperty ?? '')
  switch (keyword) {
    case 'additionalProperties':
      return {
        pointer: instancePath + pointerOf(member),
        code: 'unknown-field',
        detail: 'is not a known field'
      }
    case 'required':
      return { pointer: instancePath + pointerOf(member), code: 'required', detail: 'is required' }
    case 'enum':
      return fieldError(
        instancePath,
        'not-allowed',
        `must be one of ${(params.allowedValues as unknown[]).join(', ')}`
      )
    case 'discriminator':
      return fieldError(
        instancePath + pointerOf(String(params.tag)),
        'not-allowed',
        'must be one of the known values'
      )
    case 'type':
      return fieldError(instancePath, 'wrong-type', `must be ${String(params.type).replaceAll(',', ' or ')}`)
    default:
      return fieldError(
        instancePath,
        keyword,
        keywordTexts[keyword]?.(params) ?? found.message ?? 'is not valid'
      )
  }
}

const counted = (count: unknown, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`

/** Details by the JSON Schema keyword that is violated. */
const keywordTexts: Readonly<Record<string, (params: Readonly<Record<string, unknown>>) => string>> = {
  minItems: ({ limit }) => `must have ${counted(limit, 'element')} or more`,
  maxItems: ({ limit }) => `must have ${counted(limit, 'element')} or fewer`,
  minLength: ({ limit }) => (limit === 1 ? 'must not be empty' : `must have ${limit} characters or more`),
  maxLength: ({ limit, isNormalized }) =>
    `must have ${counted(limit, 'character')} or fewer${isNormalized ? ', also after normalization (Unicode NFKD)' : ''}`,
  minimum: ({ limit }) => `must be ${limit} or more`,
  maximum: ({ limit }) => `must be ${limit} or less`,
  format: ({ format }) => formatTexts[String(format)] ?? `must have the format ${format}`
}

const formatTexts: Readonly<Record<string, string>> = {
  uri: 'must be a fully qualified URL or another URI, such as https://host/path or urn:oid:1.2',
  date: 'must be a date as yyyy-mm-dd, such as 2026-11-21',
  'date-time': 'must be a date and time with a UTC offset, such as 2026-11-21T08:00:00.000Z',
  uuid: 'must be a UUID'
}

/** Codes of schema violations: those of {@link fieldErrorOf}, and the keywords in use. */
export const validationCodes = [
  ...['unknown-field', 'required', 'not-allowed', 'wrong-type', 'pattern'],
  ...Object.keys(keywordTexts)
]

const fieldError = (pointer: string, code: string, detail: string): FieldError => ({ pointer, code, detail })

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
      const errors = (isValid.errors ?? []).map((error) =>
        fieldErrorOf(error as FastifySchemaValidationError)
      )
      const detail = errors.map((each) => `${each.pointer || 'it'} ${each.detail}`).join('; ')
      throw problem('invalid-result', `Result of the JSON Patch: ${detail}.`, { errors })
    }
  }
  const withoutNormalization = eachSchema(schema, ({ [maxNormalizedLength]: _, ...others }) => others)
  return { schema, validate: validatorOf(withoutNormalization), validateNormalized: validatorOf(schema) }
}

const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i

/** Whether a text is an RFC 3339 timestamp in the years 1 to 9999 of UTC, without leap seconds. */
export function isTimestamp(text: string): boolean {
  const { validate } = fullFormats['date-time'] as { validate: (text: string) => boolean }
  const moment = new Date(text)
  return rfc3339.test(text) && validate(text) && moment >= MIN_TIMESTAMP && moment <= MAX_TIMESTAMP
}
