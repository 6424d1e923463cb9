import { useLayoutEffect, useState } from 'preact/hooks'

/** A value that changes, such as the language or the token. */
export interface Store<T> {
  get(): T
  /** Calls a listener after each change. Returns a function that removes the listener. */
  onChange(listener: () => void): () => void
}

/** A store, with the function that changes its value. */
export function createStore<T>(initial: T): Store<T> & { set(value: T): void } {
  let current = initial
  const listeners = new Set<() => void>()
  return {
    get: () => current,
    set(value) {
      current = value
      for (const listener of listeners) listener()
    },
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    }
  }
}

/** The value of a store. The component is rendered again when the value changes. */
export function useStore<T>(store: Store<T>): T {
  const [value, setValue] = useState(store.get())
  useLayoutEffect(() => {
    // The value may have changed before this listener was added.
    setValue(store.get())
    return store.onChange(() => setValue(store.get()))
  }, [store])
  return value
}
