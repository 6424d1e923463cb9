import type { Texts, Words } from './language.js'

/**
 * What a problem is, and what the caller can do. Throws that need another detail than `remedy` name
 * one of `details`. Details and remedies may have placeholders.
 */
export interface ProblemTexts {
  readonly status: number
  readonly title: Words
  readonly remedy: Words
  readonly details?: Texts
}

/** The problems of a module, by their stable code. */
export type ProblemTable = Readonly<Record<string, ProblemTexts>>
