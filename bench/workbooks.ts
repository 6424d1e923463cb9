import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BenchServer, peakOf, startServer } from './server.js'
import { devicesWorkbook } from './workbook-of.js'

/*
 * Import and export of catalogues as workbooks, against reading the same file with the library alone: A B A B, medians. To be run
 * on a machine that does nothing else: `npm run workbooks [-- 300 5000]`.
 */

const sizes = process.argv.length > 2 ? process.argv.slice(2).map(Number) : [300, 5000, 50_000]
const pairs = 5
const folder = mkdtempSync(join(tmpdir(), 'ssl-workbooks-'))
const excel = '/ssl-catalogue-excel/v1'

interface Measured {
  milliseconds: number
  megabytes?: number
}

const median = (values: number[]) =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0

async function timed(work: () => Promise<unknown>): Promise<Measured> {
  const began = performance.now()
  await work()
  return { milliseconds: Math.round(performance.now() - began) }
}

function alone(file: string, how: 'whole' | 'rows'): Measured {
  const program = join(import.meta.dirname, 'read-alone.ts')
  return JSON.parse(execFileSync('node', ['--import=tsx', program, file, how], { encoding: 'utf8' }))
}

function formOf(file: Buffer): FormData {
  const form = new FormData()
  form.append('file', new Blob([new Uint8Array(file)]), 'catalogue.xlsx')
  return form
}

async function expect(status: number, answer: Response): Promise<Response> {
  if (answer.status !== status) throw new Error(`${answer.status}: ${(await answer.text()).slice(0, 500)}`)
  return answer
}

/** Export and the two kinds of import of one size; each pair makes a catalogue of its own. */
async function measure(server: BenchServer, size: number): Promise<Record<string, Measured[]>> {
  const path = join(folder, `${size}.xlsx`)
  const measured: Record<string, Measured[]> = {}
  const note = (what: string, one: Measured) => {
    measured[what] = [...(measured[what] ?? []), one]
  }
  for (let pair = 0; pair < pairs; pair++) {
    const file = await devicesWorkbook(size, `${size}-${pair}`)
    writeFileSync(path, file)
    note('exceljs, whole', alone(path, 'whole'))
    let location = ''
    note(
      'create',
      await timed(async () => {
        const answer = await expect(201, await server.call('POST', `${excel}/catalogue`, formOf(file)))
        location = answer.headers.get('location') ?? ''
        await answer.arrayBuffer()
      })
    )
    note('exceljs, row by row', alone(path, 'rows'))
    const of = `${excel}/catalogue/${location.split('/').at(-1)}`
    let exported = Buffer.alloc(0)
    note(
      'export',
      await timed(async () => {
        exported = Buffer.from(await (await expect(200, await server.call('GET', of))).arrayBuffer())
      })
    )
    note(
      'update, unchanged',
      await timed(async () => (await expect(200, await server.call('PUT', of, formOf(exported)))).json())
    )
  }
  return measured
}

const settings = {
  BULK_ITEMS: '60000',
  UPLOAD_LIMIT: String(64 * 2 ** 20),
  REQUEST_TIMEOUT: '300000'
}
const lines = ['| items | what | ms, median (least–most) | MB at most |', '|---|---|---|---|']
try {
  for (const size of sizes) {
    // A server for each size, since its peak of memory is that of its life.
    const server = await startServer(3999, settings)
    try {
      await expect(
        201,
        await server.call(
          'POST',
          '/ssl-order/v1/party',
          JSON.stringify({
            allowedRoles: ['SELLER'],
            name: 'provider',
            organization: 'https://fhir.example/Organization/bench'
          })
        )
      )
      const measured = await measure(server, size)
      for (const [what, each] of Object.entries(measured)) {
        const times = each.map(({ milliseconds }) => milliseconds)
        const memory = each.flatMap(({ megabytes }) => megabytes ?? [])
        lines.push(
          `| ${size} | ${what} | ${median(times)} (${Math.min(...times)}–${Math.max(...times)}) | ${memory.length > 0 ? median(memory) : ''} |`
        )
      }
      lines.push(`| ${size} | the server, all of it | | ${peakOf(server.pid)} |`)
    } finally {
      await server.stop()
    }
  }
  const readme = join(import.meta.dirname, 'README.md')
  const text = readFileSync(readme, 'utf8')
  const [before] = text.split('<!-- workbooks -->')
  const [, , after = ''] = text.split(/<!-- \/?workbooks -->/)
  writeFileSync(readme, `${before}<!-- workbooks -->\n${lines.join('\n')}\n<!-- /workbooks -->${after}`)
  process.stdout.write(`${lines.join('\n')}\n`)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
