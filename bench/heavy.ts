import { type BenchServer, devicesWorkbook, forgetPeak, peakOf, startServer } from './server.js'
import { circumstances, writeBetweenMarks } from './table.js'

/**
 * The cost of the heaviest requests in the server process: longest hold of the event loop,
 * processor time, peak memory:
 * `npm --prefix bench run heavy [-- 5000 50000]`.
 */

const sizes = process.argv.length > 2 ? process.argv.slice(2).map(Number) : [5000, 50_000]
const excel = '/ssl-catalogue-excel/v1'
const xlsx = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
const organization = 'https://fhir.example/Organization/bench'

/** Limits for 50,000 items and their responses on a slow machine. */
const settings = {
  BULK_ITEMS: '60000',
  UPLOAD_LIMIT: String(64 * 2 ** 20),
  UNPACKED_LIMIT: String(2 ** 30),
  REQUEST_TIMEOUT: '300000',
  WORKBOOK_TIMEOUT: '300000'
}

function formOf(file: Buffer): FormData {
  const form = new FormData()
  form.append('file', new Blob([new Uint8Array(file)]), 'catalogue.xlsx')
  return form
}

/** The body of a bulk create with this many items, about 10 MB. */
function bulkBody(size: number, catalogue: string): string {
  const description = 'What it is good for. '.repeat(Math.floor(9_000_000 / size / 21))
  const items = Array.from({ length: size }, (_, at) => ({
    ...{
      catalogueItemType: 'DeviceModel',
      catalogue,
      name: `Device ${at}`,
      manufacturer: `Maker ${at % 40}`
    },
    identifiers: [{ system: 'urn:bulk', value: `bulk-${at}` }],
    ...{ model: `Model ${at % 900}`, version: '2', description: description.slice(0, 3900) }
  }))
  return JSON.stringify(items)
}

/** A workbook with this many invalid cells. */
const faultyWorkbook = (size: number) =>
  devicesWorkbook(size, 'faulty', (at) => (at < 1000 ? 'NONE' : 'AVAILABLE'))

async function measure(server: BenchServer, size: number): Promise<string[]> {
  const lines: string[] = []
  const measured = async (what: string, status: number, send: () => Promise<Response>) => {
    await server.held()
    forgetPeak(server.pid)
    const began = performance.now()
    const answer = await send()
    const body = Buffer.from(await answer.arrayBuffer())
    if (answer.status !== status)
      throw new Error(`${what}: ${answer.status} ${body.toString().slice(0, 300)}`)
    const milliseconds = Math.round(performance.now() - began)
    const { longest, processor } = await server.held()
    const line = `| ${size} | ${what} | ${milliseconds} | ${processor} | ${longest} | ${peakOf(server.pid)} |`
    process.stderr.write(`${line}\n`)
    lines.push(line)
    return { answer, body }
  }
  const file = await devicesWorkbook(size, `${size}`)
  const import_ = `${excel}/catalogue`
  await measured('import, dry run', 200, () => server.call('POST', `${import_}?dryRun=true`, formOf(file)))
  const made = await measured('import', 201, () => server.call('POST', import_, formOf(file)))
  const of = `${import_}/${made.answer.headers.get('location')?.split('/').at(-1)}`
  const { body: exported } = await measured('export', 200, () => server.call('GET', of))
  await measured('update, dry run', 200, () => server.call('PUT', `${of}?dryRun=true`, formOf(exported)))
  await measured('update, unchanged', 200, () => server.call('PUT', of, formOf(exported)))
  const changed = await devicesWorkbook(size, `${size}`, () => 'DISCONTINUED')
  await measured('update, all changed', 200, () => server.call('PUT', of, formOf(changed)))
  const faulty = await faultyWorkbook(size)
  await measured('1,000 faults, as JSON', 422, () => server.call('POST', import_, formOf(faulty)))
  const accept = { accept: xlsx }
  if (size <= 5000)
    await measured('1,000 faults, marked', 422, () => server.call('POST', import_, formOf(faulty), accept))
  if (size > 5000) return lines
  const catalogue = made.answer.headers.get('location') ?? ''
  const bulk = bulkBody(size, catalogue)
  await measured(`bulk create, ${(bulk.length / 1e6).toFixed(1)} MB`, 201, () =>
    server.call('POST', '/ssl-catalogue/v1/catalogue-items', bulk)
  )
  return lines
}

const lines = [
  '| items | what | ms | ms of processor | ms at a time | MB at most |',
  '|---|---|---|---|---|---|'
]
for (const size of sizes) {
  const server = await startServer(3998, settings)
  try {
    const party = { allowedRoles: ['SELLER'], name: 'provider', organization }
    await server.call('POST', '/ssl-order/v1/party', JSON.stringify(party))
    lines.push(...(await measure(server, size)))
  } finally {
    await server.stop()
  }
}
process.stdout.write(`${lines.join('\n')}\n`)
writeBetweenMarks('heavy', [circumstances(), '', ...lines])
