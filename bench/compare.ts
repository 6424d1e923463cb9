import { parseArgs } from 'node:util'
import { contest, type Result } from './contest.js'
import { serversNamed } from './servers.js'
import { onStand } from './stand.js'
import { circumstances, resultTable, writeBetweenMarks } from './table.js'
import { worksNamed } from './works/all.js'

/**
 * Compares the first server with each of the others, workload by workload:
 * `npm --prefix bench run compare -- [--scale=0.1] [--works=w1,w2] [--servers=product,bare]
 * [--pairs=5] [--connections=8,32] [--seconds=5] [--write]`.
 */

const { values } = parseArgs({
  options: {
    scale: { type: 'string', default: '1' },
    works: { type: 'string' },
    servers: { type: 'string', default: 'product,unaudited,bare,bare-model' },
    pairs: { type: 'string', default: '5' },
    connections: { type: 'string', default: '8,32' },
    seconds: { type: 'string', default: '5' },
    write: { type: 'boolean', default: false }
  }
})
const scale = Number(values.scale)
const [first, ...others] = serversNamed(values.servers)
if (!first || others.length === 0)
  throw new Error('Name two servers at least, such as --servers=product,bare.')
const options = {
  connections: values.connections.split(',').map(Number),
  pairs: Number(values.pairs),
  seconds: Number(values.seconds)
}

await onStand({ scale }, async (stand) => {
  const results: Result[] = []
  for (const work of worksNamed(values.works))
    for (const other of others) {
      if ([first, other].some(({ without }) => without?.includes(work.name))) continue
      const found = await contest(stand, work, { ...options, kinds: [first, other] })
      process.stdout.write(`${resultTable(found).join('\n')}\n`)
      results.push(...found)
    }
  if (values.write) writeBetweenMarks('compare', [circumstances(scale), '', ...resultTable(results)])
})
