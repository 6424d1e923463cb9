import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import { type Party, SslClient } from '../../clients/typescript/src/index.js'
import { access } from '../parts/access/access.js'
import { claimsOf, namedUser, organizationIn, personKey } from '../parts/access/person.js'
import { clientOf, type TokenSource } from '../parts/calls.js'
import { keepDraftsOf } from '../parts/drafts.js'
import { createStore } from '../parts/store.js'
import { type CallState, useCall } from '../parts/use-call.js'
import { leavePatient } from './links.js'

const codeSets = ['order-line-action', 'order-status-reason', 'device-end-reason'] as const

/** The user whom the last token names. */
export const tokenUser = createStore<string | undefined>(undefined)

access.current.onChange(() => {
  const user = namedUser(access.current.get() ?? '')
  const former = tokenUser.get()
  if (user === undefined || user === former) return
  // All shown and typed content belongs to the former user, before the server names the next user.
  keepDraftsOf(undefined)
  tokenUser.set(user)
  if (former !== undefined) leavePatient()
})

/** Asks the server who the user is, and for the texts of codes. */
export async function startSession() {
  const user = tokenUser.get()
  /**
   * Toasts, downloads, opened views and further requests follow a call. A call that never settles
   * has none of these effects on the page of the next user.
   */
  const guard = <T>(work: Promise<T>) =>
    new Promise<T>((resolve, reject) => {
      const isSameUser = () => tokenUser.get() === user
      work.then(
        (result) => isSameUser() && resolve(result),
        (error: unknown) => isSameUser() && reject(error)
      )
    })
  const source: TokenSource = { token: () => guard(access.token()), reject: access.reject, guard }
  const client = clientOf(source)
  const [{ data: me }, ...codes] = await Promise.all([
    client.order.getMe({ expand: ['parties'] }),
    ...codeSets.map(async (name) => {
      const { data } = await client.catalogue.getValueSet(name)
      return [name, new Map(data.codes.map(({ code, display }) => [code, display ?? code]))] as const
    })
  ])
  const claims = claimsOf(await source.token())
  const { name = '' } = claims
  const person = personKey(claims, me)
  keepDraftsOf(person)
  const parties = (me.expanded ?? {}) as Record<string, Party>
  const organization = organizationIn(me)
  // References have the public URL of the server, which a tunnel may hide from the browser.
  const [party = client.order.baseUrl] = Object.keys(parties)
  const order = party.replace(/\/party\/.*/, '')
  const urls = { order, catalogue: order.replace('ssl-order', 'ssl-catalogue') }
  const references = new SslClient({ origin: location.origin, urls, token: '' })
  const isProvider = me.userType === 'Provider'
  return {
    client,
    /** The tokens of requests for which the client has no function. */
    source,
    me,
    /** Identifies the user. */
    person,
    /** Whether the token has a permission. */
    may: (resource: string, verb: 'read' | 'create' | 'delete') =>
      [verb, '*', ...(verb === 'read' ? [] : ['write'])].some((each) =>
        me.permissions.includes(`${resource}.${each}`)
      ),
    /** The names of the user and of the user’s party. */
    name,
    organization,
    /** Whether an organization in a note or trace is the organization of the user. */
    isOwn: (other: string) => other === organization || other === me.organization,
    /** The texts of codes in the language of the page, by their value set. */
    codes: Object.fromEntries(codes) as unknown as Readonly<
      Record<(typeof codeSets)[number], ReadonlyMap<string, string>>
    >,
    /** Whether the user is a provider, or a clerk. */
    isProvider,
    isClerk: me.userType === 'AdministrativeClerk',
    /** The user's side of orders, the other side, and the member that names its party. */
    ...(isProvider
      ? ({ side: 'SELLER', otherSide: 'BUYER', partner: 'buyer' } as const)
      : ({ side: 'BUYER', otherSide: 'SELLER', partner: 'seller' } as const)),
    /** The URL of a resource, with which other resources refer to it. */
    urlOf: {
      item: (item: { id: string }) => references.catalogue.urlOf('catalogue-item', item),
      order: (order: { id: string }) => references.order.urlOf('order', order),
      line: (line: { id: string }) => references.order.urlOf('order-line', line),
      party: (party: { id: string }) => references.order.urlOf('party', party)
    },
    /** A party of the user or a partner of it. */
    partyOf: (url: string): Party | undefined => parties[url]
  }
}

/** The user of the desk, and the client that calls the APIs. */
export type Session = Awaited<ReturnType<typeof startSession>>

const SessionContext = createContext<Session | undefined>(undefined)

export const SessionProvider = SessionContext.Provider

export function useSession(): Session {
  const session = useContext(SessionContext)
  if (!session) throw new Error('This component must be within a SessionProvider.')
  return session
}

/**
 * Calls the APIs, and repeats the call when one of the inputs or the session changes.
 * @param repeats values that also repeat the call but keep the result usable, such as its size.
 */
export function useApi<T>(
  call: (session: Session, signal: AbortSignal, last: T | undefined) => Promise<T>,
  inputs: readonly unknown[],
  repeats: readonly unknown[] = []
): CallState<T> {
  const session = useSession()
  return useCall<T>((signal, last) => call(session, signal, last), inputs, [session, ...repeats])
}
