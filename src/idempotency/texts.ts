import { withDetails } from '../platform/errors/problem.js'

/** Details of problems of the platform. */
export const sharedIdempotencyProblems = withDetails({
  'invalid-idempotency-key': {
    withoutUser: {
      en: 'An Idempotency-Key requires a token with the claim sub or user_id. Without one omit the header.',
      da: 'En Idempotency-Key kræver en adgangsnøgle med sub eller user_id. Udelad ellers headeren.'
    }
  }
})
