import type { Fixture } from '../fixture.js'
import { devicesWorkbook } from '../server.js'

const organization = 'https://fhir.example/Organization/bench'
const path = '/ssl-catalogue-excel/v1/catalogue'
let catalogue = ''

/**
 * Imports a workbook of this many rows: creates a catalogue at first, then updates all its rows.
 * @returns its duration in milliseconds.
 */
export async function importWorkbook(
  origin: string,
  issuer: Fixture['issuer'],
  rows: number,
  status: string
): Promise<number> {
  const [token] = await issuer.tokensOf([{ userType: 'AdministrativeClerk', organization }])
  const send = async (method: string, to: string, body: string | FormData) => {
    const headers = {
      authorization: `Bearer ${token}`,
      ...(typeof body === 'string' && { 'content-type': 'application/json' })
    }
    const response = await fetch(`${origin}${to}`, { method, headers, body })
    if (!response.ok) throw new Error(`${method} ${to}: ${response.status} ${await response.text()}`)
    return response.headers.get('location') ?? ''
  }
  if (catalogue === '')
    await send(
      ...(['POST', '/ssl-order/v1/party'] as const),
      JSON.stringify({ allowedRoles: ['SELLER'], name: 'provider', organization })
    )
  const file = new FormData()
  file.append(
    'file',
    new Blob([new Uint8Array(await devicesWorkbook(rows, 'feed', () => status))]),
    'feed.xlsx'
  )
  const began = performance.now()
  const location = await send(
    catalogue === '' ? 'POST' : 'PUT',
    catalogue === '' ? path : `${path}/${catalogue}`,
    file
  )
  if (catalogue === '') catalogue = location.split('/').at(-1) ?? ''
  return performance.now() - began
}
