// Generated from the documents in openapi: npm run client

import { Api, type CallOptions, type PostOptions, type ReadOptions, type WriteOptions } from '../api.js'
import type { PatchOf } from '../patch.js'
import type {
  AuditEvent,
  CloudEvent,
  Contract,
  ContractInput,
  ContractReplacement,
  CreatedSubscription,
  ItemOrderability,
  Me,
  NewSecret,
  Order,
  OrderabilityInput,
  OrderDetails,
  OrderInput,
  OrderLine,
  OrderLineInput,
  Party,
  PartyInput,
  PartyReplacement,
  Subscription,
  SubscriptionInput,
  SubscriptionReplacement,
  TraceLine
} from './types.js'

/** The operations of ssl-order. */
export class OrderApi extends Api {
  /** Read the caller */
  getMe(options: ReadOptions<Me> = {}) {
    return this.read<Me>(`/me`, {}, options)
  }

  /** Create a party */
  createParty(body: PartyInput, options: PostOptions = {}) {
    return this.create<Party>(`/party`, body, options)
  }

  /** Replace the party with the id in the body */
  replaceParty(body: PartyReplacement, options: WriteOptions = {}) {
    return this.write<Party>('PUT', `/party`, body, options)
  }

  /** Replace a party */
  replacePartyById(id: string, body: PartyReplacement, options: WriteOptions = {}) {
    return this.write<Party>('PUT', `/party/${encodeURIComponent(id)}`, body, options)
  }

  /** Read a party */
  getParty(id: string, options: ReadOptions<Party> = {}) {
    return this.read<Party>(`/party/${encodeURIComponent(id)}`, {}, options)
  }

  /** List parties */
  listParty(
    query: {
      /** URL of the clinical Organization that the parties are or belong to. */ organization?: string
      /** Role that the parties may have. */
      role?: 'BUYER' | 'SELLER' | 'ACCOUNTING'
      /** Words in the name and e-mail address; all must match, and case and accents are ignored. At most 10 different words of at most 100 characters. */
      q?: string
      /** Maximum number of entries. */
      limit?: number
    } = {},
    options: CallOptions = {}
  ) {
    return this.list<Party>(`/parties`, query, options)
  }

  /** Create a contract */
  createContract(body: ContractInput, options: PostOptions = {}) {
    return this.create<Contract>(`/contract`, body, options)
  }

  /** Replace the contract with the id in the body */
  replaceContract(body: ContractReplacement, options: WriteOptions = {}) {
    return this.write<Contract>('PUT', `/contract`, body, options)
  }

  /** Replace a contract */
  replaceContractById(id: string, body: ContractReplacement, options: WriteOptions = {}) {
    return this.write<Contract>('PUT', `/contract/${encodeURIComponent(id)}`, body, options)
  }

  /** Read a contract */
  getContract(id: string, options: ReadOptions<Contract> = {}) {
    return this.read<Contract>(`/contract/${encodeURIComponent(id)}`, {}, options)
  }

  /** List contracts */
  listContract(
    query: {
      /** URL of the delivering party. */ seller?: string
      /** URL of the accounting party. */
      account?: string
      /** URL of a buying party. */
      buyer?: string
      /** Date, yyyy-mm-dd, on which the contract is in force. */
      validOn?: string
      /** Contracts with a due reminder: in force, at most reminderDays before the end. */
      expiring?: boolean
      /** Maximum number of entries. */
      limit?: number
    } = {},
    options: CallOptions = {}
  ) {
    return this.list<Contract>(`/contracts`, query, options)
  }

  /** Create an order */
  createOrder(body: OrderInput, options: PostOptions = {}) {
    return this.create<Order>(`/order`, body, options)
  }

  /** Change the order or its status */
  patchOrder(id: string, operations: readonly PatchOf<Order>[], options: WriteOptions = {}) {
    return this.write<Order>('PATCH', `/order/${encodeURIComponent(id)}`, operations, options)
  }

  /** Read an order */
  getOrder(
    id: string,
    query: {
      /** Resources to include: `parties`, `orderLines`, `items`, repeated or separated by commas. The response has them in `expanded`, by their URLs; that of a list is then an object with `entries` and `expanded`. */
      expand?: readonly ('parties' | 'orderLines' | 'items')[]
    } = {},
    options: ReadOptions<Order> = {}
  ) {
    return this.read<Order>(`/order/${encodeURIComponent(id)}`, query, options)
  }

