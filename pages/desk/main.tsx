import type { FunctionComponent, VNode } from 'preact'
import { AccessSection } from '../parts/access/access-section.js'
import { access } from '../parts/access/page-access.js'
import { ErrorMessage } from '../parts/errors.js'
import { language } from '../parts/language.js'
import { Loaded } from '../parts/loaded.js'
import { PageHeader, renderPage } from '../parts/page.js'
import { useStore } from '../parts/store.js'
import { Toasts } from '../parts/toasts.js'
import { useCall } from '../parts/use-call.js'
import { userTypeNames } from '../parts/user-type-names.js'
import { type DeskTextKey, deskText } from './desk-texts.js'
import { DeskLink, route } from './links.js'
import { counts, loadCounts } from './order-lists.js'
import { usePolling } from './refresh.js'
import { type Session, SessionProvider, startSession } from './session.js'
import { ViewHead } from './view-head.js'
import { DeliveryNoteView } from './views/delivery-note.js'
import { DevicesView } from './views/devices.js'
import { FiguresView } from './views/figures.js'
import { NewOrderView } from './views/new-order.js'
import { OrderView } from './views/order.js'
import { OrdersView } from './views/orders.js'
import { PatientView } from './views/patient.js'
import { PatientsView } from './views/patients.js'
import { RoundView } from './views/round.js'

function Desk() {
  const { path, query } = useStore(route)
  const [name = '', id = ''] = path
  const isGiven = useStore(access.current) !== undefined
  // What is shown and typed stays while an access that expired is renewed.
  const start = isGiven ? () => startSession(access) : undefined
  // The server has texts, too.
  const { data: session, error } = useCall(start, [isGiven, useStore(language)])
  if (!session) document.title = deskText('title')
  const userType = session && userTypeNames[session.me.userType][language.get()]
  return (
    <>
      <PageHeader
        access={access}
        views={session && <Navigation session={session} />}
        person={session && [session.name || (userType ?? ''), session.organization]}
      >
        <a class="brand" href="#/">
          {deskText('title')}
        </a>
      </PageHeader>
      <main tabindex={-1}>
        {!session && (
          <div class="stack">
            <h1>{deskText('title')}</h1>
            <p>{deskText('introduction')}</p>
          </div>
        )}
        <ErrorMessage error={error} />
        {session && (
          <SessionProvider key={session.person} value={session}>
            {(session.isClerk ? clerkViews : orderViews).get(name)?.(id, query) ?? (
              <ViewHead title={deskText('unknownView')} />
            )}
          </SessionProvider>
        )}
      </main>
      <footer class={session && isGiven ? 'access quiet' : 'access'}>
        <AccessSection access={access} />
      </footer>
      <Toasts />
    </>
  )
}

type ViewLink = readonly [DeskTextKey, ...path: string[]]

/** The links of the desk, by the role and the permissions of the user. */
function Navigation({ session }: { session: Session }) {
  const [first] = useStore(route).path
  const { questions = '0' } = useStore(counts)
  const { isClerk, isProvider, may } = session
  usePolling(
    session,
    'orders',
    useCall(isClerk ? undefined : (signal) => loadCounts(session, signal), [session, first])
  )
  const figures: readonly ViewLink[] = may('OrderStatistics', 'read') ? [['figures', 'figures']] : []
  const links: readonly ViewLink[] = isClerk
    ? [
        ['orderable'],
        ['contracts', 'contracts'],
        ['parties', 'parties'],
        ['catalogues', 'catalogues'],
        ...figures
      ]
    : [
        ['orders'],
        isProvider ? ['round', 'round'] : ['patients', 'patients'],
        ['devices', 'devices'],
        ...(isProvider ? [['catalogues', 'catalogues'] as const] : []),
        ...figures
      ]
  return (
    <nav aria-label={deskText('views')}>
      {links.map(([key, ...to]) => (
        <DeskLink key={key} to={to} aria-current={to[0] === first ? 'page' : undefined}>
          {deskText(key)} {key === 'orders' && questions !== '0' && <span class="count">{questions}</span>}
        </DeskLink>
      ))}
    </nav>
  )
}

/** A view whose script is loaded when it is opened. */
const later =
  <P extends object>(load: () => Promise<FunctionComponent<P>>) =>
  (props: P) => <Loaded call={useCall(load, [])}>{(View) => <View {...props} />}</Loaded>

const ClerkView = later(async () => (await import('./clerk/clerk-view.js')).ClerkView)
const UploadView = later(async () => (await import('../upload/upload-view.js')).UploadView)

const cataloguesView = () => (
  <>
    <ViewHead title={deskText('catalogues')} />
    <UploadView
      instead={
        <DeskLink to={[]} class="button quiet">
          {deskText('orderable')}
        </DeskLink>
      }
    />
  </>
)

type Render = (id: string, query: URLSearchParams) => VNode

/** The views of those who order and deliver, by the first segment of the fragment of the URL. */
const figuresView: Render = (_, query) => <FiguresView query={query} />

const orderViews = new Map<string, Render>([
  ['', (_, query) => <OrdersView query={query} />],
  ['patients', (_, query) => <PatientsView query={query} />],
  ['patient', (id) => <PatientView key={id} patient={id} />],
  ['new', (id, query) => <NewOrderView key={id} patient={id} query={query} />],
  ['order', (id, query) => <OrderView key={id} id={id} query={query} />],
  ['delivery-note', (id) => <DeliveryNoteView key={id} id={id} />],
  ['round', (_, query) => <RoundView query={query} />],
  ['devices', (_, query) => <DevicesView query={query} />],
  ['catalogues', cataloguesView],
  ['figures', figuresView]
])

const clerkView =
  (name: string): Render =>
  (id, query) => <ClerkView {...{ name, id, query }} />
const clerkViews = new Map<string, Render>([
  ...['', 'contracts', 'contract', 'parties', 'party'].map((name) => [name, clerkView(name)] as const),
  ['catalogues', cataloguesView],
  ['figures', figuresView]
])

renderPage(Desk)
