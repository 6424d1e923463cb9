import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { type Problem, problem } from '../errors/problem.js'
import { logLine } from '../logging/log-line.js'
import { refuseBody } from './body-timeout.js'
import { tooSlow } from './deadline.js'
import { incompleteRequest, problemBody } from './error-handler.js'
import { afterResponse, lastExchange } from './exchanges.js'
import { closeLingering, isLingeringClose } from './lingering-close.js'
import { helmetHeaders } from './security-headers.js'

type ParserError = Error & { code?: string; reason?: string }

const notHttp1 = () => problem('http-version-not-supported', 'Use HTTP/1.1.')

/** Faults that Node's HTTP parser finds, by their codes. */
const problems: Readonly<Record<string, () => Problem>> = {
  HPE_HEADER_OVERFLOW: () =>
    problem('headers-too-large', 'Send fewer or shorter headers, or a shorter address.'),
  HPE_CHUNK_EXTENSIONS_OVERFLOW: () => problem('payload-too-large', 'Send chunks without extensions.'),
  HPE_PAUSED_H2_UPGRADE: notHttp1,
  HPE_INVALID_EOF_STATE: incompleteRequest,
  ERR_HTTP_REQUEST_TIMEOUT: tooSlow
}

/** Connections whose client has made a fault; what follows is no request. */
const faulty = new WeakSet<Socket>()

/**
 * Makes Fastify's `clientErrorHandler`, for requests that Node cannot read. A request that is already with Fastify and waits for its
 * body is refused there. What cannot be read after the last request gets a response of its own, after those of the requests before it.
 * The connection is closed in any case.
 * @param timeoutMs milliseconds for which the client may go on sending.
 */
export function clientErrors(timeoutMs: number) {
  return function (this: FastifyInstance, error: ParserError, socket: Socket): void {
    if (isGone(error)) socket.destroy()
    // After a fault Node reports each further chunk, and what comes is discarded.
    if (socket.destroyed || isLingeringClose(socket) || faulty.has(socket)) return
    faulty.add(socket)
    const refusal = refusalOf(error)
    const exchange = lastExchange(socket)
    const answer = () => refuse(this, socket, refusal, timeoutMs)
    if (exchange === undefined) answer()
    else if (exchange.incoming.complete) afterResponse(exchange, answer)
    else {
      // The fault is in the body of the last request, which gets one response only.
      if (exchange.request) refuseBody(exchange.request, refusal)
      afterResponse(exchange, () => closeLingering(socket, timeoutMs))
    }
  }
}

/** Answers a CONNECT request, which Node hands over as a bare socket. */
export function refuseConnect(app: FastifyInstance, socket: Socket, timeoutMs: number): void {
  socket.on('error', () => socket.destroy())
  const send = () =>
    refuse(app, socket, problem('not-implemented', 'The server is no proxy: it has no CONNECT.'), timeoutMs)
  const exchange = lastExchange(socket)
  if (exchange) afterResponse(exchange, send)
  else send()
}

function refusalOf({ code = '', reason }: ParserError): Problem {
  // The same code stands for a request line that does not end well.
  if (code === 'HPE_INVALID_VERSION' && reason === 'Invalid HTTP version') return notHttp1()
  return problems[code]?.() ?? problem('bad-request', 'The request is not well-formed HTTP.')
}

const isGone = ({ code = '' }: { code?: string }) => /^(ECONN|EPIPE|ETIMEDOUT|ERR_STREAM)/.test(code)

function refuse(app: FastifyInstance, socket: Socket, refusal: Problem, timeoutMs: number): void {
  const id = randomUUID()
  const body = JSON.stringify(problemBody(refusal, id))
  const head = [
    `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    `date: ${new Date().toUTCString()}`,
    `x-request-id: ${id}`,
    'connection: close',
    ...Object.entries(helmetHeaders).map(([name, value]) => `${name}: ${value}`)
  ]
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`)
  closeLingering(socket, timeoutMs)
  app.log.info(logLine('refused', { reqId: id, status: refusal.status, code: refusal.code }))
}