  /** Delete an order */
  deleteOrder(id: string, options: WriteOptions = {}) {
    return this.remove(`/order/${encodeURIComponent(id)}`, options)
  }

  /** List orders */
  listOrder(
    query: {
      /** URL of the buying party. */ buyer?: string
      /** URL of the delivering party. */
      seller?: string
      /** URL of the clinical Patient. */
      patient?: string
      /** Code of an order status. Several are repeated or separated by commas. */
      status?: readonly ('DRAFT' | 'SUBMITTED' | 'ACCEPTED' | 'REJECTED' | 'FULFILLED' | 'CANCELLED')[]
      /** Whether the order is urgent. */
      priority?: boolean
      /** First day of creation, yyyy-mm-dd, or a first instant. */
      from?: string
      /** Last day of creation, yyyy-mm-dd, or an exclusive end instant. */
      to?: string
      /** First day of submission, yyyy-mm-dd, or a first instant. */
      submittedFrom?: string
      /** Last day of submission, yyyy-mm-dd, or an exclusive end instant. */
      submittedTo?: string
      /** Orders that changed at this time or later: the `X-Updated-Until` of the previous poll, or a day, yyyy-mm-dd. */
      updatedSince?: string
      /** Words in the name, the identifiers and the receiver’s name; all must match. At most 10 different words of at most 100 characters. */
      q?: string
      /** Newest (default), last submitted or last changed first, or urgent orders first. */
      sort?: '-created' | '-submitted' | '-updated' | 'priority'
      /** Resources to include: `parties`, `orderLines`, `items`, repeated or separated by commas. The response has them in `expanded`, by their URLs; that of a list is then an object with `entries` and `expanded`. */
      expand?: readonly ('parties' | 'orderLines' | 'items')[]
      /** Whether to count all entries of the list. */
      count?: boolean
      /** Maximum number of entries. */
      limit?: number
    } = {},
    options: CallOptions = {}
  ) {
    return this.list<Order>(`/orders`, query, options)
  }

  /** Read an order with its lines and its trace */
  getOrderDetails(
    id: string,
    query: {
      /** Resources to include: `parties`, `orderLines`, `items`, repeated or separated by commas. The response has them in `expanded`, by their URLs; that of a list is then an object with `entries` and `expanded`. */
      expand?: readonly ('parties' | 'orderLines' | 'items')[]
    } = {},
    options: ReadOptions<OrderDetails> = {}
  ) {
    return this.read<OrderDetails>(`/order/${encodeURIComponent(id)}/details`, query, options)
  }

  /** Check which items can be ordered */
  checkOrderability(body: OrderabilityInput, options: PostOptions = {}) {
    return this.submit<readonly ItemOrderability[]>(`/orderability`, body, options)
  }

  /** Create an order line */
  createOrderLine(body: OrderLineInput, options: PostOptions = {}) {
    return this.create<OrderLine>(`/order-line`, body, options)
  }

  /** Change the order line or its status */
  patchOrderLine(id: string, operations: readonly PatchOf<OrderLine>[], options: WriteOptions = {}) {
    return this.write<OrderLine>('PATCH', `/order-line/${encodeURIComponent(id)}`, operations, options)
  }

  /** Read an order line */
  getOrderLine(id: string, options: ReadOptions<OrderLine> = {}) {
    return this.read<OrderLine>(`/order-line/${encodeURIComponent(id)}`, {}, options)
  }

  /** Delete an order line */
  deleteOrderLine(id: string, options: WriteOptions = {}) {
    return this.remove(`/order-line/${encodeURIComponent(id)}`, options)
  }

  /** List order lines */
  listOrderLine(
    query: {
      /** URL of the order. */ order?: string
      /** URL of the clinical Patient of the order. */
      patient?: string
      /** URL of the catalogue item. */
      item?: string
      /** Code of an order line action. Several are repeated or separated by commas. */
      action?: readonly (
        | 'DELIVER'
        | 'PICKUP'
        | 'INSTALL'
        | 'TRAINING'
        | 'REPAIR'
        | 'MAINTENANCE'
        | 'REPLACE'
        | 'CALIBRATION'
        | 'SUPPORT'
      )[]
      /** Code of an order line status. Several are repeated or separated by commas. */
      status?: readonly ('UNFULFILLED' | 'SUBMITTED' | 'FULFILLED' | 'CANCELLED')[]
      /** Resources to include: `items`, repeated or separated by commas. The response has them in `expanded`, by their URLs; that of a list is then an object with `entries` and `expanded`. */
      expand?: readonly 'items'[]
      /** Maximum number of entries. */
      limit?: number
    } = {},
    options: CallOptions = {}
  ) {
    return this.list<OrderLine>(`/order-lines`, query, options)
  }

