import { spawn } from 'node:child_process'
import { parseArgs } from 'node:util'

/*
 * Runs test/api/fuzz.random.test.ts longer than `npm test` does, with a random seed: `npm run fuzz --
 * --seconds 600`. The seed of a failure reproduces it: `npm run fuzz -- --seed 42 --operation
 * createOrder`.
 */

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '300' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
    runs: { type: 'string' },
    operation: { type: 'string' }
  }
})
const fuzzOptions = {
  FUZZ_SECONDS: values.seconds,
  FUZZ_SEED: values.seed,
  ...(values.runs !== undefined && { FUZZ_RUNS: values.runs }),
  ...(values.operation !== undefined && { FUZZ_OPERATION: values.operation })
}
const timeout = `--timeout=${Number(values.seconds) * 2 + 120}`
const args = ['tsx', 'scripts/test.ts', 'test/api/fuzz.random.test.ts', timeout]
process.stdout.write(`Seed ${values.seed}, ${values.seconds} seconds.\n`)
const tests = spawn('npx', args, { stdio: 'inherit', env: { ...process.env, ...fuzzOptions } })
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => tests.kill(signal))
tests.on('close', (code) => {
  process.exitCode = code ?? 1
})
