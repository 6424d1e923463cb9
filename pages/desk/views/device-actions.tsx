import { useState } from 'preact/hooks'
import { idOf, type Order, type OrderLine } from '../../../clients/typescript/src/index.js'
import { ActionButton, textOf } from '../../parts/actions.js'
import { Dialog } from '../../parts/dialog.js'
import { errorText, throwNamed } from '../../parts/errors.js'
import { readList } from '../../parts/list.js'
import { Loaded } from '../../parts/loaded.js'
import { showToast } from '../../parts/toasts.js'
import { CodeField } from '../code-fields.js'
import { deskText } from '../desk-texts.js'
import { usualAction } from '../item-search.js'
import { DeskLink } from '../links.js'
import { OrderLink } from '../order-link.js'
import { tellChange } from '../refresh.js'
import { deviceName, joined, lineTitle, numbersText } from '../resource-texts.js'
import { type Session, useApi, useSession } from '../session.js'
import { throwUnlessConflict } from './order-part.js'

/** The orders for a device that a patient has, in the sequence in which they are offered. */
const actions = ['PICKUP', 'REPLACE', 'REPAIR'] as const

/**
 * The services that the provider offers for the device of a line, and the open orders for the
 * device.
 */
async function loadOffers({ client, urlOf }: Session, line: OrderLine, signal: AbortSignal) {
  const [{ data: order }, open] = await Promise.all([
    client.order.getOrder(idOf(line.order), {}, { signal }),
    readList((limit) => {
      const wanted = { relatedTo: urlOf.line(line), status: ['SUBMITTED', 'UNFULFILLED'] } as const
      return client.order.listOrderLine({ ...wanted, expand: ['orders', 'items'], limit }, { signal })
    })
  ])
  const { buyer, seller } = order
  const { patient } = order.receiver
  const own = line.device?.item ?? ''
  const services = await readList((limit) =>
    client.catalogue.listCatalogueItem({ buyer, seller, catalogueItemType: 'Service', limit }, { signal })
  )
  const fitting = services.entries.filter(({ relatedTo }) => !relatedTo || relatedTo === own)
  const items = [own, ...fitting.map((item) => urlOf.item(item))]
  const answers = await client.order.checkOrderability({ buyer, seller, patient, items }, { signal })
  const found = fitting.filter((_, at) => answers[at + 1]?.orderable)
  const offers = actions.flatMap((action) => {
    const ofAction = found.filter((item) => usualAction(item) === action)
    const model = { id: idOf(own), name: line.device?.name }
    const isModel = ofAction.length === 0 && answers[0]?.orderable
    return (isModel ? [model] : ofAction).map(({ id, name }) => ({ action, id, name }))
  })
  return { patient, seller, open, offers }
}

/** The numbers of the device that a line delivered, and whether a number is probably wrong. */
export const KnownNumbers = ({ device }: Pick<OrderLine, 'device'>) => (
  <>
    {numbersText(device) && <span class="named">{numbersText(device)}</span>}
    {device?.alsoInUse && <small class="late">! {deskText('alsoInUse')}</small>}
  </>
)

/** The actions of the user for the device that a line delivered, while it is in use. */
export function DeviceActions({ line, reload }: { line: OrderLine; reload(): void }) {
  const { client, isProvider } = useSession()
  const [opened, setOpened] = useState(0)
  if (!line.device || line.device.until) return null
  async function end(data: FormData): Promise<void> {
    const operation = endOperation(data)
    try {
      await client.order.patchOrderLine(line.id, [operation]).catch(throwNamed(() => operation.path))
      showToast(`✓ ${deskText('saved')}`)
    } catch (error) {
      // The dialog closes when the line is reloaded.
      throwUnlessConflict(error)
      showToast(`✗ ${errorText(error)}`)
    }
    tellChange(idOf(line.order))
    reload()
  }
  return (
    <span class="row">
      {!isProvider && (
        <button type="button" class="quiet" onClick={() => setOpened(opened + 1)}>
          {deskText('orderForDevice')} …
        </button>
      )}
      <ActionButton label={deskText('endUse')} isDangerous act={end}>
        <EndFields lines={[line]} />
      </ActionButton>
      {opened > 0 && (
        <Dialog
          title={joined(' ', deviceName(line.device), numbersText(line.device))}
          opened={opened}
          onClose={() => setOpened(0)}
        >
          <Offers line={line} />
        </Dialog>
      )}
    </span>
  )
}

/** The services that can be ordered for a device, with a warning if one is already ordered. */
function Offers({ line }: { line: OrderLine }) {
  const { codes } = useSession()
  const call = useApi((session, signal) => loadOffers(session, line, signal), [line.id])
  return (
    <div>
      <Loaded call={call}>
        {({ patient, seller, open, offers }) => (
          <div class="stack">
            {open.entries.map((each) => {
              const order = open.expanded[each.order] as Order | undefined
              if (order?.status.code === 'DRAFT') return null
              return (
                <p key={each.id} class="banner amber">
                  {deskText('underWay')} {lineTitle(each, open.expanded)}{' '}
                  {order && <OrderLink order={order} />}
                </p>
              )
            })}
            {offers.length === 0 && <p>{deskText('nothingOffered')}</p>}
            <div class="row">
              {offers.map(({ action, id, name }) => (
                <DeskLink
                  key={action + id}
                  to={['new', patient]}
                  query={{ device: line.id, item: id, action, seller }}
                  class="button"
                >
                  {joined(': ', codes['order-line-action'].get(action), name)}
                </DeskLink>
              ))}
              <DeskLink to={['new', patient]} query={{ device: line.id }} class="button quiet">
                {deskText('otherService')}
              </DeskLink>
            </div>
          </div>
        )}
      </Loaded>
    </div>
  )
}

/** The operation that ends the use of a device without an order. */
export const endOperation = (data: FormData) =>
  ({ op: 'add', path: '/device/endReason', value: textOf(data, 'endReason') as 'LOST' }) as const

/** Says which devices are no longer in use, and asks why. */
export function EndFields({ lines }: { lines: readonly OrderLine[] }) {
  const { codes, isProvider } = useSession()
  const possible = ['LOST', 'DISCARDED', 'KEPT', ...(isProvider ? ['ENTERED_IN_ERROR'] : [])]
  return (
    <>
      <p>{deskText('endUseEffect')}</p>
      <ul class="long">
        {lines.map(({ id, device }) => (
          <li key={id}>{joined(' · ', deviceName(device), numbersText(device))}</li>
        ))}
      </ul>
      <CodeField
        label="reason"
        name="endReason"
        codes={[...codes['device-end-reason']].filter(([code]) => possible.includes(code))}
      />
      {isProvider && <p class="soft">{deskText('mistakeEffect')}</p>}
    </>
  )
}
