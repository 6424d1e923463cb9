import { createStore, type Store } from './store.js'

/** Where a page gets its access token from. Tokens are kept in memory only. */
export interface TokenSource {
  /** The current token, for what the page shows. Undefined until there is one. */
  current: Store<string | undefined>
  /**
   * A token for a request.
   * @throws NoTokenError
   */
  token(): Promise<string>
  /** Discards a token that the server rejected, and asks for another if that is possible. */
  reject(token: string): void
}

/** There is no token. The page shows how to get one. */
export class NoTokenError extends Error {
  override readonly name = 'NoTokenError'
}

/** A token that another window hands over, or that the user pastes. */
export interface GivenToken extends TokenSource {
  /** Whether the application that opened or frames the page is expected to hand over a token. */
  isAwaited: boolean
  /** Sets a token, with or without `Bearer `. Returns false if it cannot be one. */
  set(text: string): boolean
}

/**
 * Asks the application that opened or frames this page for a token, and accepts pasted ones.
 * @param origins those of applications, besides the page's own.
 */
export function givenToken(origins: readonly string[] = []): GivenToken {
  const current = createStore<string | undefined>(undefined)
  const application = window.parent === window ? (window.opener as Window | null) : window.parent
  const allowed = new Set([location.origin, ...origins])
  // The message holds no data, so any origin may receive it.
  const ask = () => application?.postMessage({ type: 'ssl-token-wanted' }, '*')

  const set = (text: string) => {
    const bare = text.trim().replace(/^bearer\s+/i, '')
    // Other characters are not valid in a header.
    if (!/^[\x21-\x7e]+$/.test(bare)) return false
    current.set(bare)
    return true
  }
  window.addEventListener('message', ({ source, origin, data }) => {
    if (source === null || source !== application || !allowed.has(origin)) return
    if (data?.type === 'ssl-token' && typeof data.token === 'string') set(data.token)
  })
  ask()

  return {
    current,
    isAwaited: application !== null,
    set,
    async token() {
      const token = current.get()
      if (token === undefined) throw new NoTokenError('There is no token.')
      return token
    },
    reject(token) {
      // A newer token may have arrived since the request was sent.
      if (token !== current.get()) return
      current.set(undefined)
      ask()
    }
  }
}

/** The content of a `meta` element, with which the server tells its page something. */
export const metaContent = (name: string): string =>
  document.querySelector(`meta[name="${name}"]`)?.getAttribute('content') ?? ''
