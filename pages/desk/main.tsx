import type { FunctionComponent } from 'preact'
import { access } from '../parts/access/access.js'
import { AccessSection } from '../parts/access/access-section.js'
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
import { FiguresView } from './figures/figures.js'
import { DeskLink, route, type ViewProps } from './links.js'
import { loadCounts, orderCounts } from './order-lists.js'
import { usePolling } from './refresh.js'
import { type Session, SessionProvider, startSession, tokenUser, useSession } from './session.js'
import { ViewHead } from './view-head.js'
import { DeliveryNoteView } from './views/delivery-note.js'
import { DevicesView } from './views/devices.js'
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
  const start = isGiven ? startSession : undefined
  // The server also has texts.
  const { data, isStale, error } = useCall(start, [useStore(tokenUser)], [isGiven, useStore(language)])
  // The shown and typed content stays while an expired token is renewed, but not for another user.
  const session = isStale ? undefined : data
  const isQuiet = session !== undefined && isGiven
  if (!session) document.title = deskText('title')
  const userType = session && userTypeNames[session.me.userType][language.get()]
  const views = session ? viewsOf(session) : []
  const [, Wanted = UnknownView] = views.find(([segment]) => segment === name) ?? []
  const View = viewsById.includes(Wanted) && !isId(id) ? UnknownView : Wanted
  return (
    <>
      <PageHeader
        views={session && <Navigation views={views} current={name} />}
        person={session && [session.name || (userType ?? ''), session.organization]}
      >
        <a class="brand" href="#/">
          {deskText('title')}
        </a>
      </PageHeader>
      <main tabindex={-1}>
        {!session && (
          <div class="stack">
            <h1 tabindex={-1}>{deskText('title')}</h1>
            <p>{deskText('introduction')}</p>
          </div>
        )}
        <ErrorMessage error={isGiven ? error : undefined} />
        {session && (
          <SessionProvider key={session.person} value={session}>
            {!session.isClerk && <OrderCounts session={session} view={name} />}
            <View key={id} id={id} query={query} />
          </SessionProvider>
        )}
      </main>
      <footer class={isQuiet ? 'access quiet' : 'access'}>
        <AccessSection isQuiet={isQuiet} />
      </footer>
      <Toasts />
    </>
  )
}

/** Counts the orders that wait for the user. Shows an error unless the view shows one. */
function OrderCounts({ session, view }: { session: Session; view: string }) {
  const call = useCall((signal) => loadCounts(session, signal), [session, view])
  usePolling(session, 'orders', call)
  return (
    <div class="spare">
      <ErrorMessage error={call.error} />
    </div>
  )
}

function Navigation({ views, current }: { views: readonly DeskView[]; current: string }) {
  const { questions = '0' } = useStore(orderCounts)
  return (
    <nav aria-label={deskText('views')}>
      {views.map(
        ([segment, , key]) =>
          key && (
            <DeskLink
              key={key}
              to={segment ? [segment] : []}
              aria-current={segment === current ? 'page' : undefined}
            >
              {deskText(key)}{' '}
              {key === 'orders' && questions !== '0' && <span class="count">{questions}</span>}
            </DeskLink>
          )
      )}
    </nav>
  )
}

/** Says that a route has no view, and links to the first view of the user. */
function UnknownView() {
  const [[, , key]] = viewsOf(useSession())
  return (
    <>
      <ViewHead title={deskText('unknownView')} />
      <DeskLink to={[]} class="button quiet">
        {key && deskText(key)}
      </DeskLink>
    </>
  )
}

const CataloguesView = () => (
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

/** The views of one resource. */
const viewsById: readonly FunctionComponent<ViewProps>[] = [
  ContractView,
  PartyView,
  OrderView,
  DeliveryNoteView
]

/** Whether a segment can be an id. URLs remove dots. */
const isId = (segment: string) => !/^\.{0,2}$/.test(segment)

type DeskView = readonly [segment: string, FunctionComponent<ViewProps>, link?: DeskTextKey | false]

/** The views of a user by the first segment of the fragment, in the sequence of their links. */
function viewsOf({ isClerk, isProvider, may }: Session): readonly [DeskView, ...DeskView[]] {
  const catalogues: DeskView = ['catalogues', CataloguesView, 'catalogues']
  const figures: DeskView = ['figures', FiguresView, may('OrderStatistics', 'read') && 'figures']
  if (isClerk)
    return [
      ['', OrderableView, 'orderable'],
      ['contracts', ContractsView, 'contracts'],
      ['parties', PartiesView, 'parties'],
      catalogues,
      figures,
      ['contract', ContractView],
      ['party', PartyView]
    ]
  return [
    ['', OrdersView, 'orders'],
    ['round', RoundView, isProvider && 'round'],
    ['patients', PatientsView, !isProvider && 'patients'],
    ['devices', DevicesView, 'devices'],
    ...(isProvider ? [catalogues] : []),
    figures,
    ['patient', PatientView],
    ['new', NewOrderView],
    ['order', OrderView],
    ['delivery-note', DeliveryNoteView]
  ]
}

renderPage(Desk)
