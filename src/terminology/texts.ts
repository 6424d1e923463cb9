import type { Texts } from '../platform/errors/language.js'
import { type ProblemTable, problemsOf, withDetails } from '../platform/errors/problem.js'

export const terminologyProblems = {
  'terminology-unavailable': {
    status: 503,
    title: { en: 'A code cannot be validated at the moment', da: 'En kode kan ikke kontrolleres lige nu' },
    remedy: {
      en: 'The terminology server did not validate all codes. Nothing was written. Try again later: codes that it validated are cached.',
      da: 'Terminologiserveren kontrollerede ikke alle koder. Intet er skrevet. Prøv igen senere. Koder, der nåede at blive kontrolleret, er gemt midlertidigt.'
    }
  }
} as const satisfies ProblemTable

export const sharedTerminologyProblems = withDetails({
  'unknown-coding': {
    otherSystem: { en: 'It must have the system {system}.', da: 'Det skal have systemet {system}.' },
    notInSet: { en: 'It must be {codes}.', da: 'Det skal være {codes}.' }
  }
})

export const terminologyTexts = {
  codeOfSet: {
    en: 'a code of the value set {url}, whose codes GET /value-sets lists',
    da: 'en kode fra kodesættet {url}, hvis koder GET /value-sets viser'
  },
  oneOfSet: { en: 'one of {codes}, of the value set {url}', da: 'en af {codes}, fra kodesættet {url}' }
} as const satisfies Texts

export const terminologyProblem = problemsOf({ ...terminologyProblems, ...sharedTerminologyProblems })
