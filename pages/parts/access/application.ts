/**
 * The application that opened or frames this page, and may hand over a token.
 * @param origins the origins of applications, in addition to the origin of the page.
 */
export function applicationOf(origins: readonly string[], onToken: (token: string) => void) {
  const application = window.parent === window ? (window.opener as Window | null) : window.parent
  const allowed = new Set([location.origin, ...origins])
  window.addEventListener('message', ({ source, origin, data }) => {
    if (source === null || source !== application || !allowed.has(origin)) return
    if (data?.type === 'ssl-token' && typeof data.token === 'string') onToken(data.token)
  })
  return {
    isThere: application !== null,
    /** Requests a token. The message contains no data, so any origin may receive it. */
    ask: () => application?.postMessage({ type: 'ssl-token-wanted' }, '*')
  }
}
