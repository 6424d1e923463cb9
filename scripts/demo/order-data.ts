import type { Order, OrderInput, OrderLine, PatchOf } from '../../clients/typescript/src/index.js'
import type { ItemKey } from './catalogue-data.js'
import type { BuyerKey, receivers, SellerKey } from './data.js'
import { dayIn, hourFromNow } from './days.js'

/** A change after the draft: a JSON Patch of the order, or of its line with an item. */
type Step =
  | { by: 'buyer' | 'provider'; patch: readonly PatchOf<Order>[] }
  | { by: 'provider'; line: ItemKey; patch: readonly PatchOf<OrderLine>[] }

interface LineRow {
  item: ItemKey
  action: Extract<NonNullable<OrderInput['orderLines']>[number]['action'], string>
  /** The number of the earlier order that delivered the device that this line is about, and its item. */
  about?: readonly [order: string, item: ItemKey]
}

export interface OrderRow {
  number: string
  name: string
  buyer: BuyerKey
  seller: SellerKey
  receiver: keyof typeof receivers
  note: string
  /** The last day of the delivery wish. */
  latest?: string
  lines: readonly LineRow[]
  steps: readonly Step[]
  finalStatus: string
}

const submitted: Step = { by: 'buyer', patch: [{ op: 'replace', path: '/status/code', value: 'SUBMITTED' }] }
const setAccepted = { op: 'replace', path: '/status/code', value: 'ACCEPTED' } as const
const fulfilled = { op: 'replace', path: '/status/code', value: 'FULFILLED' } as const
const accepted: Step = { by: 'provider', patch: [setAccepted] }
const note = (text: string) => ({ op: 'add', path: '/notes/-', value: { note: text } }) as const
const device = (serialNumber: string, lotNumber: string) =>
  ({ op: 'add', path: '/device', value: { serialNumber, lotNumber } }) as const
const question = (to: 'BUYER' | 'SELLER', text: string) =>
  [note(text), { op: 'add', path: '/awaiting', value: to }] as const
const outOfStock = (text: string): Step => ({
  by: 'provider',
  patch: [
    { op: 'replace', path: '/status/code', value: 'REJECTED' },
    { op: 'add', path: '/statusReason', value: { code: 'OUT_OF_STOCK', text } }
  ]
})

