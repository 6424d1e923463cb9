import type { Language } from '../../platform/errors/language.js'

/** What an upload asks for. */
export interface ImportRequest {
  /** The catalogue to update. Undefined creates a new one. */
  id: string | undefined
  /** Validate everything and write nothing. */
  dryRun: boolean
  /** Update the catalogue also when its new name or identifier is that of another one. */
  isConfirmed: boolean
  /** Language of the faults. */
  language: Language
  /** Name of the uploaded file, for the history. */
  fileName: string | null
}
