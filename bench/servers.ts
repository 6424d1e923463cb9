import { join } from 'node:path'

/** A server that can be measured: how it is started, and what it must be told besides `DATABASE_URL`, `PORT` and `PUBLIC_URL`. */
export interface BenchServerKind {
  name: string
  title: string
  /** Arguments of `node`, from the folder of the project. */
  command: readonly string[]
  env?: Readonly<Record<string, string>>
  /** Whether it verifies tokens: then it is told of the issuer, and its environment is a production's. */
  verifies?: boolean
  /** Works that it is left out of. */
  without?: readonly string[]
}

const ofBench = (...path: string[]) => ['--import', 'tsx', join('bench', ...path)]

/** Every server there is. */
export const serverKinds: readonly BenchServerKind[] = [
  { name: 'product', title: 'the product', command: ['dist/program/main.js'], verifies: true },
  {
    name: 'unaudited',
    title: 'the product without its audit record',
    command: ofBench('unaudited.ts'),
    verifies: true,
    without: ['w3', 'w4']
  },
  { name: 'bare', title: 'bare Fastify + postgres.js', command: ofBench('bare', 'server.ts') },
  {
    name: 'bare-model',
    title: 'bare, search by a read model',
    command: ofBench('bare', 'server.ts'),
    env: { SEARCH: 'model' },
    without: ['w1', 'w3', 'w4', 'w5']
  }
]

/** The servers of these names, comma-separated. */
export function serversNamed(names: string): readonly BenchServerKind[] {
  return names.split(',').map((name) => {
    const kind = serverKinds.find((each) => each.name === name)
    if (!kind)
      throw new Error(`There is no server ${name}: ${serverKinds.map((each) => each.name).join(', ')}.`)
    return kind
  })
}
