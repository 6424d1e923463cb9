import { spawn } from 'node:child_process'
import { parseArgs } from 'node:util'

/*
 * Runs tests that repeat a promise far more often than `npm test` does, which takes up to an hour:
 * `npm run prove -- events`. A part of it: `npm run prove -- events --share 0.1 --seed 42`.
 */

interface Proof {
  files: readonly string[]
  /** Settings of its tests, by the share of the whole and the seed. */
  env(share: number, seed: string): Readonly<Record<string, string>>
}

const proofs: Readonly<Record<string, Proof>> = {
  /** 100 kills of instances and 20 of PostgreSQL; 100,000 requests for events. */
  events: {
    files: [
      ...['kills', 'random-worlds', 'horizon'].map((name) => `test/event-feed/${name}.test.ts`),
      'test/access/leaks.system.test.ts'
    ],
    env: (share, seed) => ({
      EVENT_KILLS: String(Math.ceil(100 * share)),
      EVENT_ASKS: String(Math.ceil(100_000 * share)),
      EVENT_SEED: seed
    })
  }
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    share: { type: 'string', default: '1' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) }
  }
})
const [name = ''] = positionals
const proof = proofs[name]
const share = Number(values.share)
if (!proof || !(share > 0)) {
  process.stderr.write(`Usage: npm run prove -- ${Object.keys(proofs).join('|')} [--share 0.1] [--seed 42]\n`)
  process.exit(2)
}
process.stdout.write(`Seed ${values.seed}, ${share} of the proof of ${name}.\n`)
const args = ['tsx', 'scripts/test.ts', '--timeout=3600', ...proof.files]
const tests = spawn('npx', args, {
  stdio: 'inherit',
  env: { ...process.env, ...proof.env(share, values.seed) }
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => tests.kill(signal))
tests.on('close', (code) => {
  process.exitCode = code ?? 1
})
