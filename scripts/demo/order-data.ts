import type {
  OrderLineActionCoding,
  OrderLineStatusCoding,
  OrderStatusCoding
} from '../../clients/typescript/src/index.js'
import type { ItemKey } from './catalogue-data.js'
import type { BuyerKey, ReceiverKey, SellerKey } from './data.js'

/** A change of an order after its draft: one JSON Patch with all members. */
export type Step = {
  by: 'buyer' | 'provider'
  priority?: boolean
  note?: string
  /** The side whose answer the note asks for. */
  awaits?: 'BUYER' | 'SELLER'
  /** Who received what a line delivered. */
  receivedBy?: string
} & (
  | { to?: OrderStatusCoding['code']; line?: never; agreed?: never; device?: never }
  | { to: OrderLineStatusCoding['code']; line: ItemKey; agreed?: never; device?: DeviceNumbers }
  | { to?: never; line: ItemKey; agreed: AgreedTime; device?: never }
)

/** A time in Denmark, some days from today. */
interface AgreedTime {
  inDays: number
  from: string
  to: string
}

/** Numbers of a delivered device. */
interface DeviceNumbers {
  serialNumber: string
  lotNumber: string
}

/** An ordered item. */
interface LineRow {
  item: ItemKey
  action: OrderLineActionCoding['code']
  /** The earlier order whose line delivered the device that this line is about, and its item. */
  about?: { order: string; item: ItemKey }
}

export interface OrderRow {
  key: string
  /** What the order demonstrates. */
  title: string
  buyer: BuyerKey
  seller: SellerKey
  name: string
  number: string
  receiver: ReceiverKey
  note: string
  /** The latest day on which the buyer wishes the delivery, in days from today. */
  latestInDays?: number
  lines: readonly LineRow[]
  /** A line that is rejected. */
  refused?: LineRow
  steps: readonly Step[]
  /** The final status. */
  finalStatus: string
}

// biome-ignore format: a table
export const orders: readonly OrderRow[] = [
  {
    key: 'delivered',
    title: 'A device and the training in it: delivered',
    finalStatus: 'FULFILLED',
    buyer: 'aarhus', seller: 'maaneskaer', receiver: 'asta',
    name: 'Blodtryksmåler med oplæring', number: 'AAK-0001',
    note: 'Ring på hos naboen, hvis der ikke bliver åbnet.',
    latestInDays: 2,
    lines: [{ item: 'monitor', action: 'DELIVER' }, { item: 'training', action: 'TRAINING' }],
    steps: [
      { by: 'buyer', to: 'SUBMITTED' },
      { by: 'buyer', priority: true, note: 'Borgeren udskrives allerede i morgen. Kan I nå det?', awaits: 'SELLER' },
      { by: 'provider', to: 'ACCEPTED', note: 'Vi kører ud i morgen mellem kl. 10 og 12.' },
      { by: 'provider', line: 'monitor', agreed: { inDays: 1, from: '10:00', to: '12:00' } },
      { by: 'provider', line: 'monitor', to: 'FULFILLED', device: { serialNumber: 'UA767-513228', lotNumber: '2026-03' }, receivedBy: 'Asta Opdigtet' },
      { by: 'buyer', note: 'Måleren er modtaget. Borgeren vil gerne have sin datter med til oplæringen.' },
      { by: 'provider', line: 'training', to: 'FULFILLED' }
    ]
  },
  {
    key: 'repair',
    title: 'The repair of that device: accepted, in progress',
    finalStatus: 'ACCEPTED',
    buyer: 'aarhus', seller: 'maaneskaer', receiver: 'asta',
    name: 'Reparation af blodtryksmåler', number: 'AAK-0002',
    note: 'Manchetten på måleren fra AAK-0001 er utæt.',
    lines: [{ item: 'repair', action: 'REPAIR', about: { order: 'delivered', item: 'monitor' } }],
    steps: [
      { by: 'buyer', to: 'SUBMITTED' },
      { by: 'provider', to: 'ACCEPTED', note: 'Måleren er hentet og er tilbage om tre hverdage.' },
      { by: 'buyer', note: 'Tak. Borgeren har lånt en måler så længe.' }
    ]
  },
  {
    key: 'submitted',
    title: 'A smartphone: submitted, waiting for the provider',
    finalStatus: 'SUBMITTED',
    buyer: 'viborg', seller: 'birkelund', receiver: 'bent',
    name: 'Smartphone med telefonisk hjælp', number: 'VK-0001',
    note: 'Borgeren bruger høreapparat. Tal tydeligt.',
    lines: [{ item: 'smartphone', action: 'DELIVER' }, { item: 'phone-support', action: 'SUPPORT' }],
    steps: [{ by: 'buyer', to: 'SUBMITTED' }]
  },
  {
    key: 'draft',
    title: 'A scale: a draft, which the provider cannot see',
    finalStatus: 'DRAFT',
    buyer: 'region', seller: 'maaneskaer', receiver: 'clara',
    name: 'Personvægt til hjemmemonitorering', number: 'RM-0001',
    note: 'Afventer svar fra lægen, før der bestilles.',
    lines: [{ item: 'scale', action: 'DELIVER' }],
    refused: { item: 'oximeter', action: 'DELIVER' },
    steps: []
  },
  {
    key: 'scale',
    title: 'A scale with its serial number: delivered',
    finalStatus: 'FULFILLED',
    buyer: 'aarhus', seller: 'maaneskaer', receiver: 'asta',
    name: 'Personvægt', number: 'AAK-0003',
    note: 'Vægten skal bruges et halvt år efter operationen.',
    lines: [{ item: 'scale', action: 'DELIVER' }],
    steps: [
      { by: 'buyer', to: 'SUBMITTED' },
      { by: 'provider', line: 'scale', to: 'FULFILLED', device: { serialNumber: 'UC352-204117', lotNumber: '2026-05' } }
    ]
  },
  {
    key: 'pick-up',
    title: 'Half a year later: that scale is fetched, and its use ends',
    finalStatus: 'FULFILLED',
    buyer: 'aarhus', seller: 'maaneskaer', receiver: 'asta',
    name: 'Afhentning af personvægt', number: 'AAK-0004',
    note: 'Borgeren er færdig med at måle sin vægt.',
    latestInDays: 190,
    lines: [{ item: 'scale', action: 'PICKUP', about: { order: 'scale', item: 'scale' } }],
    steps: [
      { by: 'buyer', to: 'SUBMITTED' },
      { by: 'provider', line: 'scale', agreed: { inDays: 182, from: '09:00', to: '12:00' } },
      { by: 'provider', line: 'scale', to: 'FULFILLED' }
    ]
  }
]

/** Key of the order whose trace is printed at the end. */
export const TRACED_ORDER = 'delivered'
