import { createStore, useStore } from './store.js'

/** Milliseconds for which a text is shown. */
const SHOWN_MS = 8000

const texts = createStore<readonly string[]>([])

/** Shows what happened, for a while. */
export function showToast(text: string): void {
  texts.set([...texts.get(), text])
  setTimeout(() => texts.set(texts.get().slice(1)), SHOWN_MS)
}

/** What happened. Screen readers announce it. */
export const Toasts = () => (
  <div class="toasts" role="status">
    {useStore(texts).map((text, at) => (
      <p key={at}>{text}</p>
    ))}
  </div>
)
