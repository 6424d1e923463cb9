import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { freePort } from './servers.js'
import { circumstances, median, writeBetweenMarks } from './table.js'

/**
 * Time from start to first response, with the embedded database: in an empty folder, on the data it
 * left there, and Node without a program, in turns:
 * `npm --prefix bench run start -- [--pairs=5] [--write]`.
 */

const { values } = parseArgs({
  options: { pairs: { type: 'string', default: '5' }, write: { type: 'boolean', default: false } }
})

const main = join(import.meta.dirname, '..', 'dist', 'program', 'main.js')

/** Milliseconds until the built product responds. */
async function productStart(folder: string): Promise<number> {
  const port = await freePort()
  const began = performance.now()
  const child = spawn(process.execPath, [main], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, DATA_DIR: folder, PORT: String(port) },
    stdio: 'ignore'
  })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  try {
    const url = `http://127.0.0.1:${port}/health/ready`
    while (!(await fetch(url).catch(() => undefined))?.ok) {
      if (child.exitCode !== null) throw new Error('The product ends instead of answering.')
      await pause(5)
    }
    return performance.now() - began
  } finally {
    child.kill('SIGTERM')
    await ended
  }
}

/** Milliseconds for Node to start and exit. */
function nodeStart(): Promise<number> {
  const began = performance.now()
  const child = spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' })
  return new Promise((resolve) => child.once('exit', () => resolve(performance.now() - began)))
}

const times: Record<string, number[]> = { 'node -e 0': [], 'in an empty folder': [], 'the second time': [] }
for (let turn = 0; turn < Number(values.pairs); turn++) {
  const folder = mkdtempSync(join(tmpdir(), 'ssl-start-'))
  try {
    times['node -e 0']?.push(await nodeStart())
    times['in an empty folder']?.push(await productStart(join(folder, 'data')))
    times['the second time']?.push(await productStart(join(folder, 'data')))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
const lines = ['| start | ms, median (least–most) |', '|---|---|']
for (const [name, each] of Object.entries(times))
  lines.push(
    `| ${name} | ${Math.round(median(each))} (${Math.round(Math.min(...each))}–${Math.round(Math.max(...each))}) |`
  )
process.stdout.write(`${lines.join('\n')}\n`)
if (values.write) writeBetweenMarks('start', [circumstances(), '', ...lines])
