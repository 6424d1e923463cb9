import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { launch, product } from './servers.js'
import { publish, readOptions, spread, startTable } from './table.js'

/**
 * Time from start to first response, with the embedded database: in an empty folder, on the data it
 * left there, and Node without a program, in turns:
 * `npm --prefix bench run start -- [--pairs=5] [--write]`.
 */

const options = readOptions({ pairs: '5' })

const program = { name: 'node -e 0', times: [] as number[] }
const first = { name: 'in an empty folder', times: [] as number[] }
const second = { name: 'the second time', times: [] as number[] }
for (let turn = 0; turn < Number(options.pairs); turn++) {
  const folder = mkdtempSync(join(tmpdir(), 'ssl-start-'))
  try {
    const began = performance.now()
    await once(spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' }), 'exit')
    program.times.push(performance.now() - began)
    for (const { times } of [first, second]) {
      const began = performance.now()
      const server = await launch(product, { DATA_DIR: join(folder, 'data') })
      times.push(performance.now() - began)
      await server.stop()
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
const table = startTable('start | ms, median (least–most)')
for (const { name, times } of [program, first, second]) table.add(name, spread(times))
publish('start', options, table)
