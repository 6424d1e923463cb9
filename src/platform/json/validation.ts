import type { Static, TSchema } from '@sinclair/typebox'
import { Ajv, type FuncKeywordDefinition, type Options, type ValidateFunction } from 'ajv'
import type { DataValidateFunction } from 'ajv/dist/types/index.js'
import formats from 'ajv-formats'
import { fullFormats } from 'ajv-formats/dist/formats.js'
import type { FastifyError, FastifySchemaValidationError } from 'fastify'
import { type FieldError, type Problem, problem } from '../errors/problem.js'
import { eachSchema } from '../openapi/swagger-schema.js'
import { growsBeyond } from '../util/search-text.js'
import { pointerOf } from './json-pointer.js'

const firstMoment = new Date('0001-01-01T00:00:00Z')
const lastMoment = new Date('9999-12-31T23:59:59.999Z')

/** Name of the keyword that bounds a text as it is once normalized, see {@link growsBeyond}. */
export const maxNormalizedLength = 'x-max-normalized-length'

const normalizedLength: FuncKeywordDefinition = {
  keyword: maxNormalizedLength,
  type: 'string',
  schemaType: 'number',
  errors: true,
  compile(limit: number) {
    const isShort: DataValidateFunction = (text: string) => !growsBeyond(limit, text)
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
const bodies = formats.default(new Ajv({ ...options, coerceTypes: false }))
const thorough = formats.default(new Ajv({ ...options, coerceTypes: false, allErrors: true }))
const queries = formats.default(new Ajv({ ...options, coerceTypes: 'array', useDefaults: true }))
for (const ajv of [bodies, thorough]) ajv.addFormat('date-time', isTimestamp)
for (const ajv of [bodies, thorough, queries]) {
  ajv.addVocabulary(['example', 'collectionFormat'])
  ajv.addKeyword(normalizedLength)
}

/**
 * Makes the check of a part of a request; its schema is compiled when the first request comes, for to compile them all would take
 * longer than the rest of a start. Nothing is dropped or turned into another type in a body; in a query string, where everything
 * is text, numbers and single values of lists are read as the schema says.
 */
export function validatorCompiler({
  schema,
  httpPart
}: {
  schema: unknown
  httpPart?: string
}): ValidateFunction {
  const isBody = httpPart === 'body' || httpPart === undefined
  return isBody ? tellingAll(schema as object) : tellingFirst(schema as object)
}

function tellingFirst(schema: object): ValidateFunction {
  let check: ValidateFunction | undefined
  const validate = ((value: unknown) => {
    check ??= queries.compile(schema)
    const isValid = check(value)
    validate.errors = check.errors ?? null
    return isValid
  }) as ValidateFunction
  return validate
}

/** Values in a body up to which all of its faults are looked for; in a larger one the search ends at the first. */
const smallBody = 2000

/** Checks a body and, when it is faulty and small, checks it again for all faults: a caller wants to know of each at once. */
function tellingAll(schema: object): ValidateFunction {
  let first: ValidateFunction | undefined
  let every: ValidateFunction | undefined
  const validate = ((body: unknown) => {
    first ??= bodies.compile(schema)
    if (first(body)) return true
    const isSmall = sizeOf(body, smallBody) <= smallBody
    if (isSmall) every ??= thorough.compile(schema)
    validate.errors = (isSmall && every?.(body) === false ? every.errors : first.errors) ?? null
    return false
  }) as ValidateFunction
  return validate
}

/** The number of values in a value, counted no further than just past a limit. */
function sizeOf(value: unknown, limit: number): number {
  if (typeof value !== 'object' || value === null) return 1
  let size = 1
  for (const member of Object.values(value)) {
    if (size > limit) break
    size += sizeOf(member, limit - size)
  }
  return size
}

/** The 400 for a request that breaks its schema; for a path whose id can be no id, the 404. */
export function validationProblem(error: FastifyError): Problem {
  const faults = (error.validation ?? []).map(fieldErrorOf)
  const detail = faults.map((fault) => `${fault.pointer || 'It'} ${fault.detail}`).join('; ')
  if (error.validationContext === 'params') return problem('not-found', 'No resource has this address.')
  if (error.validationContext === 'querystring')
    return problem('invalid-query', `Query parameter ${detail.replace(/^\//, '')}.`, { errors: faults })
  return problem('invalid-body', `In the body: ${detail}.`, { errors: faults })
}

/** A readable fault of a schema violation. Values are never quoted: they may be patient data. */
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
      return fault(
        instancePath,
        'not-allowed',
        `must be one of ${(params.allowedValues as unknown[]).join(', ')}`
      )
    case 'discriminator':
      return fault(
        instancePath + pointerOf(String(params.tag)),
        'not-allowed',
        `must name one of the known kinds`
      )
    case 'type':
      return fault(instancePath, 'wrong-type', `must be ${String(params.type).replaceAll(',', ' or ')}`)
    default:
      return fault(instancePath, keyword, texts[keyword]?.(params) ?? found.message ?? 'is not valid')
  }
}

