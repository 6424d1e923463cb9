import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import { type Me, type Party, SslClient } from '../../clients/typescript/src/index.js'
import { claimsOf, organizationIn, personKey } from '../parts/access/person.js'
import { clientOf, type TokenSource } from '../parts/calls.js'
import { keepDraftsOf } from '../parts/drafts.js'
import { type CallState, useCall } from '../parts/use-call.js'

const codeSets = ['order-line-action', 'order-status-reason', 'device-end-reason'] as const

/** The user of the desk, and the client that calls the interfaces. */
export interface Session {
  client: SslClient
  /** The tokens of requests for which the client has no function. */
  source: TokenSource
  me: Me
  /** Tells the user apart from others. */
  person: string
  may(resource: string, verb: 'read' | 'create' | 'delete'): boolean
  /** The names of the user and of the user’s party. */
  name: string
  organization: string
  /** Whether an organization, as notes and traces name it, is that of the user. */
  isOwn(organization: string): boolean
  /** The texts of codes in the language of the page, by their value set. */
  codes: Readonly<Record<(typeof codeSets)[number], ReadonlyMap<string, string>>>
  isProvider: boolean
  /** The side of orders on which the user is, and the other one. */
  side: 'BUYER' | 'SELLER'
  otherSide: 'BUYER' | 'SELLER'
  /** The member of an order that names the party of the other side. */
  partner: 'buyer' | 'seller'
  /** Whether the user administers parties, contracts and catalogues. */
  isClerk: boolean
  /** The URL of a resource, with which others refer to it. */
  urlOf: Record<'item' | 'order' | 'line' | 'party', (resource: { id: string }) => string>
  /** A party of the user or a partner of it. */
  partyOf(url: string): Party | undefined
}

/** Asks the server who the user is, and for the texts of codes. */
export async function startSession(source: TokenSource): Promise<Session> {
  const client = clientOf(source)
  const [{ data: me }, ...sets] = await Promise.all([
    client.order.getMe({ expand: ['parties'] }),
    ...codeSets.map((name) => client.catalogue.getValueSet(name))
  ])
  const codes = sets.map(
    ({ data }) => new Map(data.codes.map(({ code, display }) => [code, display ?? code]))
  )
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
    source,
    me,
    person,
    may: (resource, verb) =>
      [verb, '*', ...(verb === 'read' ? [] : ['write'])].some((each) =>
        me.permissions.includes(`${resource}.${each}`)
      ),
    name,
    organization,
    isOwn: (other) => other === organization || other === me.organization,
    codes: Object.fromEntries(codeSets.map((name, at) => [name, codes[at]])) as unknown as Session['codes'],
    isProvider,
    ...(isProvider
      ? { side: 'SELLER', otherSide: 'BUYER', partner: 'buyer' }
      : { side: 'BUYER', otherSide: 'SELLER', partner: 'seller' }),
    isClerk: me.userType === 'AdministrativeClerk',
    urlOf: {
      item: (item) => references.catalogue.urlOf('catalogue-item', item),
      order: (order) => references.order.urlOf('order', order),
      line: (line) => references.order.urlOf('order-line', line),
      party: (party) => references.order.urlOf('party', party)
    },
    partyOf: (url) => parties[url]
  }
}

const SessionContext = createContext<Session | undefined>(undefined)

export const SessionProvider = SessionContext.Provider

export function useSession(): Session {
  const session = useContext(SessionContext)
  if (!session) throw new Error('This component must be within a SessionProvider.')
  return session
}

/**
 * Calls the interfaces, and again when one of the inputs or the session changes.
 * @param repeats what repeats the call as well, and leaves the result fitting, such as its size.
 */
export function useApi<T>(
  call: (session: Session, signal: AbortSignal, last: T | undefined) => Promise<T>,
  inputs: readonly unknown[],
  repeats: readonly unknown[] = []
): CallState<T> {
  const session = useSession()
  return useCall<T>((signal, last) => call(session, signal, last), inputs, [session, ...repeats])
}
