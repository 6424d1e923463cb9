import { NoResponseError, ProblemError } from '../../../clients/typescript/src/index.js'
import { metaContent, NoTokenError } from '../calls.js'
import { discardDrafts } from '../drafts.js'
import { createStore, type Store } from '../store.js'
import { type UserType, userTypeNames } from '../user-type-names.js'
import { applicationOf } from './application.js'
import { responseTo } from './channel.js'
import type { Issuer, IssuerClient, SignInMeta, Tokens } from './issuer.js'
import { type Person, personOf } from './person.js'
import { openWindow, windowClosed } from './window.js'

/** Milliseconds before its expiry at which a token is renewed. */
const RENEWAL_MARGIN_MS = 30_000

/** Milliseconds after a click or a submit during which a request belongs to this action. */
const CLICK_MS = 1000

export type AccessState =
  | { kind: 'wanted' | 'awaited' | 'given' | 'rejected' }
  | { kind: 'out' | 'unavailable' | 'waiting' | 'blocked' | 'expired' }
  | { kind: 'in' | 'otherUserType'; person: Person }
  | { kind: 'failed'; error: unknown }

/** Whether requests have a token. */
export const hasAccess = ({ kind }: AccessState): boolean => kind === 'in' || kind === 'given'

interface Session {
  tokens: Tokens
  /** The client of the issuer where the person signed in. */
  issuer?: IssuerClient
}

/** The user types that the page is for. The server names them; by default all. */
const userTypes = (metaContent('user-types') || Object.keys(userTypeNames).join(' ')).split(' ') as UserType[]

