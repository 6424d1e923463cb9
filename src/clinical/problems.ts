import { type ProblemTable, problemsOf } from '../platform/errors/problem.js'

export const clinicalProblems = {
  'no-consent': [
    422,
    {
      en: 'No consent of the patient covers the order',
      da: 'Intet samtykke fra patienten dækker bestillingen'
    },
    {
      en: 'Register a consent of the patient that covers the seller.',
      da: 'Registrér et samtykke fra patienten, der dækker leverandøren.'
    }
  ],
  'clinical-backend-unavailable': [
    503,
    { en: 'The clinical backend does not respond', da: 'Det kliniske system svarer ikke' },
    { en: 'Try again later.', da: 'Prøv igen senere.' }
  ]
} as const satisfies ProblemTable

export const clinicalProblem = problemsOf(clinicalProblems)
