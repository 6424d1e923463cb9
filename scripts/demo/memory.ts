import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { projectRoot } from '../../src/platform/project-root.js'
import { DemoError } from './client.js'

const file = join(projectRoot, '.data', 'demo.json')

/** Addresses by what the story calls them, by server. */
type Addresses = Record<string, Record<string, string>>

/** What the demo created at a server, so that it finds it again when it runs once more. */
export class Memory {
  readonly #base: string
  readonly #all: Addresses = read()

  constructor(base: string) {
    // However this machine is called, it is the same server.
    this.#base = base.replace(/\/\/(localhost|\[::1\])(?=:|$)/, '//127.0.0.1')
  }

  get(key: string): string | undefined {
    return this.#all[this.#base]?.[key]
  }

  /** Writes at once: a run that is interrupted goes on from here. */
  set(key: string, address: string): void {
    this.#all[this.#base] = { ...this.#all[this.#base], [key]: address }
    write(this.#all)
  }
}

/** An unreadable memory is none: the worst that comes of it is a second copy. */
function read(): Addresses {
  try {
    return (JSON.parse(readFileSync(file, 'utf8')) ?? {}) as Addresses
  } catch {
    return {}
  }
}

function write(addresses: Addresses): void {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    writeFileSync(file, `${JSON.stringify(addresses, null, 2)}\n`)
  } catch (error) {
    throw new DemoError(`The demo cannot remember what it creates: ${(error as Error).message}`)
  }
}
