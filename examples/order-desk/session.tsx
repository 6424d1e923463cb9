import { type ComponentChildren, createContext } from 'preact'
import { useContext, useRef } from 'preact/hooks'
import { type Me, type Party, SslClient } from '../../clients/typescript/src/index.js'
import { clientOf } from '../../pages/parts/calls.js'
import { ErrorMessage } from '../../pages/parts/errors.js'
import { language } from '../../pages/parts/language.js'
import { useStore } from '../../pages/parts/store.js'
import type { TokenSource } from '../../pages/parts/token-source.js'
import { type Call, useCall } from '../../pages/parts/use-call.js'

/** Who uses the desk, and how it calls the interfaces. */
export interface Session {
  client: SslClient
  me: Me
  /** Whether the user delivers. Else the user orders. */
  isProvider: boolean
  /** The URL of a resource, with which others refer to it. */
  urlOf: Record<'item' | 'order' | 'line', (resource: { id: string }) => string>
  /** A party of the user or a partner of it. */
  partyOf(url: string): Party | undefined
}

/** Asks the server who the user is. */
export async function startSession(source: TokenSource): Promise<Session> {
  const client = clientOf(source)
  const { data: me } = await client.order.getMe({ expand: ['parties'] })
  const parties = (me.expanded ?? {}) as Record<string, Party>
  // References have the public URL of the server, which a tunnel may hide from the browser.
  const order = (me.parties[0] ?? client.order.baseUrl).replace(/\/party\/.*/, '')
  const urls = { order, catalogue: order.replace('ssl-order', 'ssl-catalogue') }
  const references = new SslClient({ origin: location.origin, urls, token: '' })
  return {
    client,
    me,
    isProvider: me.userType === 'Provider',
    urlOf: {
      item: (item) => references.catalogue.urlOf('catalogue-item', item),
      order: (order) => references.order.urlOf('order', order),
      line: (line) => references.order.urlOf('order-line', line)
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

/** Calls the interfaces when one of the inputs or the language changes: responses have texts. */
export function useApi<T>(
  call: (session: Session, signal: AbortSignal) => Promise<T>,
  inputs: readonly unknown[]
): Call<T> {
  const session = useSession()
  const chosen = useStore(language)
  return useCall((signal) => call(session, signal), [session, chosen, ...inputs])
}

/** Shows the result of a call once it is there. What is typed in it stays when a repeat fails. */
export function Loaded<T>({ call, children }: { call: Call<T>; children(data: T): ComponentChildren }) {
  const last = useRef<T | undefined>(undefined)
  last.current = call.data ?? last.current
  if (last.current === undefined && call.error === undefined) return <p aria-busy="true">…</p>
  return (
    <>
      <ErrorMessage error={call.error} />
      {last.current !== undefined && children(last.current)}
    </>
  )
}
