import type { FieldErrors } from '../platform/errors/field-errors.js'
import { fill, type Words } from '../platform/errors/language.js'
import { catalogueProblem } from './problems.js'
import { catalogueProblems, catalogueTexts } from './texts.js'

/** What must be unique in a request and in the database, with its location in the body. */
interface UniqueEntry {
  key: string
  pointer: string
}

/**
 * Adds an error for each entry that exists already, with its URL, and for each that repeats an
 * earlier one of the request.
 * @param stored URLs of the existing entries, by their keys.
 */
export function checkDuplicates(
  errors: FieldErrors,
  code: 'duplicate-identifier' | 'duplicate-annotation' | 'duplicate-entry',
  entries: readonly UniqueEntry[],
  stored: ReadonlyMap<string, string>
): void {
  const { remedy } = catalogueProblems[code]
  // The detail has the URL already, so the resource must not add it.
  const add = (pointer: string, detail: Words, url?: string) => {
    const error = { pointer, code, detail, ...(url !== undefined && { resource: { url, pointer: '' } }) }
    errors.add(catalogueProblem(code, null, null, { errors: [error] }))
  }
  const pointers = new Map<string, string>()
  for (const { key, pointer } of entries) {
    const [url, earlier] = [stored.get(key), pointers.get(key)]
    if (url !== undefined) add(pointer, fill(catalogueTexts.existsAlready, { url, remedy }), url)
    else if (earlier !== undefined) add(pointer, fill(catalogueTexts.sameAsEarlier, { earlier, remedy }))
    else pointers.set(key, pointer)
  }
}