function createAccess() {
  const meta = window.parent === window ? metaContent('sign-in') : ''
  const options = meta === '' ? undefined : (JSON.parse(meta) as SignInMeta)
  const issuers = options?.issuers
  const application = applicationOf(metaContent('token-origins').split(' '), give)
  const withoutToken = application.isThere ? 'awaited' : 'wanted'
  const start = { kind: issuers ? (issuers.length > 0 ? 'out' : 'unavailable') : withoutToken } as const
  const state = createStore<AccessState>(start)
  const current = createStore<string | undefined>(undefined)
  let session: Session | undefined
  /** The user to whom the page shows data. */
  let user: Person | undefined
  let attempt = new AbortController()
  application.ask()
  let clickedAt = Number.NEGATIVE_INFINITY
  for (const type of ['click', 'submit'])
    window.addEventListener(
      type,
      () => {
        clickedAt = Date.now()
      },
      true
    )

  /** Accepts a token, with or without `Bearer `. Returns false if the text cannot be a token. */
  function give(text: string): boolean {
    const access = text.trim().replace(/^bearer\s+/i, '')
    // Other characters are not valid in a header.
    if (!/^[\x21-\x7e]+$/.test(access)) return false
    attempt.abort()
    session = { tokens: { access, expiresAt: Number.POSITIVE_INFINITY } }
    state.set({ kind: 'given' })
    current.set(access)
    return true
  }

  /** Resolves when the attempt has ended, or the window seems to be closed without a response. */
  async function signIn(load: () => Promise<IssuerClient>): Promise<void> {
    attempt.abort()
    attempt = new AbortController()
    const { signal } = attempt
    const popup = openWindow('', signal)
    if (!popup) return state.set({ kind: 'blocked' })
    state.set({ kind: 'waiting' })
    let isAnswered = false
    const ask = async (url: string, expected: string) => {
      const response = responseTo(expected, signal)
      popup.location.href = url
      await response
      isAnswered = true
      return response
    }
    const granted = load().then(async (issuer) => ({ issuer, tokens: await issuer.authorize(ask) }))
    granted.catch(() => popup.close())
    const done = complete(granted, signal)
    const isClosed = await Promise.race([done.then(() => false), windowClosed(popup, signal)])
    if (!isClosed || isAnswered) return done
    // The next click opens a window again.
    if (user && !signal.aborted) state.set({ kind: 'expired' })
  }

  async function complete(granted: Promise<Session>, signal: AbortSignal): Promise<void> {
    try {
      session = await granted
      const { tokens } = session
      const person = await personOf(tokens.access)
      // The shown and typed content belongs to the previous user.
      if (user && user.key !== person.key) return startAnew()
      if (!userTypes.includes(person.userType)) return state.set({ kind: 'otherUserType', person })
      user = person
      state.set({ kind: 'in', person })
      if (current.get() === undefined) current.set(tokens.access)
    } catch (error) {
      const isRefused = error instanceof ProblemError && [401, 403].includes(error.status)
      if (user && isRefused) return startAnew()
      if (!signal.aborted) state.set({ kind: 'failed', error })
    }
  }

  /**
   * Ends the session here and at the issuer, and loads the page again. Ends neither session if the
   * browser blocks the window. Call it from a click.
   */
  function signOut(): void {
    const url = session?.issuer?.signOutUrl(session.tokens)
    if (url !== undefined && !openWindow(url)) {
      state.set({ kind: 'blocked' })
      return
    }
    // The next user starts with an empty page.
    history.replaceState(null, '', location.pathname + location.search)
    startAnew()
  }

  /** Renews the token if it soon expires. */
  async function renew(): Promise<void> {
    if (!session?.issuer || state.get().kind !== 'in') return
    const { issuer, tokens } = session
    if (Date.now() < tokens.expiresAt - RENEWAL_MARGIN_MS) return
    const isExpired = Date.now() >= tokens.expiresAt
    try {
      if (tokens.refresh !== undefined) session = { issuer, tokens: await issuer.renew(tokens) }
      else if (isExpired) state.set({ kind: 'expired' })
    } catch (cause) {
      if ((cause as { code?: string }).code === 'OAUTH_RESPONSE_BODY_ERROR') state.set({ kind: 'expired' })
      else if (isExpired) throw new NoResponseError('The token issuer does not respond.', { cause })
    }
  }

  /**
   * After a click on an action that needs a token, the user signs in again and the request
   * continues. Typing also activates the page, but a poll must not open a window then.
   */
  async function ensureToken(): Promise<void> {
    const isClicked = Date.now() - clickedAt < CLICK_MS
    await renew()
    const canAsk = isClicked && navigator.userActivation.isActive
    const issuer = session?.issuer
    if (issuer && state.get().kind === 'expired' && canAsk) await signIn(async () => issuer)
  }
  let pending: Promise<void> | undefined
  const ensureTokenOnce = () => {
    pending ??= ensureToken().finally(() => {
      pending = undefined
    })
    return pending
  }

  return {
    /**
     * The token for the content of the page; undefined until there is a token. The token stays when
     * a sign-in expires, so that the shown and typed content also stays.
     */
    current: current as Store<string | undefined>,
    state: state as Store<AccessState>,
    /** The issuers at which users sign in. Undefined if users paste a token instead. */
    issuers,
    /** The URL of the page on which users choose a person; empty if there is none. */
    peoplePage: window.parent === window ? metaContent('people-page') : '',
    userTypes,
    give,
    /** Whether there is a session to end, even if it gives no access. */
    hasSession: () => session?.issuer !== undefined,
    /** Opens the window of an issuer. Call it from a click, otherwise the browser blocks it. */
    signIn: (issuer: Issuer) =>
      void signIn(async () => (await import('./issuer.js')).issuerClient(options as SignInMeta, issuer)),
    signOut,
    async token(): Promise<string> {
      await ensureTokenOnce()
      if (!session || !hasAccess(state.get())) throw new NoTokenError('There is no token.')
      return session.tokens.access
    },
    reject(token: string): void {
      // A newer token may have arrived since the request was sent.
      if (session?.tokens.access !== token) return
      if (session.issuer) {
        session.tokens.expiresAt = 0
        return
      }
      session = undefined
      state.set(issuers ? start : { kind: 'rejected' })
      current.set(undefined)
      application.ask()
    }
  }
}

/** Reloads the page without the drafts of the previous user. */
function startAnew(): void {
  discardDrafts()
  location.reload()
}

/**
 * The access to this page. An application that opened or frames the page may hand over a token.
 * Otherwise users sign in in another window if the server offers it, or paste a token.
 */
export const access = createAccess()
