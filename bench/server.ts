import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import ExcelJS from 'exceljs'
import { unsignedToken } from '../src/platform/auth/tokens/unsigned-token.js'

/** The built program with its own embedded PostgreSQL, and a client. */
export interface BenchServer {
  url: string
  pid: number
  /** Calls as a clerk with the permissions for catalogues. */
  call(
    method: string,
    path: string,
    body?: FormData | string,
    headers?: Readonly<Record<string, string>>
  ): Promise<Response>
  /**
   * The longest hold of the event loop and the processor time since the last call, in milliseconds.
   */
  held(): Promise<{ longest: number; processor: number }>
  stop(): Promise<void>
}

/** Starts the server built by `npm run build`. */
export async function startServer(port: number, settings: Record<string, string>): Promise<BenchServer> {
  const folder = mkdtempSync(join(tmpdir(), 'ssl-bench-'))
  const program = join(import.meta.dirname, '..', 'dist', 'program', 'main.js')
  const watch = join(import.meta.dirname, 'probe.mjs')
  const report = join(folder, 'held.json')
  const child: ChildProcess = spawn('node', ['--import', watch, program], {
    env: {
      LOOP_DELAY: report,
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      LOG_LEVEL: 'warn',
      DATA_DIR: join(folder, 'data'),
      PORT: String(port),
      ...settings
    },
    stdio: 'inherit'
  })
  const url = `http://127.0.0.1:${port}`
  const authorization = unsignedToken({
    userType: 'AdministrativeClerk',
    organization: 'https://fhir.example/Organization/bench'
  })
  for (let attempt = 0; attempt < 300; attempt++) {
    if ((await fetch(`${url}/health/ready`).catch(() => undefined))?.ok) break
    await pause(100)
  }
  return {
    url,
    pid: child.pid ?? 0,
    call: (method, path, body, headers = {}) =>
      fetch(url + path, {
        method,
        headers: {
          authorization,
          ...(typeof body === 'string' ? { 'content-type': 'application/json' } : {}),
          ...headers
        },
        ...(body === undefined ? {} : { body })
      }),
    async held() {
      rmSync(report, { force: true })
      child.kill('SIGUSR2')
      while (!existsSync(report) || readFileSync(report, 'utf8') === '') await pause(10)
      return JSON.parse(readFileSync(report, 'utf8'))
    },
    async stop() {
      child.kill('SIGTERM')
      await new Promise((resolve) => child.once('exit', resolve))
      rmSync(folder, { recursive: true, force: true })
    }
  }
}

/**
 * A workbook of a catalogue with this many devices, 15 columns each.
 * @param statusOf the status of a device by its number.
 */
export async function devicesWorkbook(
  size: number,
  name: string,
  statusOf: (at: number) => string = () => 'AVAILABLE'
): Promise<Buffer> {
  const book = new ExcelJS.Workbook()
  book.addWorksheet('Catalogue').addRows([
    ['Name', 'Seller', 'Status'],
    [name, 'provider', 'ACTIVE']
  ])
  const identifier = (nth: number) => [
    `Identifier system ${nth}`,
    `Identifier ${nth}`,
    `Identifier assigner ${nth}`
  ]
  const devices = book.addWorksheet('Devices')
  devices.addRow([
    ...identifier(1),
    ...identifier(2),
    ...identifier(3),
    'Name',
    'Manufacturer',
    'Model',
    'Version',
    'Description',
    'Status'
  ])
  for (let at = 0; at < size; at++)
    devices.addRow([
      ...['urn:item', `${name}-${at}`, 'provider'],
      ...['urn:gtin', `${name}-057${at}`, ''],
      ...['urn:other', `${name}-o${at}`, ''],
      ...[
        `Device ${at}`,
        `Maker ${at % 40}`,
        `Model ${at % 900}`,
        `${at % 9}.0`,
        `What device ${at} is good for`,
        statusOf(at)
      ]
    ])
  return Buffer.from(await book.xlsx.writeBuffer())
}
