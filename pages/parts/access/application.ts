/**
 * The application that opened or frames this page, and may hand over a token.
 * @param origins those of applications, besides the page's own.
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
    /** Asks for a token. The message holds no data, so any origin may receive it. */
    ask: () => application?.postMessage({ type: 'ssl-token-wanted' }, '*')
  }
}