/** The orders, with days relative to today in a time zone. */
export function ordersIn(timeZone: string): readonly OrderRow[] {
  const day = (days: number) => dayIn(days, timeZone)
  /** Agrees a period that has begun and ends `hours` after the full hour. */
  const agreed = (line: ItemKey, hours: number): Step => ({
    ...{ by: 'provider', line },
    patch: [
      { op: 'add', path: '/agreedFrom', value: hourFromNow(0) },
      { op: 'add', path: '/agreedTo', value: hourFromNow(hours) }
    ]
  })
  // biome-ignore format: a table
  return [
    {
      number: 'AAK-0001', name: 'Blodtryksmåler med oplæring', finalStatus: 'FULFILLED',
      buyer: 'aarhus', seller: 'maaneskaer', receiver: 'asta', latest: day(2), note: 'Ring på hos naboen, hvis der ikke bliver åbnet.',
      lines: [{ item: 'monitor', action: 'DELIVER' }, { item: 'training', action: 'TRAINING' }],
      steps: [
        submitted, { by: 'buyer', patch: [{ op: 'replace', path: '/priority', value: true }, ...question('SELLER', 'Borgeren udskrives allerede i dag. Kan I nå det?')] },
        { by: 'provider', patch: [note('Ja, vi kører ud i dag.'), setAccepted] },
        agreed('monitor', 2),
        { by: 'provider', line: 'monitor', patch: [fulfilled, device('UA767-513228', '2026-03'), { op: 'add', path: '/receivedBy', value: 'Asta Opdigtet' }] },
        { by: 'buyer', patch: [note('Måleren er modtaget. Borgeren vil gerne have sin datter med til oplæringen.')] },
        { by: 'provider', line: 'training', patch: [fulfilled] }
      ]
    },
    {
      number: 'AAK-0002', name: 'Reparation af blodtryksmåler', finalStatus: 'ACCEPTED',
      buyer: 'aarhus', seller: 'maaneskaer', receiver: 'asta', note: 'Manchetten på måleren fra AAK-0001 er utæt.',
      lines: [{ item: 'repair', action: 'REPAIR', about: ['AAK-0001', 'monitor'] }],
      steps: [
        submitted, { by: 'buyer', patch: [note('Borgeren har lånt en måler så længe.')] },
        { by: 'provider', patch: [note('Måleren er hentet og er tilbage om tre hverdage.'), setAccepted] }
      ]
    },
    {
      number: 'VK-0001', name: 'Smartphone med telefonisk hjælp', finalStatus: 'SUBMITTED',
      buyer: 'viborg', seller: 'birkelund', receiver: 'bent', note: 'Borgeren bruger høreapparat. Tal tydeligt.',
      lines: [{ item: 'smartphone', action: 'DELIVER' }, { item: 'phone-support', action: 'SUPPORT' }],
      steps: [submitted]
    },
    {
      number: 'RM-0001', name: 'Personvægt til hjemmemonitorering', finalStatus: 'DRAFT',
      buyer: 'region', seller: 'maaneskaer', receiver: 'clara', note: 'Afventer svar fra lægen, før der bestilles.',
      lines: [{ item: 'scale', action: 'DELIVER' }],
      steps: []
    },
    {
      number: 'AAK-0003', name: 'Personvægt', finalStatus: 'FULFILLED',
      buyer: 'aarhus', seller: 'maaneskaer', receiver: 'asta', note: 'Vægten skal bruges et halvt år efter operationen.',
      lines: [{ item: 'scale', action: 'DELIVER' }],
      steps: [submitted, { by: 'provider', line: 'scale', patch: [fulfilled, device('UC352-204117', '2026-05')] }]
    },
    {
      number: 'AAK-0004', name: 'Afhentning af personvægt', finalStatus: 'FULFILLED',
      buyer: 'aarhus', seller: 'maaneskaer', receiver: 'asta', latest: day(7), note: 'Borgeren er færdig med at måle sin vægt.',
      lines: [{ item: 'scale', action: 'PICKUP', about: ['AAK-0003', 'scale'] }],
      steps: [submitted, agreed('scale', 2), { by: 'provider', line: 'scale', patch: [fulfilled] }]
    },
    {
      number: 'AAK-0005', name: 'Pulsoximeter med oplæring', finalStatus: 'SUBMITTED',
      buyer: 'aarhus', seller: 'maaneskaer', receiver: 'asta', latest: day(3), note: 'Borgeren er hjemme hele ugen.',
      lines: [{ item: 'oximeter', action: 'DELIVER' }, { item: 'training', action: 'TRAINING' }],
      steps: [submitted]
    },
    {
      number: 'VK-0002', name: 'Blodtryksmåler', finalStatus: 'SUBMITTED',
      buyer: 'viborg', seller: 'maaneskaer', receiver: 'bent', latest: day(5), note: 'Døren er åben om formiddagen.',
      lines: [{ item: 'monitor', action: 'DELIVER' }],
      steps: [submitted, { by: 'buyer', patch: question('SELLER', 'Kan I levere en større manchet sammen med måleren?') }]
    },
    {
      number: 'AAK-0006', name: 'Personvægt med oplæring', finalStatus: 'ACCEPTED',
      buyer: 'aarhus', seller: 'maaneskaer', receiver: 'dagny', latest: day(1), note: 'Borgeren er hjemme hele dagen.',
      lines: [{ item: 'scale', action: 'DELIVER' }, { item: 'training', action: 'TRAINING' }],
      steps: [submitted, accepted, agreed('scale', 4), agreed('training', 4)]
    },
    {
      number: 'VK-0003', name: 'Pulsoximeter', finalStatus: 'ACCEPTED',
      buyer: 'viborg', seller: 'maaneskaer', receiver: 'ejvind', note: 'Naboen har en nøgle.',
      lines: [{ item: 'oximeter', action: 'DELIVER' }],
      steps: [submitted, accepted, agreed('oximeter', 6)]
    },
    {
      number: 'AAK-0007', name: 'Blodtryksmåler', finalStatus: 'ACCEPTED',
      buyer: 'aarhus', seller: 'maaneskaer', receiver: 'dagny', latest: day(7), note: 'Borgeren har brug for hjælp til at pakke måleren ud.',
      lines: [{ item: 'monitor', action: 'DELIVER' }],
      steps: [submitted, accepted, { by: 'provider', patch: question('BUYER', 'Der er to indgange. Hvilken skal vi bruge?') }]
    },
    {
      number: 'AAK-0008', name: 'Personvægt', finalStatus: 'ACCEPTED',
      buyer: 'aarhus', seller: 'maaneskaer', receiver: 'asta', latest: day(-1), note: 'Vægten blev bestilt pr. telefon i sidste uge, men er ikke kommet.',
      lines: [{ item: 'scale', action: 'DELIVER' }],
      steps: [submitted, accepted]
    },
    {
      number: 'AAK-0009', name: 'Pulsoximeter', finalStatus: 'REJECTED',
      buyer: 'aarhus', seller: 'maaneskaer', receiver: 'dagny', note: 'Borgeren skal måle sin iltmætning hver dag.',
      lines: [{ item: 'oximeter', action: 'DELIVER' }],
      steps: [submitted, outOfStock('Vi får flere hjem i næste uge.')]
    }
  ]
}
