import type { ErrorRequestHandler } from 'express'
import { Prisma } from './generated/client.js'

/** An error that the caller is told. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly code: string
  ) {
    super(code)
  }
}

/** What Prisma's own errors are for the caller: a broken constraint, or a row that changed meanwhile. */
const statuses: Readonly<Record<string, number>> = { P2002: 422, P2003: 422, P2025: 409 }

/** Answers errors as problems. */
export const answerError: ErrorRequestHandler = (error, _request, response, _next) => {
  const status = error instanceof Prisma.PrismaClientKnownRequestError ? statuses[error.code] : error.status
  if (status === undefined) console.error(error)
  response
    .status(status ?? 500)
    .type('application/problem+json')
    .json({ status: status ?? 500, code: error.code })
}
