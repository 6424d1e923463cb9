import type { Readable } from 'node:stream'
import { parseArgs } from 'node:util'
import type { Database } from '../db/driver/database.js'

/** An operator's command. Its arguments are parsed before a connection is opened. */
export interface Command {
  /** The name of an option that it needs, `--name value`. */
  option?: string
  /** Whether the value is a number of months. */
  inMonths?: true
  /** The name of an option that it may take, with a number of months. */
  optionalMonths?: string
  /** The name of an option that it may take, without a value. */
  flag?: string
  /** Whether it takes a reference to a patient. */
  ofPatient?: true
  /**
   * Resolves when the command has printed its result.
   * @throws Error with a message that tells what to do.
   */
  run: (context: CommandContext, args: Arguments) => Promise<void>
}

/** The arguments of a command. Those that it does not take are empty. */
export interface Arguments {
  /** The reference to a patient, or `-`. */
  reference: string
  value: string
  months: number
  optionalMonths: number | undefined
  /** Whether the option without a value was given. */
  flag: boolean
  isConfirmed: boolean
}

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

/**
 * Parses the arguments of a command.
 * @throws UsageError; Error if a number of months is not a whole number from 1 to 1200.
 */
export function parseArguments(args: readonly string[], command: Command): Arguments {
  const { option, inMonths, optionalMonths, flag, ofPatient } = command
  const { values, positionals } = parsed()
  const given = values as Record<string, string | boolean | undefined>
  const value = String((option && given[option]) ?? '')
  if (positionals.length !== (ofPatient ? 1 : 0) || (option && value === '')) throw new UsageError()
  const optional = optionalMonths && given[optionalMonths]
  return {
    reference: positionals[0] ?? '',
    value,
    months: inMonths && option ? monthsOf(option, value) : 0,
    optionalMonths:
      optionalMonths && optional !== undefined ? monthsOf(optionalMonths, String(optional)) : undefined,
    flag: flag !== undefined && given[flag] === true,
    isConfirmed: given.confirm === true
  }

  function parsed() {
    const text = [option, optionalMonths].filter((name) => name !== undefined)
    const options = {
      ...Object.fromEntries(text.map((name) => [name, { type: 'string' } as const])),
      ...Object.fromEntries(
        ['confirm', ...(flag ? [flag] : [])].map((name) => [name, { type: 'boolean' } as const])
      )
    }
    try {
      return parseArgs({ args: [...args], options, allowPositionals: true })
    } catch {
      // The message may repeat an argument, and so a patient.
      throw new UsageError()
    }
  }
}

function monthsOf(option: string, value: string): number {
  const months = /^\d{1,4}$/.test(value) ? Number(value) : 0
  if (months < 1 || months > 1200) throw new Error(`--${option} must be a whole number from 1 to 1200.`)
  return months
}

/** `1 order`, `2 orders`. */
export const plural = (count: number, singular: string, many = `${singular}s`): string =>
  `${count} ${count === 1 ? singular : many}`
