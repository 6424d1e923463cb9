import { origin } from './settings.js'

export const ordersBase = `${origin}/ssl-order/v1`
export const catalogueBase = `${origin}/ssl-catalogue/v1`

export const orderUrl = (id: string) => `${ordersBase}/order/${id}`
export const orderLineUrl = (id: string) => `${ordersBase}/order-line/${id}`
export const partyUrl = (id: string) => `${ordersBase}/party/${id}`
export const catalogueUrl = (id: string) => `${catalogueBase}/catalogue/${id}`
export const itemUrl = (id: string) => `${catalogueBase}/catalogue-item/${id}`

/** The id that an address ends with. */
export const idOf = (url: string) => url.slice(url.lastIndexOf('/') + 1)
