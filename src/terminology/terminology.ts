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
}

export interface TerminologyOptions {
  /** Folder of value sets instead of the built-in ones. */
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
  const sets = readValueSets(dir ?? join(projectRoot, 'src', 'terminology', 'value-sets'), base)
  const need = (name: string): ValueSet => {
    const set = sets.get(name)
    if (!set) throw new Error(`The value set ${name} is missing.`)
    return set
  }
  for (const name of [...acted, anyAnnotation, ...Object.values(reserved)]) need(name)

  return {
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
    annotation: async (name, { system, code }) =>
      need(setOfAnnotation(name, platformPrefix)).find(system, code)
  }
}

/** The value set of an annotation name: its own for a reserved name, the union of all for a free one. */
function setOfAnnotation(name: string, prefix: string): string {
  const suffix = name.startsWith(`${prefix}/`) ? name.slice(prefix.length + 1) : ''
  return (Object.hasOwn(reserved, suffix) ? reserved[suffix] : undefined) ?? anyAnnotation
}
