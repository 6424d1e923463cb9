import type { Readable } from 'node:stream'
import { parseArgs } from 'node:util'
import type { Database } from '../db/driver/database.js'

/**
 * An operator's command. Reads its arguments before a connection is opened.
 * @throws UsageError, Error with a message that tells what to do.
 */
export type Command = (args: readonly string[]) => Run

/** Runs a command and resolves when it has printed its result. */
export type Run = (context: CommandContext) => Promise<void>

/** What a command reads and writes besides its arguments and files. */
export interface CommandContext {
  db: Database
  /** `EVENTS_KEPT`. */
  eventsKeptDays: number
  /** The standard input. */
  input: Readable
  print: Print
}

/** Prints a line. The output of commands holds counts, and no patient. */
export type Print = (line: string) => void

/** Thrown for wrong arguments. The operator is shown the usage. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

interface Arguments {
  positionals: string[]
  /** Values of options of the form `--name value`. */
  values: Readonly<Record<string, string>>
  isConfirmed: boolean
}

/**
 * Parses the arguments of a command.
 * @param required names of options that must have a value.
 * @param positionalCount the exact number of other arguments.
 * @throws UsageError
 */
export function parseArguments(
  args: readonly string[],
  required: readonly string[] = [],
  positionalCount = 0
): Arguments {
  const options = {
    confirm: { type: 'boolean' } as const,
    ...Object.fromEntries(required.map((name) => [name, { type: 'string' } as const]))
  }
  const { values, positionals } = parsed()
  const { confirm, ...texts } = values as Record<string, string | boolean | undefined>
  if (positionals.length !== positionalCount || required.some((name) => !texts[name])) throw new UsageError()
  return { positionals, values: texts as Record<string, string>, isConfirmed: confirm === true }

  function parsed() {
    try {
      return parseArgs({ args: [...args], options, allowPositionals: true })
    } catch {
      // The message may repeat an argument, and so a patient.
      throw new UsageError()
    }
  }
}

/**
 * Parses a number of months.
 * @throws Error if it is not a whole number from 1 to 1200.
 */
export function parseMonths(name: string, text: string): number {
  const months = /^\d{1,4}$/.test(text) ? Number(text) : 0
  if (months < 1 || months > 1200) throw new Error(`--${name} must be a whole number from 1 to 1200.`)
  return months
}

/** `1 order`, `2 orders`. */
export const plural = (count: number, singular: string, many = `${singular}s`): string =>
  `${count} ${count === 1 ? singular : many}`
