import type { Readable } from 'node:stream'
import { type ParseArgsConfig, parseArgs } from 'node:util'
import type { Database } from '../db/driver/database.js'

/**
 * Reads the arguments of an operator's command before a connection is opened, and returns a
 * function that runs it.
 * @throws UsageError
 */
export type Command = (args: readonly string[]) => RunCommand

/**
 * Resolves when the command has printed its result.
 * @throws Error with a message that states the remedy.
 */
type RunCommand = (context: CommandContext) => Promise<void>

/** The streams and values of a command in addition to its arguments and files. */
export interface CommandContext {
  db: Database
  /** The account of the operator, for the audit record. */
  account: string
  /** `EVENTS_KEPT`. */
  eventsKeptDays: number
  input: Readable
  print: Print
}

/** Prints a line. The output of commands contains counts and ids of orders, but no patient. */
export type Print = (line: string) => void

/** Thrown for invalid arguments. Without a message the operator is shown the usage. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** The option without which a command only shows the planned changes. */
export const confirmOption = { confirm: { type: 'boolean', default: false } } as const

/**
 * Parses arguments.
 * @param count the number of arguments without an option.
 * @throws UsageError
 */
export function parseArguments<const O extends NonNullable<ParseArgsConfig['options']>>(
  args: readonly string[],
  options: O,
  count = 0
) {
  try {
    const parsed = parseArgs({ args: [...args], options, allowPositionals: true })
    if (parsed.positionals.length === count) return parsed
  } catch {
    // The message may repeat an argument, and so a patient.
  }
  throw new UsageError()
}

/**
 * The value of an option that is a number of months.
 * @throws UsageError unless it is a whole number from 1 to 1200.
 */
export function monthsOf<O extends string>(values: Partial<Record<O, string>>, option: O): number {
  const value = values[option]
  if (!value) throw new UsageError()
  const months = /^\d{1,4}$/.test(value) ? Number(value) : 0
  if (months < 1 || months > 1200) throw new UsageError(`--${option} must be a whole number from 1 to 1200.`)
  return months
}

/** `1 order`, `2 orders`. */
export const plural = (count: number, singular: string, many = `${singular}s`): string =>
  `${count} ${count === 1 ? singular : many}`
