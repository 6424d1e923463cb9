import type { ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { logLine } from '../logging/log-line.js'

export interface SlowReaderOptions {
  /** Milliseconds that a client may take to read a response. */
  timeoutMs: number
  /** Bytes of all responses together that clients have not read yet. */
  maxUnreadBytes: number
}

/**
 * Closes the connections of clients that read their response too slowly or not at all, which would hold its bytes in memory: after a
 * time, and, when all such responses together are too large, the ones that have waited longest.
 */
export const slowReaders = fp<SlowReaderOptions>(
  async (app: FastifyInstance, { timeoutMs, maxUnreadBytes }) => {
    /** Responses on their way, the longest ago first, with what gives their room back. */
    const unread = new Map<ServerResponse, () => void>()
    let unreadBytes = 0

    function begin(response: ServerResponse, bytes: number): void {
      const timer = setTimeout(() => cut(response, 'time'), timeoutMs).unref()
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

    function cut(response: ServerResponse, reason: 'time' | 'memory'): void {
      unread.get(response)?.()
      app.log.info(logLine('A client did not read its response', { reason }))
      response.socket?.destroy()
      response.destroy()
    }

    app.addHook('onSend', (_request, { raw: response }, payload, done) => {
      begin(response, sizeOf(payload))
      for (const longest of unread.keys()) {
        if (unreadBytes <= maxUnreadBytes || longest === response) break
        cut(longest, 'memory')
      }
      done(null, payload)
    })
  },
  { name: 'slow-readers' }
)

const sizeOf = (payload: unknown): number =>
  typeof payload === 'string' || Buffer.isBuffer(payload) ? payload.length : 0
