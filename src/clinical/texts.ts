import { type ProblemTable, problemsOf, withDetails } from '../platform/errors/problem.js'

export const clinicalProblems = {
  'no-consent': {
    status: 422,
    title: {
      en: 'No consent of the patient covers the order',
      da: 'Intet samtykke fra borgeren dækker bestillingen'
    },
    remedy: {
      en: 'Register a consent of the patient that covers the seller.',
      da: 'Registrér et samtykke fra borgeren, der dækker leverandøren.'
    },
    details: {
      none: {
        en: 'It needs an active consent of the patient that is in force and visible to you.',
        da: 'Det kræver et aktivt samtykke fra borgeren, der gælder nu, og som du kan se.'
      },
      otherActor: {
        en: 'It needs a consent for the organization of the seller. The consents of the patient name other organizations or exclude this one.',
        da: 'Det kræver et samtykke til leverandørens organisation. Borgerens samtykker gælder andre organisationer eller undtager denne.'
      }
    }
  },
  'clinical-backend-unavailable': {
    status: 503,
    title: { en: 'The clinical backend does not respond', da: 'Det kliniske system svarer ikke' },
    remedy: {
      en: 'Nothing was written. Try again later.',
      da: 'Intet er skrevet. Prøv igen senere.'
    }
  }
} as const satisfies ProblemTable

export const sharedClinicalProblems = withDetails({
  'dangling-reference': {
    clinical: {
      en: 'It must be the full URL of a clinical {type}, with http:// or https://, and end with {type}/<id>.',
      da: 'Det skal være den fulde adresse på en ressource af typen {type} i det kliniske system, med http:// eller https://, og slutte med {type}/<id>.'
    }
  }
})

export const clinicalProblem = problemsOf({ ...clinicalProblems, ...sharedClinicalProblems })
