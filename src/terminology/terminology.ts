import { join } from 'node:path'
import { projectRoot } from '../platform/project-root.js'
import type { Coding, CodingInput } from '../platform/schemas.js'
import { readValueSets, type ValueSet } from './value-set.js'

/** Sets whose codes the program acts on. */
const acted = [
  'order-status',
  'order-line-status',
  'order-line-action',
  'service-type',
  'catalogue-status',
  'catalogue-item-status',
  'party-role'
] as const
export type ActedSet = (typeof acted)[number]

/** Reserved annotation names by their suffix, each with the value set that its values come from. */
const reserved: Readonly<Record<string, string>> = {
  'device-type': 'device-type',
  'device-measurement-type': 'device-measurement-type',
  'device-measurement-unit': 'device-measurement-unit',
  'device-safety': 'device-safety',
  'device-calibration-type': 'device-calibration-type',
  'device-calibration-period': 'device-calibration-period',
  'device-calibration-actor': 'device-calibration-actor',
  'device-metric-measuring-quality-initial': 'device-measuring-quality',
  'device-metric-measuring-quality-degraded': 'device-measuring-quality',
  'device-metric-measuring-quality-overridden': 'device-measuring-quality',
  'device-metric-category': 'device-metric-category'
}

/** Stands for the base in what is stored; no URI begins like this. */
const own = '~'

const builtInFolder = join(projectRoot, 'src', 'terminology', 'value-sets')

const anyAnnotation = 'catalogue-item-annotations'

/** Answers what is a legal code, and what it is called. */
export interface Terminology {
  /** The code that an input stands for, bare or as a coding of the set; undefined when it is none of the set's. */
  code(set: ActedSet, input: string | CodingInput): string | undefined
  /** The full coding of a code that is in the set. */
  coding(set: ActedSet, code: string): Coding
  /** The codes of a set, for messages. */
  codes(set: ActedSet): string[]
  /** The annotation value as its value set has it; undefined when the name's set does not hold it. */
  annotation(name: string, value: { system: string; code: string }): Promise<Coding | undefined>
  /** A system as it is stored: the project's own without the base, which is a setting and may change. */
  stored(system: string): string
  /** A stored system as it is answered. */
  shown(system: string): string
}

export interface TerminologyOptions {
  /** Folder of value sets that replace built-in ones of the same name. */
  dir?: string | undefined
  /** Base of the addresses of the project's own sets. */
  base: string
  /** Prefix of the reserved annotation names. */
  platformPrefix: string
}

/**
 * Value sets from files.
 * @throws Error naming the file or the set that is missing or not usable.
 */
export function localTerminology({ dir, base, platformPrefix }: TerminologyOptions): Terminology {
  const builtIn = readValueSets([builtInFolder], base)
  const sets = dir === undefined ? builtIn : readValueSets([builtInFolder, dir], base)
  const need = (name: string): ValueSet => {
    const set = sets.get(name)
    if (!set) throw new Error(`The value set ${name} is missing.`)
    return set
  }
  for (const name of [anyAnnotation, ...Object.values(reserved)]) need(name)
  for (const name of acted) assertSameCodes(need(name), builtIn.get(name))

  return {
    stored: (system) => (system.startsWith(`${base}/`) ? `${own}${system.slice(base.length)}` : system),
    shown: (system) => (system.startsWith(`${own}/`) ? `${base}${system.slice(own.length)}` : system),
    code(name, input) {
      const set = need(name)
      const { system, code } = typeof input === 'string' ? { system: set.url, code: input } : input
      return set.find(system, code)?.code
    },
    coding(name, code) {
      const set = need(name)
      return set.find(set.url, code) ?? { system: set.url, code, display: null }
    },
    codes: (name) => need(name).codings.map((coding) => coding.code),
    async annotation(name, { system, code }) {
      const set = setOfAnnotation(name, platformPrefix)
      return set === undefined ? undefined : need(set).find(system, code)
    }
  }
}

/** A site may call the codes that the program acts on as it likes, but have no others, and none less. */
function assertSameCodes(given: ValueSet, known: ValueSet | undefined): void {
  const codesOf = (set: ValueSet | undefined) =>
    (set?.codings ?? [])
      .map((coding) => coding.code)
      .sort()
      .join(', ')
  if (codesOf(given) !== codesOf(known))
    throw new Error(
      `The value set ${given.name} must have the codes ${codesOf(known)}; it has ${codesOf(given)}.`
    )
}

/** The value set of an annotation name: its own for a reserved name, none for what only looks like one, all for a free name. */
function setOfAnnotation(name: string, prefix: string): string | undefined {
  if (!name.startsWith(`${prefix}/`)) return anyAnnotation
  const suffix = name.slice(prefix.length + 1)
  return Object.hasOwn(reserved, suffix) ? reserved[suffix] : undefined
}
