import type { FastifySchemaValidationError } from 'fastify'
import { fill, inEachLanguage, joinWords, type Language, type LocalizedText } from '../errors/language.js'
import { platformTexts } from '../errors/texts.js'
import { JsonPatch } from './json-patch.js'
import { pointerOf } from './json-pointer.js'
import { formatTexts, textsByPattern, typeTexts, violationTexts } from './texts.js'

/**
 * The field errors of violations, and a sentence of all of them. `whole` names the value as a
 * whole.
 */
export function describeViolations(
  found: readonly FastifySchemaValidationError[],
  whole: LocalizedText,
  isQuery = false
) {
  const faults = found.map(faultOf)
  const nameOf = (pointer: string, language: Language) =>
    (isQuery ? pointer.slice(1) : pointer) || whole[language]
  return {
    errors: faults.map(({ pointer, code, text }) => ({
      pointer,
      code,
      detail: fill(platformTexts.memberSentence, { text })
    })),
    sentence: inEachLanguage((language) =>
      faults.map(({ pointer, text }) => `${nameOf(pointer, language)} ${text[language]}`).join('; ')
    )
  }
}

/**
 * A sentence that names the parameters of a query, or the members of the first object with an
 * unknown member. Empty if every name is known.
 */
export function describeKnown(
  found: readonly FastifySchemaValidationError[],
  whole: LocalizedText
): LocalizedText | string {
  const unknown = found.find(({ params }) => Array.isArray(params.names))
  if (!unknown) return ''
  const known = unknown.params.names as string[]
  const names = known.join(', ')
  if (unknown.keyword !== 'unknownParameter')
    return fill(violationTexts.knownMembers, { object: unknown.instancePath || whole, names })
  if (known.length === 0) return violationTexts.noParameters
  return fill(known.length === 1 ? violationTexts.oneParameter : violationTexts.knownParameters, { names })
}

/** Describes a schema violation. Never quotes values, which may be patient data. */
function faultOf({ keyword, instancePath, params }: FastifySchemaValidationError) {
  const {
    member,
    code = codeOf(keyword),
    text
  } = violations[keyword] ?? { text: () => violationTexts.notValid }
  const pointer = member === undefined ? instancePath : instancePath + pointerOf(String(params[member]))
  return { pointer, code, text: text(params) }
}

const codeOf = (keyword: string) => keyword.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

interface Violation {
  /** By default the keyword, in kebab-case. */
  code?: string
  /** The parameter that names the invalid member; by default the value itself is invalid. */
  member?: string
  /** The text that follows the name of the field. */
  text: (params: Readonly<Record<string, unknown>>) => LocalizedText
}

const elements = (limit: unknown): LocalizedText =>
  limit === 1 ? violationTexts.oneElement : fill(violationTexts.elements, { count: String(limit) })
const characters = (limit: unknown): LocalizedText =>
  limit === 1 ? violationTexts.oneCharacter : fill(violationTexts.characters, { count: String(limit) })

const oneOf: Violation['text'] = ({ allowedValues }) =>
  fill(violationTexts.oneOf, { values: (allowedValues as unknown[]).map(String).join(', ') })

/**
 * Texts by the violated JSON Schema keyword; `repeated`: a query parameter was sent twice;
 * `unknownParameter`: a query parameter is unknown; `jsonPatch`: a JSON Patch is no array.
 */
const violations: Readonly<Record<string, Violation>> = {
  additionalProperties: {
    code: 'unknown-field',
    member: 'additionalProperty',
    text: () => violationTexts.unknownField
  },
  unknownParameter: {
    code: 'unknown-field',
    member: 'additionalProperty',
    text: () => violationTexts.unknownParameter
  },
  required: { member: 'missingProperty', text: () => violationTexts.required },
  jsonPatch: {
    code: 'wrong-type',
    text: () => fill(violationTexts.jsonPatch, { example: JSON.stringify(JsonPatch.example) })
  },
  repeated: { text: () => violationTexts.repeated },
  enum: { code: 'not-allowed', text: oneOf },
  discriminator: { code: 'not-allowed', member: 'tag', text: oneOf },
  type: {
    code: 'wrong-type',
    text: ({ type }) => {
      const types = [type].flat().map((each) => typeTexts[String(each)] ?? String(each))
      return fill(violationTexts.type, { types: joinWords(types, platformTexts.or) })
    }
  },
  pattern: { text: ({ pattern }) => textsByPattern[String(pattern)] ?? violationTexts.otherForm },
  minItems: { text: ({ limit }) => fill(violationTexts.minItems, { elements: elements(limit) }) },
  maxItems: { text: ({ limit }) => fill(violationTexts.maxItems, { elements: elements(limit) }) },
  minLength: {
    text: ({ limit }) =>
      limit === 1 ? violationTexts.empty : fill(violationTexts.minLength, { limit: String(limit) })
  },
  maxLength: {
    text: ({ limit, isNormalized }) =>
      fill(isNormalized ? violationTexts.maxNormalizedLength : violationTexts.maxLength, {
        characters: characters(limit)
      })
  },
  minimum: { text: ({ limit }) => fill(violationTexts.minimum, { limit: String(limit) }) },
  maximum: { text: ({ limit }) => fill(violationTexts.maximum, { limit: String(limit) }) },
  format: { text: ({ format }) => formatTexts[String(format)] ?? violationTexts.notValid }
}

export const validationCodes = [
  ...new Set(Object.entries(violations).map(([keyword, { code = codeOf(keyword) }]) => code))
]
