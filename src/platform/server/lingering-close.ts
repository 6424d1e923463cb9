import type { Socket } from 'node:net'
import { lastExchange } from './exchanges.js'

/** Bytes that are read and discarded before a connection is closed. */
const MAX_DISCARDED_BYTES = 64 * 1024 * 1024

/** Milliseconds between two looks at how much was discarded. */
const CHECK_INTERVAL_MS = 250

const lingering = new WeakSet<Socket>()

/** Whether all that still arrives on a connection is discarded. */
export const isLingeringClose = (socket: Socket): boolean => lingering.has(socket)

/**
 * Ends a connection and discards what the client still sends, until the client ends its side, for a bounded time and amount. To close
 * at once, with bytes unread, would reset the connection, and the client would lose the response (RFC 9112, section 9.6).
 * @param timeoutMs milliseconds after which the connection is closed in any case.
 */
export function closeLingering(socket: Socket, timeoutMs: number): void {
  if (lingering.has(socket)) return
  lingering.add(socket)
  const end = performance.now() + timeoutMs
  const most = socket.bytesRead + MAX_DISCARDED_BYTES
  const timer = setInterval(() => {
    if (performance.now() > end || socket.bytesRead > most) socket.destroy()
  }, CHECK_INTERVAL_MS).unref()
  socket.once('close', () => clearInterval(timer))
  socket.end()
  socket.resume()
  lastExchange(socket)?.incoming.unpipe().resume()
}
