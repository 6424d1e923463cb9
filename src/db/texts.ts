import { withDetails } from '../platform/errors/problem.js'

/** Details of problems of the platform. */
export const dbProblems = withDetails({
  'idempotency-key-reused': {
    otherRequest: {
      en: 'An earlier request with this Idempotency-Key had another URL or another body. Use a new key for each request.',
      da: 'En tidligere anmodning med denne Idempotency-Key havde en anden adresse eller en anden krop. Brug en ny nøgle til hver anmodning.'
    }
  }
})
