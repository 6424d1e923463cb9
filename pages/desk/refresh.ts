import { useEffect, useRef } from 'preact/hooks'

/** Milliseconds between two polls. */
const POLL_MS = 15_000

/** The tabs of the desk in this browser. A message says what one of them polled or changed. */
const channel = new BroadcastChannel('ssl-desk')
const polledAt = new Map<string, number>()
channel.addEventListener('message', ({ data: { key } }) => polledAt.set(key, Date.now()))

/** Tells the other tabs that something has changed. */
export const tellChange = (key: string): void => channel.postMessage({ key, isChanged: true })

/**
 * Reloads something again and again while its tab is visible, unless another tab of this browser
 * has just polled it, and when another tab says that it has changed.
 */
export function usePolling(key: string, reload: () => void, periodMs = POLL_MS): void {
  const latest = useRef(reload)
  latest.current = reload
  useEffect(() => {
    const stop = new AbortController()
    const { signal } = stop
    function poll() {
      if (document.hidden || Date.now() - (polledAt.get(key) ?? 0) < periodMs) return
      channel.postMessage({ key })
      latest.current()
    }
    const timer = setInterval(poll, periodMs)
    document.addEventListener('visibilitychange', poll, { signal })
    const onMessage = ({ data }: MessageEvent) => data.key === key && data.isChanged && latest.current()
    channel.addEventListener('message', onMessage, { signal })
    return () => {
      clearInterval(timer)
      stop.abort()
    }
  }, [key, periodMs])
}
