import type { FuncKeywordDefinition } from 'ajv'
import type { DataValidateFunction } from 'ajv/dist/types/index.js'
import { exceedsNormalizedLength } from '../text/search-text.js'
import type { JsonRecord } from './swagger-schema.js'

/** Keyword that bounds the normalized length of a text, see {@link exceedsNormalizedLength}. */
export const maxNormalizedLength = 'x-max-normalized-length'

/**
 * Keyword of an object that requires one of these members. The first member is the current name.
 */
export const requiredOneOf = 'x-required-one-of'

type Check = (value: unknown) => boolean
type Violation = Partial<NonNullable<DataValidateFunction['errors']>[number]>

/** Makes the compiler of a keyword, whose errors are those of a keyword of JSON Schema. */
const compilerOf =
  <S>(checkOf: (schema: S) => [isValid: Check, error: Violation]) =>
  (schema: S): DataValidateFunction => {
    const [isValid, error] = checkOf(schema)
    const validate: DataValidateFunction = (value: unknown) => {
      // Ajv adds the location to the error, and removes the errors before each call.
      validate.errors = [{ ...error }]
      return isValid(value)
    }
    return validate
  }

/** The keywords that JSON Schema lacks. */
export const keywords: readonly FuncKeywordDefinition[] = [
  {
    keyword: maxNormalizedLength,
    type: 'string',
    schemaType: 'number',
    errors: true,
    compile: compilerOf((limit: number) => [
      (text) => !exceedsNormalizedLength(limit, String(text)),
      { keyword: 'maxLength', params: { limit, isNormalized: true } }
    ])
  },
  {
    keyword: requiredOneOf,
    type: 'object',
    schemaType: 'array',
    errors: true,
    compile: compilerOf((names: readonly string[]) => [
      (value) => names.some((name) => (value as JsonRecord)[name] != null),
      { keyword: 'required', params: { missingProperty: names[0] } }
    ])
  }
]
