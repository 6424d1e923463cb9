import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { bodyTooSlow } from '../concurrency/deadline.js'
import { type Problem, problem } from '../errors/problem.js'
import { logLine } from '../logging/log-line.js'
import { incompleteRequest, problemBody } from './error-handler.js'
import { connectionOf } from './open-connections.js'
import { standardHeaders } from './security-headers.js'
import { serverProblem } from './texts.js'

type ParserError = Error & { code?: string; reason?: string }

/**
 * Milliseconds in which a rejected client can read the response. Its further bytes are discarded.
 */
const LINGER_MS = 5000

const notHttp1 = () => serverProblem('http-version-not-supported')

/** Problems by the code of Node's HTTP parser. */
const parserProblems: Readonly<Record<string, () => Problem>> = {
  HPE_HEADER_OVERFLOW: () => serverProblem('headers-too-large'),
  HPE_CHUNK_EXTENSIONS_OVERFLOW: () => problem('payload-too-large.chunkExtensions'),
  HPE_PAUSED_H2_UPGRADE: notHttp1,
  HPE_INVALID_EOF_STATE: incompleteRequest,
  ERR_HTTP_REQUEST_TIMEOUT: bodyTooSlow
}

/**
 * Fastify's `clientErrorHandler`: rejects requests that Node cannot parse or that arrive too
 * slowly, after the responses to earlier requests. A request with an invalid body fails under its
 * request id.
 */
export function refuseClientError(this: FastifyInstance, error: ParserError, socket: Socket): void {
  if (/^(ECONN|EPIPE|ETIMEDOUT|ERR_STREAM)/.test(error.code ?? '')) socket.destroy()
  // After an error Node reports an error for each further chunk.
  if (!socket.writable) return
  const { inFlight, latest, latestId } = connectionOf(socket) ?? { inFlight: 0 }
  const isInBody = latest?.req.complete === false
  const send = () => refuse(this, socket, parserProblem(error), isInBody ? latestId : undefined)
  if (latest && !isInBody && inFlight > 0) latest.once('close', send)
  else if (!isInBody || (inFlight === 1 && !latest.headersSent)) send()
  else socket.destroy()
}

function parserProblem({ code = '', reason }: ParserError): Problem {
  // The code also means a request line with an invalid end.
  if (code === 'HPE_INVALID_VERSION' && reason === 'Invalid HTTP version') return notHttp1()
  return parserProblems[code]?.() ?? serverProblem('bad-request')
}

function refuse(app: FastifyInstance, socket: Socket, refusal: Problem, id: string = randomUUID()): void {
  if (!socket.writable) return
  const body = JSON.stringify(problemBody(app, refusal, id))
  const head = [
    `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    `date: ${new Date().toUTCString()}`,
    `x-request-id: ${id}`,
    'connection: close',
    ...Object.entries(standardHeaders).map(([name, value]) => `${name}: ${value}`)
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
  // Closing with unread bytes would reset the connection, and the client would lose the response.
  setTimeout(() => socket.destroy(), LINGER_MS).unref()
  app.log.info(logLine('request rejected', { reqId: id, status: refusal.status, code: refusal.code }))
}
