import { withDetails } from '../platform/errors/problem.js'

/** Details of problems of the platform. */
export const sharedIdempotencyProblems = withDetails({
  'idempotency-key-reused': {
    otherRequest: {
      en: 'An earlier request with this Idempotency-Key had another URL or another body. Use a new key for each request.',
      da: 'En tidligere anmodning med denne Idempotency-Key havde en anden adresse eller en anden krop. Brug en ny nøgle til hver anmodning.'
    }
  },
  'invalid-idempotency-key': {
    withoutUser: {
      en: 'An Idempotency-Key requires a token with the claim sub or user_id. Without one omit the header.',
      da: 'En Idempotency-Key kræver en adgangsnøgle med sub eller user_id. Udelad ellers headeren.'
    }
  }
})
