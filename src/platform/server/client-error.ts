import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { type Problem, problem } from '../errors/problem.js'
import { logLine } from '../logging/log-line.js'
import { refuseBody } from './body-timeout.js'
import { bodyTooSlow } from './deadline.js'
import { incompleteRequest, problemBody } from './error-handler.js'
import { afterResponse, lastExchange } from './exchanges.js'
import { closeLingering, isLingeringClose } from './lingering-close.js'
import { helmetHeaders } from './security-headers.js'

type ParserError = Error & { code?: string; reason?: string }

const notHttp1 = () => problem('http-version-not-supported', 'Use HTTP/1.1.')

/** Problems by the code of Node's HTTP parser. */
const parserProblems: Readonly<Record<string, () => Problem>> = {
  HPE_HEADER_OVERFLOW: () => problem('headers-too-large', 'Send fewer or shorter headers, or a shorter URL.'),
  HPE_CHUNK_EXTENSIONS_OVERFLOW: () => problem('payload-too-large', 'Send chunks without extensions.'),
  HPE_PAUSED_H2_UPGRADE: notHttp1,
  HPE_INVALID_EOF_STATE: incompleteRequest,
  ERR_HTTP_REQUEST_TIMEOUT: bodyTooSlow
}

/** Connections with a parser error. Later bytes are not a request. */
const failed = new WeakSet<Socket>()

/**
 * Makes Fastify's `clientErrorHandler`, for requests that Node cannot parse. Refuses the request
 * whose body cannot be parsed; bytes after the last request get their own response, in order.
 * Closes the connection in any case.
 * @param timeoutMs milliseconds for which the client may continue sending.
 */
export function clientErrors(timeoutMs: number) {
  return function (this: FastifyInstance, error: ParserError, socket: Socket): void {
    if (isDisconnect(error)) socket.destroy()
    // After an error Node reports each further chunk. It is discarded.
    if (socket.destroyed || isLingeringClose(socket) || failed.has(socket)) return
    failed.add(socket)
    const refusal = parserProblem(error)
    const exchange = lastExchange(socket)
    const send = () => refuse(this, socket, refusal, timeoutMs)
    if (exchange === undefined) send()
    else if (exchange.incoming.complete) afterResponse(exchange, send)
    else {
      // The error is in the body of the last request, which gets only one response.
      if (exchange.request) refuseBody(exchange.request, refusal)
      afterResponse(exchange, () => closeLingering(socket, timeoutMs))
    }
  }
}

/** Responds to a CONNECT request, for which Node provides only the socket. */
export function refuseConnect(app: FastifyInstance, socket: Socket, timeoutMs: number): void {
  socket.on('error', () => socket.destroy())
  const send = () =>
    refuse(
      app,
      socket,
      problem('not-implemented', 'CONNECT is not supported. The server is not a proxy.'),
      timeoutMs
    )
  const exchange = lastExchange(socket)
  if (exchange) afterResponse(exchange, send)
  else send()
}

function parserProblem({ code = '', reason }: ParserError): Problem {
  // The code also means a request line with an invalid end.
  if (code === 'HPE_INVALID_VERSION' && reason === 'Invalid HTTP version') return notHttp1()
  return parserProblems[code]?.() ?? problem('bad-request', 'Send well-formed HTTP.')
}

const isDisconnect = ({ code = '' }: { code?: string }) => /^(ECONN|EPIPE|ETIMEDOUT|ERR_STREAM)/.test(code)

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
  app.log.info(logLine('request refused', { reqId: id, status: refusal.status, code: refusal.code }))
}
