import type { Socket } from 'node:net'
import { lastExchange } from './exchanges.js'

/** Maximum bytes to read and discard before a connection is closed. */
const MAX_DISCARDED_BYTES = 64 * 1024 * 1024

/** Milliseconds between two checks of the discarded bytes. */
const CHECK_INTERVAL_MS = 250

const lingering = new WeakSet<Socket>()

/** Whether further bytes of a connection are discarded. */
export const isLingeringClose = (socket: Socket): boolean => lingering.has(socket)

/**
 * Ends a connection and discards further bytes until the client ends its side, within a maximum
 * time and amount. Closing with unread bytes would reset the connection, and the client would lose
 * the response (RFC 9112, section 9.6).
 * @param timeoutMs milliseconds after which the connection is closed in any case.
 */
export function closeLingering(socket: Socket, timeoutMs: number): void {
  if (lingering.has(socket)) return
  lingering.add(socket)
  const end = performance.now() + timeoutMs
  const maxBytesRead = socket.bytesRead + MAX_DISCARDED_BYTES
  const timer = setInterval(() => {
    if (performance.now() > end || socket.bytesRead > maxBytesRead) socket.destroy()
  }, CHECK_INTERVAL_MS).unref()
  socket.once('close', () => clearInterval(timer))
  socket.end()
  socket.resume()
  lastExchange(socket)?.incoming.unpipe().resume()
}
