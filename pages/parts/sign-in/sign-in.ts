import { ResponseBodyError } from 'oauth4webapi'
import { NoResponseError, ProblemError } from '../../../clients/typescript/src/index.js'
import { createStore, type Store } from '../store.js'
import { NoTokenError, type TokenSource } from '../token-source.js'
import type { UserType } from '../user-type-names.js'
import { type Grant, type IssuerClient, issuerClient, type SignInMeta, type Tokens } from './issuer.js'
import { type Person, personOf } from './person.js'
import { closeOf, openWindow } from './window.js'

/** Milliseconds before a token expires from which it is renewed. */
const RENEWAL_MARGIN_MS = 30_000

export type SignInState =
  | { kind: 'out' | 'waiting' | 'blocked' | 'expired' }
  | { kind: 'in' | 'other-user-type'; person: Person }
  | { kind: 'failed'; error: unknown }

type Server = SignInMeta['issuers'][number]

/**
 * Tokens of a person who signs in at an issuer. `current` stays when a token expires: what the
 * person sees and types stays, too.
 */
export interface SignIn extends TokenSource {
  state: Store<SignInState>
  issuers: readonly Server[]
  /** The user types that the page is for. */
  userTypes: readonly UserType[]
  /** Whether there is a session to end, even if it gives no access. */
  hasSession(): boolean
  /** Opens the window of an issuer. Call it from a click, else the browser refuses. */
  start(server: Server): void
  /**
   * Ends the session here and at the issuer, and loads the page again. Ends neither where the
   * browser blocks the window. Call it from a click.
   */
  end(): void
}

/** Signs people in in a window of its own, so that the page stays. */
export function signIn(options: SignInMeta, userTypes: readonly UserType[]): SignIn {
  const current = createStore<string | undefined>(undefined)
  const state = createStore<SignInState>({ kind: 'out' })
  let session: { server: Server; issuer: IssuerClient; tokens: Tokens } | undefined
  /** The person to whom the page shows data. */
  let user: Person | undefined
  let attempt = new AbortController()

  /** Resolves when the attempt is over, or the window seems to be closed without a response. */
  async function start(server: Server): Promise<void> {
    attempt.abort()
    attempt = new AbortController()
    const { signal } = attempt
    const popup = openWindow('', signal)
    if (!popup) return state.set({ kind: 'blocked' })
    state.set({ kind: 'waiting' })
    const issuer = issuerClient(options, server)
    const grant = issuer.authorize(popup, signal)
    const done = complete(server, issuer, grant, signal)
    const hasResponse = grant.then(
      () => true,
      () => true
    )
    if (await Promise.race([hasResponse, closeOf(popup, signal)])) await done
    // The next click opens a window again.
    else if (user && !signal.aborted) state.set({ kind: 'expired' })
  }

  async function complete(
    server: Server,
    issuer: IssuerClient,
    grant: Promise<Grant>,
    signal: AbortSignal
  ): Promise<void> {
    try {
      session = { server, issuer, tokens: await issuer.redeem(await grant) }
      const person = await personOf(session.tokens.access)
      // What is shown and typed belongs to the person before.
      if (user && user.key !== person.key) return location.reload()
      if (!userTypes.includes(person.userType)) return state.set({ kind: 'other-user-type', person })
      user = person
      state.set({ kind: 'in', person })
      if (current.get() === undefined) current.set(session.tokens.access)
    } catch (error) {
      const isRefused = error instanceof ProblemError && [401, 403].includes(error.status)
      if (user && isRefused) return location.reload()
      if (!signal.aborted) state.set({ kind: 'failed', error })
    }
  }

  function end(): void {
    const url = session?.issuer.signOutUrl(session.tokens)
    if (url !== undefined && !openWindow(url)) {
      state.set({ kind: 'blocked' })
      return
    }
    // The next person starts with an empty page.
    history.replaceState(null, '', location.pathname + location.search)
    location.reload()
  }

  /** Renews the token if it soon expires. */
  async function renew(): Promise<void> {
    if (!session || state.get().kind !== 'in') return
    const { issuer, tokens } = session
    if (Date.now() < tokens.expiresAt - RENEWAL_MARGIN_MS) return
    const isExpired = Date.now() >= tokens.expiresAt
    try {
      if (tokens.refresh !== undefined) session = { ...session, tokens: await issuer.renew(tokens) }
      else if (isExpired) state.set({ kind: 'expired' })
    } catch (cause) {
      if (cause instanceof ResponseBodyError) state.set({ kind: 'expired' })
      else if (isExpired) throw new NoResponseError('The token issuer does not respond.', { cause })
    }
  }

  /** After a click on what needs a token, the person signs in again and the request goes on. */
  async function ensureToken(): Promise<void> {
    await renew()
    if (session && state.get().kind === 'expired' && navigator.userActivation.isActive)
      await start(session.server)
  }
  let pending: Promise<void> | undefined
  const ensureTokenOnce = () => {
    pending ??= ensureToken().finally(() => {
      pending = undefined
    })
    return pending
  }

  return {
    current,
    state,
    issuers: options.issuers,
    userTypes,
    hasSession: () => session !== undefined,
    start: (server) => void start(server),
    end,
    async token() {
      await ensureTokenOnce()
      if (!session || state.get().kind !== 'in') throw new NoTokenError('Nobody is signed in.')
      return session.tokens.access
    },
    reject(token) {
      if (session?.tokens.access === token) session.tokens.expiresAt = 0
    }
  }
}
