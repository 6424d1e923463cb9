import { useState } from 'preact/hooks'

/** What a person typed or chose and has not sent: in memory, so it ends with the page. */
const drafts = new Map<string, unknown>()
let author: string | undefined

/** Discards the drafts of another person. */
export function keepDraftsOf(person: string): void {
  if (author !== person) drafts.clear()
  author = person
}

/** A state that outlives its component, unless it has no name. Undefined discards it. */
export function useDraft<T>(
  name: string | undefined
): readonly [T | undefined, (value: T | undefined) => void] {
  const [, render] = useState({})
  const set = (value: T | undefined) => {
    if (name === undefined) return
    if (value === undefined) drafts.delete(name)
    else drafts.set(name, value)
    render({})
  }
  return [drafts.get(name ?? '') as T | undefined, set]
}
