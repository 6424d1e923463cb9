import { useEffect, useState } from 'preact/hooks'
import { createStore } from './store.js'

/** The unsent input of a user, in memory, so it ends with the page. */
const drafts = createStore<ReadonlyMap<string, unknown>>(new Map())
let author: string | undefined

/** Discards the drafts of another user. */
export function keepDraftsOf(person: string): void {
  if (author !== person) discardDrafts()
  author = person
}

export const discardDrafts = () => drafts.set(new Map())

/** The names of what was typed or chosen for long: the browser warns before the page is closed. */
const guarded = new Set<string>()

window.addEventListener('beforeunload', (event) => {
  const isFilled = (value: unknown) => (Array.isArray(value) ? value.length > 0 : value !== undefined)
  if ([...guarded].some((name) => isFilled(drafts.get().get(name)))) event.preventDefault()
})

/**
 * A state that outlives its component, unless it has no name. Undefined discards it. A removed
 * component can still set the state for another component with this name, but not for another user.
 * @param isGuarded whether the browser warns before the page is closed with the state.
 */
export function useDraft<T>(
  name: string | undefined,
  isGuarded = false
): readonly [T | undefined, (value: T | undefined) => void] {
  const person = author
  const current = () => drafts.get().get(name ?? '') as T | undefined
  const [, render] = useState(current)
  useEffect(() => {
    render(current)
    return drafts.onChange(() => render(current))
  }, [name])
  const set = (value: T | undefined) => {
    if (name === undefined || person !== author) return
    if (isGuarded) guarded.add(name)
    drafts.set(new Map(drafts.get()).set(name, value))
  }
  return [current(), set]
}

/**
 * A function that creates a resource once: a repeat with the same body after a lost response has
 * the same key.
 */
export function useCreateOnce(name: string) {
  const [last, setLast] = useDraft<{ text: string; key: string }>(`sent ${name}`)
  return async <R>(body: object, create: (options: { idempotencyKey: string }) => Promise<R>): Promise<R> => {
    const text = JSON.stringify(body)
    const sent = last?.text === text ? last : { text, key: crypto.randomUUID() }
    setLast(sent)
    const created = await create({ idempotencyKey: sent.key })
    setLast(undefined)
    return created
  }
}
