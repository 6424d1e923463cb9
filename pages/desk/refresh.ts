import { useEffect, useRef } from 'preact/hooks'
import type { CallState } from '../parts/use-call.js'
import type { Session } from './session.js'

const POLL_MS = 15_000

/**
 * The tabs of the desk in this browser. A message names the topic that a tab polls, or that has
 * changed.
 */
const channel = new BroadcastChannel('ssl-desk')
const polledAt = new Map<string, number>()
channel.addEventListener('message', ({ data: { polled } }) => polled && polledAt.set(polled, Date.now()))

/** The calls of this tab that are repeated when their topic has changed. */
const listeners = new Set<(topic: string) => void>()

/** Notifies the views of this tab and the other tabs of a changed order. */
export function tellChange(orderId: string): void {
  for (const changed of ['orders', orderId]) {
    channel.postMessage({ changed })
    for (const listener of listeners) listener(changed)
  }
}

/**
 * Repeats a call while its tab is visible, unless another tab of this browser has just polled the
 * same topic, and when this or another tab reports a change of the topic.
 * @param inputs values that distinguish the calls of this topic.
 */
export function usePolling(
  { person }: Session,
  topic: string,
  { data, succeededAt, reload }: CallState<unknown>,
  ...inputs: readonly unknown[]
): void {
  const key = [topic, person, ...inputs].join(' ')
  const latest = useRef(reload)
  latest.current = reload
  const hasPolled = useRef(false)
  const seen = useRef(data)
  useEffect(() => {
    // After a failure the other tabs continue to poll.
    if (hasPolled.current) channel.postMessage({ polled: key })
    if (hasPolled.current && data !== seen.current) channel.postMessage({ changed: topic })
    hasPolled.current = false
    seen.current = data
  }, [succeededAt])
  useEffect(() => {
    const stop = new AbortController()
    const { signal } = stop
    function poll() {
      if (document.hidden || Date.now() - (polledAt.get(key) ?? 0) < POLL_MS) return
      hasPolled.current = true
      latest.current()
    }
    const timer = setInterval(poll, POLL_MS)
    document.addEventListener('visibilitychange', poll, { signal })
    const onChange = (changed: string) => changed === topic && latest.current()
    const onMessage = ({ data }: MessageEvent) => onChange(data.changed)
    listeners.add(onChange)
    channel.addEventListener('message', onMessage, { signal })
    return () => {
      clearInterval(timer)
      listeners.delete(onChange)
      stop.abort()
    }
  }, [key])
}
