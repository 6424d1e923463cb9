/*
 * The access token: handed over by the application that opened or frames this page, or pasted in.
 * It is kept only in this variable, so closing the page discards it.
 */

/** @type {string | undefined} */
let token

/** @type {Set<() => void>} */
const listeners = new Set()

/** The window that opened or frames this page, if any. */
const application = window.parent === window ? /** @type {Window | null} */ (window.opener) : window.parent

const origins = new Set([
  location.origin,
  ...(document.querySelector('meta[name=token-origins]')?.getAttribute('content') ?? '').split(' ')
])

export const currentToken = () => token
export const isEmbedded = application !== null

/** @param {() => void} listener called when a token is set or rejected. */
export const onTokenChange = (listener) => listeners.add(listener)

/** Sets a token, with or without `Bearer `. Returns false if it cannot be one.
 * @param {string} text
 */
export function setToken(text) {
  const bare = text.trim().replace(/^bearer\s+/i, '')
  // Other characters are not valid in a header.
  if (!/^[\x21-\x7e]+$/.test(bare)) return false
  token = bare
  for (const listener of listeners) listener()
  return true
}

/** Discards a token that the server rejected, and requests another.
 * @param {string | undefined} rejected
 */
export function rejectToken(rejected) {
  // A newer token may have arrived since the request was sent.
  if (token !== rejected) return
  token = undefined
  requestToken()
  for (const listener of listeners) listener()
}

/** Accepts tokens only from the application, and requests one. */
export function startToken() {
  window.addEventListener('message', ({ source, origin, data }) => {
    if (source === null || source !== application || !origins.has(origin)) return
    if (data?.type === 'ssl-token' && typeof data.token === 'string') setToken(data.token)
  })
  requestToken()
}

/** The message holds no data, so any origin may receive it. */
function requestToken() {
  application?.postMessage({ type: 'ssl-token-wanted' }, '*')
}