  /** Read a trace line */
  getTraceLine(id: string, options: ReadOptions<TraceLine> = {}) {
    return this.read<TraceLine>(`/trace-line/${encodeURIComponent(id)}`, {}, options)
  }

  /** List trace lines */
  listTraceLine(
    query: {
      /** URL of the order. This or orderLine is required. */ order?: string
      /** URL of the order line. */
      orderLine?: string
      /** Maximum number of entries. */
      limit?: number
    } = {},
    options: CallOptions = {}
  ) {
    return this.list<TraceLine>(`/trace-lines`, query, options)
  }

  /** Read an audit event */
  getAuditEvent(id: string, options: ReadOptions<AuditEvent> = {}) {
    return this.read<AuditEvent>(`/audit-event/${encodeURIComponent(id)}`, {}, options)
  }

  /** List audit events */
  listAuditEvent(
    query: {
      /** URL of a clinical Patient. */ patient?: string
      /** URL of an order. */
      order?: string
      /** First day, yyyy-mm-dd, or a first instant. */
      from?: string
      /** Last day, yyyy-mm-dd, or an exclusive end instant. */
      to?: string
      /** Maximum number of entries. */
      limit?: number
    } = {},
    options: CallOptions = {}
  ) {
    return this.list<AuditEvent>(`/audit-events`, query, options)
  }

  /** List events */
  listOrderEvents(
    query: {
      /** Types of events, comma-separated. Default: all. */ types?: string
      /** Maximum number of events. */
      limit?: number
      /** Seconds to wait for an event, if there is none yet. Default: 0. */
      wait?: number
    } = {},
    options: CallOptions = {}
  ) {
    return this.list<CloudEvent>(`/events`, query, options)
  }

  /** Create a subscription */
  createSubscription(body: SubscriptionInput, options: PostOptions = {}) {
    return this.submit<CreatedSubscription>(`/subscription`, body, options)
  }

  /** Replace the subscription with the id in the body */
  replaceSubscription(body: SubscriptionReplacement, options: WriteOptions = {}) {
    return this.write<Subscription>('PUT', `/subscription`, body, options)
  }

  /** Replace a subscription */
  replaceSubscriptionById(id: string, body: SubscriptionReplacement, options: WriteOptions = {}) {
    return this.write<Subscription>('PUT', `/subscription/${encodeURIComponent(id)}`, body, options)
  }

  /** Read a subscription */
  getSubscription(id: string, options: ReadOptions<Subscription> = {}) {
    return this.read<Subscription>(`/subscription/${encodeURIComponent(id)}`, {}, options)
  }

  /** Delete a subscription */
  deleteSubscription(id: string, options: WriteOptions = {}) {
    return this.remove(`/subscription/${encodeURIComponent(id)}`, options)
  }

  /** List subscriptions */
  listSubscription(
    query: {
      /** Maximum number of entries. */ limit?: number
    } = {},
    options: CallOptions = {}
  ) {
    return this.list<Subscription>(`/subscriptions`, query, options)
  }

  /** Pause a subscription */
  pauseSubscription(id: string, body: unknown, options: PostOptions = {}) {
    return this.submit<unknown>(`/subscription/${encodeURIComponent(id)}/pause`, body, options)
  }

  /** Resume a subscription */
  resumeSubscription(id: string, body: unknown, options: PostOptions = {}) {
    return this.submit<unknown>(`/subscription/${encodeURIComponent(id)}/resume`, body, options)
  }

  /** Send a test event */
  testSubscription(id: string, body: unknown, options: PostOptions = {}) {
    return this.submit<unknown>(`/subscription/${encodeURIComponent(id)}/test`, body, options)
  }

  /** Rotate the secret */
  rotateSubscription(id: string, body: unknown, options: PostOptions = {}) {
    return this.submit<NewSecret>(`/subscription/${encodeURIComponent(id)}/rotate`, body, options)
  }
}
