import type { VNode } from 'preact'
import { AccessSection } from '../parts/access/access-section.js'
import { access } from '../parts/access/page-access.js'
import { ErrorMessage } from '../parts/errors.js'
import { language } from '../parts/language.js'
import { PageHeader, renderPage } from '../parts/page.js'
import { useStore } from '../parts/store.js'
import { Toasts } from '../parts/toasts.js'
import { useCall } from '../parts/use-call.js'
import { userTypeNames } from '../parts/user-type-names.js'
import { UploadView } from '../upload/upload-view.js'
import { ContractView } from './clerk/contract.js'
import { ContractsView } from './clerk/contracts.js'
import { OrderableView } from './clerk/orderable.js'
import { PartiesView, PartyView } from './clerk/parties.js'
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
            {!session.isClerk && <OrderCounts session={session} />}
            {viewsOf(session).get(name)?.(id, query) ?? <ViewHead title={deskText('unknownView')} />}
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

/** Counts the orders that wait for the user, and shows why this fails. */
function OrderCounts({ session }: { session: Session }) {
  const [first] = useStore(route).path
  const call = useCall((signal) => loadCounts(session, signal), [session, first])
  usePolling(session, 'orders', call)
  return <ErrorMessage error={call.error} />
}

type ViewLink = readonly [DeskTextKey, ...path: string[]]

/** The links of the desk, by the role and the permissions of the user. */
function Navigation({ session }: { session: Session }) {
  const [first] = useStore(route).path
  const { questions = '0' } = useStore(counts)
  const { isClerk, isProvider, may } = session
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

type Render = (id: string, query: URLSearchParams) => VNode

const cataloguesView: Render = () => (
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

const figuresView: Render = (_, query) => <FiguresView query={query} />

/** The views of those who order, by the first segment of the fragment of the URL. */
const orderViews = new Map<string, Render>([
  ['', (_, query) => <OrdersView query={query} />],
  ['patients', (_, query) => <PatientsView query={query} />],
  ['patient', (id) => <PatientView key={id} patient={id} />],
  ['new', (id, query) => <NewOrderView key={id} patient={id} query={query} />],
  ['order', (id, query) => <OrderView key={id} id={id} query={query} />],
  ['delivery-note', (id) => <DeliveryNoteView key={id} id={id} />],
  ['round', (_, query) => <RoundView query={query} />],
  ['devices', (_, query) => <DevicesView query={query} />],
  ['figures', figuresView]
])
const providerViews = new Map([...orderViews, ['catalogues', cataloguesView]])
const clerkViews = new Map<string, Render>([
  ['', (_, query) => <OrderableView query={query} />],
  ['contracts', (_, query) => <ContractsView query={query} />],
  ['contract', (id) => <ContractView key={id} id={id} />],
  ['parties', (_, query) => <PartiesView query={query} />],
  ['party', (id) => <PartyView key={id} id={id} />],
  ['catalogues', cataloguesView],
  ['figures', figuresView]
])
const viewsOf = ({ isClerk, isProvider }: Session) =>
  isClerk ? clerkViews : isProvider ? providerViews : orderViews

renderPage(Desk)
