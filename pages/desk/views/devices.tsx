import { useState } from 'preact/hooks'
import type { Order, OrderLine } from '../../../clients/typescript/src/index.js'
import { ListEnd, type ListPart, readList } from '../../parts/list.js'
import { DataTable } from '../../parts/table.js'
import { datesText, dateText } from '../../parts/texts.js'
import { deskText, deskTextsOf } from '../desk-texts.js'
import type { ViewProps } from '../links.js'
import { ListView } from '../lists/list-view.js'
import { OrderLink } from '../order-link.js'
import { addressOf, joined, lineTitle, patientText, receiverNamed } from '../resource-texts.js'
import { SearchForm } from '../search-form.js'
import { useApi } from '../session.js'
import { DeviceActions, KnownNumbers } from './device-actions.js'

/** Lines that are shown at first for each type of number, and with each further step. */
const STEP = 50

/** Maximum number of characters of a word in a search. A longer number is a UDI. */
const MAX_WORD_LENGTH = 100

/** Finds a device by its UDI or a part of another number, with its present and former patients. */
export function DevicesView({ query }: ViewProps) {
  const number = query.get('q') ?? ''
  const [size, setSize] = useState(STEP)
  const call = useApi(
    async ({ client }, signal) => {
      const names = number === '' ? [] : number.length > MAX_WORD_LENGTH ? ['udi'] : ['udi', 'q']
      const listOf = (name: string) => (limit: number) =>
        client.order.listOrderLine({ [name]: number, expand: ['orders', 'items'], limit }, { signal })
      const pages = await Promise.all(names.map((name) => readList(listOf(name), size)))
      const lines = new Map(pages.flatMap(({ entries }) => entries.map((line) => [line.id, line] as const)))
      return {
        entries: [...lines.values()],
        expanded: Object.assign({}, ...pages.map((page) => page.expanded)),
        next: pages.find(({ next }) => next)?.next,
        totalCount: undefined
      }
    },
    [number],
    [size]
  )
  return (
    <ListView
      title={deskText('devices')}
      call={call}
      filter={<SearchForm label="searchDevices" to={['devices']} query={query} />}
    >
      {(page) => (
        <>
          <DataTable
            label={deskText('devices')}
            heads={deskTextsOf('numbers', 'patient', 'item', 'order', 'actions')}
            rows={page.entries.map((line) => deviceRow(line, page, call.reload))}
            none={number && deskText('noDeviceFound')}
          />
          <ListEnd page={page} onMore={() => setSize(size + STEP)} />
        </>
      )}
    </ListView>
  )
}

/** The numbers of a delivered device, and how long it was in use. */
function Period({ device }: Pick<OrderLine, 'device'>) {
  if (!device) return null
  const { from, until } = device
  const [first, last] = [from.slice(0, 10), until?.slice(0, 10)]
  return (
    <>
      <KnownNumbers device={device} />
      <small>
        {joined(' ', last ? datesText(first, last) : `${dateText(first)} –`, device.endReason?.display)}
      </small>
    </>
  )
}

/** A line that delivered a device, with its patient. */
function deviceRow(line: OrderLine, { expanded }: Pick<ListPart<OrderLine>, 'expanded'>, reload: () => void) {
  const order = expanded[line.order] as Order | undefined
  const period = <Period key={line.id} {...line} />
  if (!order) return [period]
  const { receiver } = order
  return [
    period,
    <>
      {patientText(receiver)}
      <small>{joined(' · ', receiverNamed(receiver), addressOf(receiver), receiver.phone)}</small>
    </>,
    lineTitle(line, expanded),
    <OrderLink key={line.id} order={order} />,
    <DeviceActions key={line.id} line={line} reload={reload} />
  ]
}
