import { type ProblemTable, problemsOf } from '../platform/errors/problem.js'

export const agreementProblems = {
  'wrong-role': [
    422,
    { en: 'A party does not have the required role', da: 'En part har ikke den rolle, der skal til' },
    {
      en: 'Choose a party with the role, or give it to the party.',
      da: 'Vælg en part med rollen, eller giv parten den.'
    }
  ],
  'duplicate-buyer': [
    422,
    { en: 'A contract names a buyer more than once', da: 'Kontrakten nævner en køber mere end én gang' },
    { en: 'Name each buyer once.', da: 'Nævn hver køber én gang.' }
  ],
  'fixed-organization': [
    422,
    { en: 'The organization of a party cannot change', da: 'En parts organisation kan ikke ændres' },
    { en: 'Create another party.', da: 'Opret en anden part.' }
  ],
  'party-in-use': [
    409,
    { en: 'The party needs the role that it would lose', da: 'Parten bruger den rolle, den ville miste' },
    {
      en: 'Close its open orders and its catalogues first.',
      da: 'Afslut først dens åbne bestillinger og kataloger.'
    }
  ],
  'ambiguous-party': [
    422,
    { en: 'Several parties have this name', da: 'Flere parter har dette navn' },
    { en: "Write the party's URL instead.", da: 'Skriv partens adresse i stedet.' }
  ]
} as const satisfies ProblemTable

export const agreementProblem = problemsOf(agreementProblems)
