/*
 * The caller's token: handed over by the application that opened or frames this page, or pasted in. It lives in this variable
 * and nowhere else, so it is gone with the page.
 */

/** @type {string | undefined} */
let token

/** @type {Set<() => void>} */
const listeners = new Set()

/** The application that this page belongs to, if there is one. */
const application = window.parent === window ? /** @type {Window | null} */ (window.opener) : window.parent

const origins = new Set([
  location.origin,
  ...(document.querySelector('meta[name=token-origins]')?.getAttribute('content') ?? '').split(' ')
])

export const currentToken = () => token
export const isEmbedded = application !== null

/** @param {() => void} listener called whenever a token has come or is no longer taken. */
export const onToken = (listener) => listeners.add(listener)

/** Takes a token, bare or after `Bearer `; false where it cannot be one.
 * @param {string} text
 */
export function giveToken(text) {
  const bare = text.trim().replace(/^bearer\s+/i, '')
  // Anything else could not even stand in a header.
  if (!/^[\x21-\x7e]+$/.test(bare)) return false
  token = bare
  for (const listener of listeners) listener()
  return true
}

/** Forgets a token that the server does not take, and asks for another.
 * @param {string | undefined} refused
 */
export function refuseToken(refused) {
  // A newer one may have come while the answer to the old one was under way.
  if (token !== refused) return
  token = undefined
  askForToken()
  for (const listener of listeners) listener()
}

/** Waits until there is a token. */
export async function anyToken() {
  while (token === undefined)
    await new Promise((resolve) => {
      const once = () => {
        listeners.delete(once)
        resolve(undefined)
      }
      listeners.add(once)
    })
}

/** Listens to the application, and to no one else, and tells it that a token is wanted. */
export function startToken() {
  window.addEventListener('message', ({ source, origin, data }) => {
    if (source === null || source !== application || !origins.has(origin)) return
    if (data?.type === 'ssl-token' && typeof data.token === 'string') giveToken(data.token)
  })
  askForToken()
}

/** It says nothing but that, so whoever listens may hear it. */
function askForToken() {
  application?.postMessage({ type: 'ssl-token-wanted' }, '*')
}
