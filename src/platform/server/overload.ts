import type { ServerResponse } from 'node:http'
import underPressure from '@fastify/under-pressure'
import type { FastifyInstance, FastifyReply, onSendHookHandler } from 'fastify'
import { problem } from '../errors/problem.js'
import { logLine } from '../logging/log-line.js'

/** Milliseconds after the start in which lag is ignored, because the start itself causes it. */
const WARM_UP_MS = 2000

/**
 * Rejects requests with 503 while the event loop lags by more than `eventLoopDelay`; 0 disables it.
 * The library adds the hook.
 */
export async function shedLoad(
  app: FastifyInstance,
  { limits: { eventLoopDelay } }: { limits: { eventLoopDelay: number } }
): Promise<void> {
  if (eventLoopDelay === 0) return
  let readyAt = Number.POSITIVE_INFINITY
  app.addHook('onReady', async () => {
    readyAt = Date.now()
  })
  await app.register(underPressure, {
    maxEventLoopDelay: eventLoopDelay,
    pressureHandler: (request) => {
      if (request.routeOptions.config.access === 'uncounted' || Date.now() < readyAt + WARM_UP_MS) return
      throw problem('busy')
    }
  })
}

/**
 * Closes connections of clients that do not read their response: after `responseTimeout` ms, and
 * the oldest first while all responses have more than `unread` unread bytes.
 */
export function limitUnread(
  { log }: FastifyInstance,
  {
    limits: { responseTimeout, unread: maxUnreadBytes }
  }: { limits: { responseTimeout: number; unread: number } }
): onSendHookHandler {
  /** Unread responses, the oldest first, with functions that subtract their bytes. */
  const unread = new Map<ServerResponse, () => void>()
  let unreadBytes = 0

  function track(response: ServerResponse, bytes: number): void {
    const timer = setTimeout(() => abort(response, 'time'), responseTimeout).unref()
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

  return (_request, reply, payload, done) => {
    // A stream of events never ends, and limits its unread bytes itself.
    if (!isEventStream(reply)) {
      track(reply.raw, sizeOf(payload))
      for (const oldest of unread.keys()) {
        if (unreadBytes <= maxUnreadBytes || oldest === reply.raw) break
        abort(oldest, 'memory')
      }
    }
    done(null, payload)
  }
}

const isEventStream = (reply: FastifyReply) =>
  String(reply.getHeader('content-type')).startsWith('text/event-stream')

const sizeOf = (payload: unknown): number =>
  typeof payload === 'string' || Buffer.isBuffer(payload) ? payload.length : 0
