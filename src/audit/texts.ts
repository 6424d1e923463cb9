import { withDetails } from '../platform/errors/problem.js'

export const auditProblems = withDetails({
  'database-unavailable': {
    notRecorded: {
      en: 'The request cannot be recorded in the audit record and was rejected. Nothing was changed. Try again later.',
      da: 'Anmodningen kan ikke registreres i adgangsloggen og blev afvist. Intet er ændret. Prøv igen senere.'
    }
  }
})
