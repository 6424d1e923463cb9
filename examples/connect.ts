import { SslClient } from '../clients/typescript/src/index.js'

const { ORIGIN = 'http://127.0.0.1:3000', TOKEN = '' } = process.env

/** The client of the APIs, as the user of the token in the environment. */
export const { catalogue, order } = new SslClient({ origin: ORIGIN, token: TOKEN })
