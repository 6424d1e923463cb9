import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { problemBody } from './error-handler.js'
import { type Problem, problem } from './problem.js'

/** Answers what is not even HTTP, by its fault's code in Node, in the same form as every other refusal. */
const problems: Readonly<Record<string, () => Problem>> = {
  HPE_HEADER_OVERFLOW: () =>
    problem('headers-too-large', 'Send fewer or shorter headers, or a shorter address.'),
  ERR_HTTP_REQUEST_TIMEOUT: () => problem('request-timeout', 'Send the request faster.')
}

/** To be used as Fastify's `clientErrorHandler`: the connection is answered and closed. */
export function clientErrorHandler(error: Error & { code?: string }, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy()
    return
  }
  const answer =
    problems[error.code ?? '']?.() ?? problem('bad-request', 'The request is not well-formed HTTP.')
  const id = randomUUID()
  const body = JSON.stringify(problemBody(answer, id))
  const headers = [
    `HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status]}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${id}`,
    'connection: close'
  ]
  socket.end(`${headers.join('\r\n')}\r\n\r\n${body}`)
}
