import { accept } from './accept.js'
import { bulk } from './bulk.js'
import { details } from './details.js'
import { list } from './list.js'
import { search } from './search.js'
import type { Work } from './work.js'

/** The works in the order in which they are done: those that only read first. */
export const works: readonly Work[] = [details, search, list, accept, bulk]

/** The works of these names, comma-separated; all of them without any. */
export function worksNamed(names: string | undefined): readonly Work[] {
  if (names === undefined) return works
  return names.split(',').map((name) => {
    const work = works.find((each) => each.name === name)
    if (!work) throw new Error(`There is no work ${name}: ${works.map((each) => each.name).join(', ')}.`)
    return work
  })
}
