import { CatalogueApi } from './generated/catalogue-api.js'
import { OrderApi } from './generated/order-api.js'
import type { TransportOptions } from './transport.js'

export * from './api.js'
export * from './errors.js'
export type { EventBatch, EventOptions } from './events.js'
export * from './generated/catalogue-api.js'
export * from './generated/order-api.js'
export type * from './generated/types.js'
export * from './pages.js'
export type * from './patch.js'
export type { TransportOptions } from './transport.js'

export interface ClientOptions extends TransportOptions {
  /** Origin of the server, such as `https://inttest.example.org`. */
  origin: string
  /** URLs of the APIs, if each has its own host. */
  urls?: { catalogue: string; order: string }
}

/** The client of both APIs. */
export class SslClient {
  readonly catalogue: CatalogueApi
  readonly order: OrderApi

  constructor({ origin, urls, ...options }: ClientOptions) {
    this.catalogue = new CatalogueApi(urls?.catalogue ?? `${origin}/ssl-catalogue/v1`, options)
    this.order = new OrderApi(urls?.order ?? `${origin}/ssl-order/v1`, options)
  }
}