const numbered = (count: unknown, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`

/** What must hold, by the keyword of JSON Schema that asks for it. */
const texts: Readonly<Record<string, (params: Readonly<Record<string, unknown>>) => string>> = {
  minItems: ({ limit }) => `must have ${numbered(limit, 'element')} or more`,
  maxItems: ({ limit }) => `must have ${numbered(limit, 'element')} or fewer`,
  minLength: ({ limit }) => (limit === 1 ? 'must not be empty' : `must have ${limit} characters or more`),
  maxLength: ({ limit, isNormalized }) =>
    `must have ${numbered(limit, 'character')} or fewer${isNormalized ? ', also when it is normalized (Unicode NFKD)' : ''}`,
  minimum: ({ limit }) => `must be ${limit} or more`,
  maximum: ({ limit }) => `must be ${limit} or less`,
  format: ({ format }) => formatTexts[String(format)] ?? `must have the format ${format}`
}

const formatTexts: Readonly<Record<string, string>> = {
  uri: 'must be a fully qualified URL or another URI, such as https://host/path or urn:oid:1.2',
  date: 'must be a date as yyyy-mm-dd, such as 2026-11-21',
  'date-time': 'must be a time with its offset from UTC, such as 2026-11-21T08:00:00.000Z',
  uuid: 'must be a UUID'
}

const fault = (pointer: string, code: string, detail: string): FieldError => ({ pointer, code, detail })

/** A schema and the check that a value conforms to it. */
export interface CompiledSchema<T> {
  schema: TSchema
  /**
   * Text that grows when it is normalized counts as it is: it may be from before that was refused.
   * @throws Problem `invalid-result` naming the fields.
   */
  validate(value: unknown): T
  /** The same where text counts as grown. */
  validateNormalized(value: unknown): T
}

/** Makes the check that a JSON Patch left something valid behind. */
export function compileSchema<T extends TSchema>(schema: T): CompiledSchema<Static<T>> {
  const checkOf = (checked: unknown) => {
    const isValid = validatorCompiler({ schema: checked, httpPart: 'body' })
    return (value: unknown) => {
      if (isValid(value)) return value as Static<T>
      const errors = (isValid.errors ?? []).map((error) =>
        fieldErrorOf(error as FastifySchemaValidationError)
      )
      const detail = errors.map((fault) => `${fault.pointer || 'it'} ${fault.detail}`).join('; ')
      throw problem('invalid-result', `After the JSON Patch ${detail}.`, { errors })
    }
  }
  const ungrown = eachSchema(schema, ({ [maxNormalizedLength]: _, ...others }) => others)
  return { schema, validate: checkOf(ungrown), validateNormalized: checkOf(schema) }
}

const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i

/** A moment of RFC 3339 that the calendar has, in the years 1 to 9999 of UTC; without leap seconds, which no clock here knows. */
export function isTimestamp(text: string): boolean {
  const { validate } = fullFormats['date-time'] as { validate: (text: string) => boolean }
  const moment = new Date(text)
  return rfc3339.test(text) && validate(text) && moment >= firstMoment && moment <= lastMoment
}
