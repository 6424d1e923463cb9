import type { Readable } from 'node:stream'
import { parseArgs } from 'node:util'
import { isClinicalReference } from '../clinical/reference.js'
import type { Database } from '../db/driver/database.js'
import { isId, withoutTrailingSlash } from '../platform/util/resource-urls.js'

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
  /** Whether it takes `--from` and `--to`, two organizations, and `--party` any number of times. */
  ofOrganizations?: true
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
  organizations: OrganizationArguments
}

/** Two URLs of clinical Organizations, and ids of parties. */
export interface OrganizationArguments {
  from: string
  to: string
  parties: readonly string[]
}

/** What a command reads and writes besides its arguments and files. */
export interface CommandContext {
  db: Database
  /** Whether Citus distributes the tables over several nodes. */
  isDistributed: boolean
  /** `EVENTS_KEPT`. */
  eventsKeptDays: number
  /** The standard input. */
  input: Readable
  print: Print
}

/** Prints a line. The output of commands holds counts and ids of orders, and no patient. */
export type Print = (line: string) => void

/** Thrown for wrong arguments. The operator is shown the usage. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/**
 * Parses the arguments of a command.
 * @throws UsageError; Error if a number of months is not a whole number from 1 to 1200, or a URL is
 *   not one of an organization or a party.
 */
export function parseArguments(args: readonly string[], command: Command): Arguments {
  const { option, inMonths, optionalMonths, flag, ofPatient, ofOrganizations } = command
  const { values, positionals } = parsed()
  const given = values as Record<string, string | boolean | string[] | undefined>
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
    isConfirmed: given.confirm === true,
    organizations: ofOrganizations ? organizationsOf(given) : { from: '', to: '', parties: [] }
  }

  function parsed() {
    const text = [option, optionalMonths, ...(ofOrganizations ? ['from', 'to'] : [])].filter(
      (name) => name !== undefined
    )
    const options = {
      ...(ofOrganizations && { party: { type: 'string', multiple: true } as const }),
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

function organizationsOf(given: Readonly<Record<string, unknown>>): OrganizationArguments {
  if (given.from === undefined || given.to === undefined) throw new UsageError()
  const [from, to] = [organizationOf(String(given.from)), organizationOf(String(given.to))]
  if (from === to) throw new Error('--from and --to must be two organizations.')
  const parties = ((given.party ?? []) as string[]).map((url) => {
    const [, id = ''] = /^https?:.*\/party\/([^/]*)\/?$/.exec(url) ?? []
    if (!isId(id)) throw new Error('--party must be the URL of a party: https://<server>/…/party/<id>.')
    return id
  })
  return { from, to, parties }
}

function organizationOf(argument: string): string {
  const url = withoutTrailingSlash(argument)
  if (isClinicalReference(url, 'Organization')) return url
  throw new Error('An organization must be a URL: https://<server>/Organization/<id>.')
}

/** `1 order`, `2 orders`. */
export const plural = (count: number, singular: string, many = `${singular}s`): string =>
  `${count} ${count === 1 ? singular : many}`
