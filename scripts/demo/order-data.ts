import type { Order, OrderInput, OrderLine, PatchOf } from '../../clients/typescript/src/index.js'
import type { ItemKey } from './catalogue-data.js'
import type { BuyerKey, receivers, SellerKey } from './data.js'

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
  latestInDays?: number
  lines: readonly LineRow[]
  steps: readonly Step[]
  finalStatus: string
}

const DAY_MS = 86_400_000

/** The day some days from today, `yyyy-mm-dd`. */
export const dayIn = (days: number): string => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10)

const submitted: Step = { by: 'buyer', patch: [{ op: 'replace', path: '/status/code', value: 'SUBMITTED' }] }
const accepted = { op: 'replace', path: '/status/code', value: 'ACCEPTED' } as const
const fulfilled = { op: 'replace', path: '/status/code', value: 'FULFILLED' } as const
const note = (text: string) => ({ op: 'add', path: '/notes/-', value: { note: text } }) as const
const device = (serialNumber: string, lotNumber: string) =>
  ({ op: 'add', path: '/device', value: { serialNumber, lotNumber } }) as const
const agreed = (days: number, from: string, to: string): readonly PatchOf<OrderLine>[] => [
  { op: 'add', path: '/agreedFrom', value: `${dayIn(days)}T${from}:00Z` },
  { op: 'add', path: '/agreedTo', value: `${dayIn(days)}T${to}:00Z` }
]

// biome-ignore format: a table
export const orders: readonly OrderRow[] = [
  {
    number: 'AAK-0001', name: 'Blodtryksmåler med oplæring', finalStatus: 'FULFILLED',
    buyer: 'aarhus', seller: 'maaneskaer', receiver: 'asta',
    note: 'Ring på hos naboen, hvis der ikke bliver åbnet.',
    latestInDays: 2,
    lines: [{ item: 'monitor', action: 'DELIVER' }, { item: 'training', action: 'TRAINING' }],
    steps: [
      submitted,
      { by: 'buyer', patch: [{ op: 'replace', path: '/priority', value: true }, note('Borgeren udskrives allerede i morgen. Kan I nå det?'), { op: 'add', path: '/awaiting', value: 'SELLER' }] },
      { by: 'provider', patch: [note('Vi kører ud i morgen mellem kl. 10 og 12.'), accepted] },
      { by: 'provider', line: 'monitor', patch: agreed(1, '09:00', '11:00') },
      { by: 'provider', line: 'monitor', patch: [fulfilled, device('UA767-513228', '2026-03'), { op: 'add', path: '/receivedBy', value: 'Asta Opdigtet' }] },
      { by: 'buyer', patch: [note('Måleren er modtaget. Borgeren vil gerne have sin datter med til oplæringen.')] },
      { by: 'provider', line: 'training', patch: [fulfilled] }
    ]
  },
  {
    number: 'AAK-0002', name: 'Reparation af blodtryksmåler', finalStatus: 'ACCEPTED',
    buyer: 'aarhus', seller: 'maaneskaer', receiver: 'asta',
    note: 'Manchetten på måleren fra AAK-0001 er utæt.',
    lines: [{ item: 'repair', action: 'REPAIR', about: ['AAK-0001', 'monitor'] }],
    steps: [
      submitted,
      { by: 'buyer', patch: [note('Borgeren har lånt en måler så længe.')] },
      { by: 'provider', patch: [note('Måleren er hentet og er tilbage om tre hverdage.'), accepted] }
    ]
  },
  {
    number: 'VK-0001', name: 'Smartphone med telefonisk hjælp', finalStatus: 'SUBMITTED',
    buyer: 'viborg', seller: 'birkelund', receiver: 'bent',
    note: 'Borgeren bruger høreapparat. Tal tydeligt.',
    lines: [{ item: 'smartphone', action: 'DELIVER' }, { item: 'phone-support', action: 'SUPPORT' }],
    steps: [submitted]
  },
  {
    number: 'RM-0001', name: 'Personvægt til hjemmemonitorering', finalStatus: 'DRAFT',
    buyer: 'region', seller: 'maaneskaer', receiver: 'clara',
    note: 'Afventer svar fra lægen, før der bestilles.',
    lines: [{ item: 'scale', action: 'DELIVER' }],
    steps: []
  },
  {
    number: 'AAK-0003', name: 'Personvægt', finalStatus: 'FULFILLED',
    buyer: 'aarhus', seller: 'maaneskaer', receiver: 'asta',
    note: 'Vægten skal bruges et halvt år efter operationen.',
    lines: [{ item: 'scale', action: 'DELIVER' }],
    steps: [submitted, { by: 'provider', line: 'scale', patch: [fulfilled, device('UC352-204117', '2026-05')] }]
  },
  {
    number: 'AAK-0004', name: 'Afhentning af personvægt', finalStatus: 'FULFILLED',
    buyer: 'aarhus', seller: 'maaneskaer', receiver: 'asta',
    note: 'Borgeren er færdig med at måle sin vægt.',
    latestInDays: 7,
    lines: [{ item: 'scale', action: 'PICKUP', about: ['AAK-0003', 'scale'] }],
    steps: [
      submitted,
      { by: 'provider', line: 'scale', patch: agreed(1, '08:00', '11:00') },
      { by: 'provider', line: 'scale', patch: [fulfilled] }
    ]
  }
]
