import type { LocalizedText, Texts } from '../errors/language.js'
import { type ProblemTable, problemsOf } from '../errors/problem.js'

export const jsonProblems = {
  'malformed-json': {
    status: 400,
    title: {
      en: 'The JSON of the body is malformed or not accepted',
      da: 'JSON i indholdet er ikke velformet eller kan ikke modtages'
    },
    remedy: { en: 'Send one well-formed JSON value.', da: 'Send én velformet JSON-værdi.' },
    details: {
      tooDeep: {
        en: 'The body is nested too deeply. It may have at most {max} levels of objects and arrays.',
        da: 'Indholdet har for mange niveauer. Det må højst have {max} niveauer af objekter og lister.'
      },
      tooManyValues: {
        en: 'The body has too many values. It may have at most {max} members of objects and entries of arrays. Send less at a time.',
        da: 'Indholdet har for mange værdier. Det må højst have {max} felter i objekter og elementer i lister. Send mindre ad gangen.'
      },
      notUtf8: {
        en: 'The body is not UTF-8. Send JSON in UTF-8.',
        da: 'Indholdet er ikke UTF-8. Send JSON i UTF-8.'
      },
      prototypeMember: {
        en: 'The body has a member __proto__ or constructor.prototype, which is not accepted. Leave the member out.',
        da: 'Indholdet har et felt __proto__ eller constructor.prototype, som ikke kan modtages. Udelad feltet.'
      }
    }
  }
} as const satisfies ProblemTable

export const jsonProblem = problemsOf(jsonProblems)

/** Texts of schema violations, which follow the name of the field, and names of whole values. */
export const violationTexts = {
  body: { en: 'The body', da: 'Indholdet' },
  result: { en: 'it', da: 'det' },
  wholeResult: { en: 'The result', da: 'Resultatet' },
  notValid: { en: 'is not valid', da: 'er ikke gyldigt' },
  unknownField: { en: 'is not a known field', da: 'er ikke et kendt felt' },
  unknownParameter: { en: 'is unknown', da: 'kendes ikke' },
  knownParameters: {
    en: ' This URL has the query parameters {names}.',
    da: ' Adressen har parametrene {names}.'
  },
  oneParameter: {
    en: ' This URL has the query parameter {names}.',
    da: ' Adressen har parameteren {names}.'
  },
  noParameters: { en: ' This URL has no query parameters.', da: ' Adressen har ingen parametre.' },
  knownMembers: { en: ' {object} can have the members {names}.', da: ' {object} kan have felterne {names}.' },
  jsonPatch: {
    en: 'must be a JSON Patch (RFC 6902), which is an array of operations, such as {example}',
    da: 'skal være en JSON Patch (RFC 6902), som er en liste af operationer, for eksempel {example}'
  },
  required: { en: 'is required', da: 'skal udfyldes' },
  repeated: { en: 'must be sent only once', da: 'må kun sendes én gang' },
  oneOf: { en: 'must be one of {values}', da: 'skal være en af {values}' },
  type: { en: 'must be {types}', da: 'skal være {types}' },
  otherForm: { en: 'has a form that is not allowed', da: 'har en form, der ikke er tilladt' },
  minItems: { en: 'must have {elements} or more', da: 'skal have mindst {elements}' },
  maxItems: { en: 'must have {elements} or fewer', da: 'må højst have {elements}' },
  oneElement: { en: '1 element', da: '1 element' },
  elements: { en: '{count} elements', da: '{count} elementer' },
  empty: { en: 'must not be empty', da: 'må ikke være tomt' },
  minLength: { en: 'must have {limit} characters or more', da: 'skal have mindst {limit} tegn' },
  maxLength: { en: 'must have {characters} or fewer', da: 'må højst have {characters}' },
  maxNormalizedLength: {
    en: 'must have {characters} or fewer, also after normalization (Unicode NFKD)',
    da: 'må højst have {characters}, også efter normalisering (Unicode NFKD)'
  },
  oneCharacter: { en: '1 character', da: '1 tegn' },
  characters: { en: '{count} characters', da: '{count} tegn' },
  minimum: { en: 'must be {limit} or more', da: 'skal være mindst {limit}' },
  maximum: { en: 'must be {limit} or less', da: 'må højst være {limit}' }
} as const satisfies Texts

export const typeTexts: Texts = {
  string: { en: 'a text', da: 'en tekst' },
  integer: { en: 'a whole number', da: 'et helt tal' },
  number: { en: 'a number', da: 'et tal' },
  boolean: { en: 'true or false', da: 'true eller false' },
  array: { en: 'an array', da: 'en liste' },
  object: { en: 'an object', da: 'et objekt' },
  null: { en: 'null', da: 'null' }
}

const civilDate: LocalizedText = {
  en: 'must be a date that exists, as yyyy-mm-dd, such as 2026-11-21',
  da: 'skal være en dato, der findes, som åååå-mm-dd, for eksempel 2026-11-21'
}

export const formatTexts: Texts = {
  uri: {
    en: 'must be a fully qualified URL or another URI, such as https://host/path or urn:oid:1.2',
    da: 'skal være en fuld adresse eller en anden URI, for eksempel https://host/path eller urn:oid:1.2'
  },
  date: civilDate,
  'date-time': {
    en: 'must be a date that exists and a time with a UTC offset, such as 2026-11-21T08:00:00.000Z',
    da: 'skal være en dato, der findes, og et tidspunkt med tidszone, for eksempel 2026-11-21T08:00:00.000Z'
  },
  uuid: { en: 'must be a UUID', da: 'skal være et UUID' },
  'day-or-month': {
    en: 'must be a date that exists, or a month, such as 2026-11-21 or 2026-11',
    da: 'skal være en dato, der findes, eller en måned, for eksempel 2026-11-21 eller 2026-11'
  },
  'number-text': { en: 'must not have control characters', da: 'må ikke indeholde styretegn' },
  'scanned-text': {
    en: 'must have only visible ASCII characters, spaces and the separator U+001D',
    da: 'må kun indeholde synlige ASCII-tegn, mellemrum og skilletegnet U+001D'
  }
}

export const textsByPattern: Texts = {
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
