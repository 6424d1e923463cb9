import type { ServerResponse } from 'node:http'
import type { FastifyReply } from 'fastify'
import { type Log, logLine } from '../logging/log-line.js'

export interface SlowReaderOptions {
  /** Milliseconds that a client may take to read a response. */
  responseTimeoutMs: number
  /** Maximum unread bytes of all responses together. */
  maxUnreadBytes: number
}

/**
 * Closes connections of clients that do not read their response, whose bytes stay in memory: after
 * a timeout, and the oldest first while all unread responses together are too large.
 * @returns a function that watches whether a response with its payload is read.
 */
export function watchReaders(
  log: Log,
  { responseTimeoutMs, maxUnreadBytes }: SlowReaderOptions
): (reply: FastifyReply, payload: unknown) => void {
  /** Unread responses, the oldest first, with functions that subtract their bytes. */
  const unread = new Map<ServerResponse, () => void>()
  let unreadBytes = 0

  function track(response: ServerResponse, bytes: number): void {
    const timer = setTimeout(() => abort(response, 'time'), responseTimeoutMs).unref()
    const release = () => {
      if (!unread.delete(response)) return
      clearTimeout(timer)
      unreadBytes -= bytes
    }
    unread.get(response)?.()
    unread.set(response, release)
    unreadBytes += bytes
    response.once('close', release)
  }

  function abort(response: ServerResponse, reason: 'time' | 'memory'): void {
    unread.get(response)?.()
    log.info(logLine('A client did not read its response', { reason }))
    response.socket?.destroy()
    response.destroy()
  }

  return (reply, payload) => {
    // A stream of events never ends, and bounds by itself what is unread.
    if (isEventStream(reply)) return
    track(reply.raw, sizeOf(payload))
    for (const oldest of unread.keys()) {
      if (unreadBytes <= maxUnreadBytes || oldest === reply.raw) break
      abort(oldest, 'memory')
    }
  }
}

const isEventStream = (reply: FastifyReply) =>
  String(reply.getHeader('content-type')).startsWith('text/event-stream')

const sizeOf = (payload: unknown): number =>
  typeof payload === 'string' || Buffer.isBuffer(payload) ? payload.length : 0
