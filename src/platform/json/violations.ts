import type { FastifySchemaValidationError } from 'fastify'
import { inEachLanguage, type Language, type Words } from '../errors/language.js'
import { pointerOf } from './json-pointer.js'

/** The field errors of violations, and a sentence of all of them, which names the fields. */
export function describeViolations(found: readonly FastifySchemaValidationError[], isQuery = false) {
  const faults = found.map(faultOf)
  const nameOf = (pointer: string, language: Language) =>
    (isQuery ? pointer.slice(1) : pointer) || subject[language].toLowerCase()
  return {
    errors: faults.map(({ pointer, code, text }) => ({
      pointer,
      code,
      detail: inEachLanguage((language) => `${subject[language]} ${text[language]}.`)
    })),
    sentence: inEachLanguage((language) =>
      faults.map(({ pointer, text }) => `${nameOf(pointer, language)} ${text[language]}`).join('; ')
    )
  }
}

const subject: Words = { en: 'It', da: 'Det' }

/** Describes a schema violation. Never quotes values, which may be patient data. */
function faultOf({ keyword, instancePath, params }: FastifySchemaValidationError) {
  const { member, code = keyword, text } = violations[keyword] ?? { text: () => notValid }
  const pointer = member === undefined ? instancePath : instancePath + pointerOf(String(params[member]))
  return { pointer, code, text: text(params) }
}

interface Violation {
  /** By default the keyword. */
  code?: string
  /** The parameter that names the member at fault, by default the value itself is. */
  member?: string
  /** What follows the name of the field. */
  text: (params: Readonly<Record<string, unknown>>) => Words
}

const notValid: Words = { en: 'is not valid', da: 'er ikke gyldigt' }

const elements = (count: unknown): Words => ({
  en: `${count} element${count === 1 ? '' : 's'}`,
  da: `${count} element${count === 1 ? '' : 'er'}`
})
const characters = (count: unknown): Words => ({
  en: `${count} character${count === 1 ? '' : 's'}`,
  da: `${count} tegn`
})

const typeNames: Readonly<Record<string, Words>> = {
  string: { en: 'a text', da: 'en tekst' },
  integer: { en: 'a whole number', da: 'et helt tal' },
  number: { en: 'a number', da: 'et tal' },
  boolean: { en: 'true or false', da: 'true eller false' },
  array: { en: 'an array', da: 'en liste' },
  object: { en: 'an object', da: 'et objekt' },
  null: { en: 'null', da: 'null' }
}
const or: Words = { en: ' or ', da: ' eller ' }

function oneOf({ allowedValues }: Readonly<Record<string, unknown>>): Words {
  const values = (allowedValues as unknown[]).map(String).join(', ')
  return { en: `must be one of ${values}`, da: `skal være en af ${values}` }
}

/** By the JSON Schema keyword that is violated. */
const violations: Readonly<Record<string, Violation>> = {
  additionalProperties: {
    code: 'unknown-field',
    member: 'additionalProperty',
    text: () => ({ en: 'is not a known field', da: 'er ikke et kendt felt' })
  },
  required: { member: 'missingProperty', text: () => ({ en: 'is required', da: 'skal udfyldes' }) },
  enum: { code: 'not-allowed', text: oneOf },
  discriminator: { code: 'not-allowed', member: 'tag', text: oneOf },
  type: {
    code: 'wrong-type',
    text: ({ type }) => {
      const names = (language: Language) =>
        [type]
          .flat()
          .map((each) => typeNames[String(each)]?.[language] ?? each)
          .join(or[language])
      return { en: `must be ${names('en')}`, da: `skal være ${names('da')}` }
    }
  },
  pattern: {
    text: ({ pattern }) =>
      patternTexts[String(pattern)] ?? {
        en: 'has a form that is not allowed',
        da: 'har en form, der ikke er tilladt'
      }
  },
  minItems: {
    text: ({ limit }) => ({
      en: `must have ${elements(limit).en} or more`,
      da: `skal have mindst ${elements(limit).da}`
    })
  },
  maxItems: {
    text: ({ limit }) => ({
      en: `must have ${elements(limit).en} or fewer`,
      da: `må højst have ${elements(limit).da}`
    })
  },
  minLength: {
    text: ({ limit }) =>
      limit === 1
        ? { en: 'must not be empty', da: 'må ikke være tomt' }
        : { en: `must have ${limit} characters or more`, da: `skal have mindst ${limit} tegn` }
  },
  maxLength: {
    text: ({ limit, isNormalized }) => {
      const [en, da] = isNormalized
        ? [', also after normalization (Unicode NFKD)', ', også efter normalisering (Unicode NFKD)']
        : ['', '']
      return {
        en: `must have ${characters(limit).en} or fewer${en}`,
        da: `må højst have ${characters(limit).da}${da}`
      }
    }
  },
  minimum: { text: ({ limit }) => ({ en: `must be ${limit} or more`, da: `skal være mindst ${limit}` }) },
  maximum: { text: ({ limit }) => ({ en: `must be ${limit} or less`, da: `må højst være ${limit}` }) },
  format: { text: ({ format }) => formatTexts[String(format)] ?? notValid }
}

const civilDate: Words = {
  en: 'must be a date as yyyy-mm-dd, such as 2026-11-21',
  da: 'skal være en dato som åååå-mm-dd, for eksempel 2026-11-21'
}

const formatTexts: Readonly<Record<string, Words>> = {
  uri: {
    en: 'must be a fully qualified URL or another URI, such as https://host/path or urn:oid:1.2',
    da: 'skal være en fuld adresse eller en anden URI, for eksempel https://host/path eller urn:oid:1.2'
  },
  date: civilDate,
  'date-time': {
    en: 'must be a date and time with a UTC offset, such as 2026-11-21T08:00:00.000Z',
    da: 'skal være dato og tid med tidszone, for eksempel 2026-11-21T08:00:00.000Z'
  },
  uuid: { en: 'must be a UUID', da: 'skal være en UUID' },
  'visible-ascii': {
    en: 'must have only visible ASCII characters and spaces',
    da: 'må kun have synlige ASCII-tegn og mellemrum'
  }
}

/** What a regular expression of a schema asks for. */
const patternTexts: Readonly<Record<string, Words>> = {
  '^\\d{4}-\\d{2}-\\d{2}$': civilDate,
  '^(/([^/~]|~[01])*)*$': {
    en: 'must be a JSON Pointer (RFC 6901), such as /status',
    da: 'skal være en JSON Pointer (RFC 6901), for eksempel /status'
  },
  '^[^|:\\u0000-\\u001f]+$': {
    en: 'must be a name without the characters | and :',
    da: 'skal være et navn uden tegnene | og :'
  }
}

/** Codes of schema violations. */
export const validationCodes = [
  ...new Set(Object.entries(violations).map(([keyword, { code = keyword }]) => code))
]
