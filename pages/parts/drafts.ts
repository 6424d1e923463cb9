import { useLayoutEffect, useState } from 'preact/hooks'
import { createStore } from './store.js'

/** The unsent input of a user, in memory, so it ends with the page. */
const drafts = createStore<ReadonlyMap<string, unknown>>(new Map())

/** The user whose drafts are stored; undefined until the user is known. */
export const draftAuthor = createStore<string | undefined>(undefined)

/** Discards the drafts of another user. */
export function keepDraftsOf(person: string | undefined): void {
  if (draftAuthor.get() === person) return
  discardDrafts()
  draftAuthor.set(person)
}

export const discardDrafts = () => drafts.set(new Map())

/** The names of drafts before whose loss the browser warns. */
const guarded = new Set<string>()

/** Sets whether the browser warns before a draft is lost. */
export const guardDraft = (name: string, isGuarded: boolean) =>
  isGuarded ? guarded.add(name) : guarded.delete(name)

/** Milliseconds after a click on a link to another program during which no warning appears. */
const LINK_MS = 1000
let linkClickedAt = Number.NEGATIVE_INFINITY
const onLink = ({ target }: Event) => {
  const isLink = target instanceof Element && target.closest('a[href^="mailto:"], a[href^="tel:"]')
  if (isLink) linkClickedAt = Date.now()
}
window.addEventListener('click', onLink, true)

window.addEventListener('beforeunload', (event) => {
  // Browsers also send this event when such a link opens another program.
  if (Date.now() - linkClickedAt < LINK_MS) return
  const isFilled = (value: unknown) => (Array.isArray(value) ? value.length > 0 : value !== undefined)
  if ([...guarded].some((name) => isFilled(drafts.get().get(name)))) event.preventDefault()
})

/**
 * A state that outlives its component, unless the state has no name. Undefined discards the state.
 * A removed component can still set the state for another component of the same user.
 * @param isGuarded whether the browser warns before the page is closed with the state.
 */
export function useDraft<T>(
  name: string | undefined,
  isGuarded = false
): readonly [T | undefined, (value: T | undefined) => void] {
  const person = draftAuthor.get()
  const current = () => drafts.get().get(name ?? '') as T | undefined
  const [, render] = useState(current)
  // An effect would run later: input before it would replace earlier input.
  useLayoutEffect(() => {
    render(current)
    return drafts.onChange(() => render(current))
  }, [name])
  const set = (value: T | undefined) => {
    if (name === undefined || person !== draftAuthor.get()) return
    if (isGuarded) guardDraft(name, true)
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
