import { draftAuthor } from './drafts.js'
import { partsText } from './parts-texts.js'
import { createStore, useStore } from './store.js'

/** Milliseconds for which a text is shown, without and with an undo button. */
const SHOWN_MS = 8000
const UNDO_MS = 20_000

interface Toast {
  id: number
  text: string
  undo?: (() => unknown) | undefined
}

const toasts = createStore<readonly Toast[]>([])
let count = 0
// The texts for the previous user are hidden.
draftAuthor.onChange(() => toasts.set([]))
const hide = (toast: Toast) => toasts.set(toasts.get().filter((each) => each !== toast))

/**
 * Shows a text for some seconds in place of the previous text. A text with an undo button remains
 * visible next to the new text. Returns a function that hides the new text.
 */
export function showToast(text: string, undo?: () => unknown): () => void {
  const toast = { id: count++, text, undo }
  toasts.set([...toasts.get().filter((each) => each.undo), toast])
  setTimeout(() => hide(toast), undo ? UNDO_MS : SHOWN_MS)
  return () => hide(toast)
}

/** What happened. Screen readers announce it. */
export const Toasts = () => (
  <div class="toasts" role="status">
    {useStore(toasts).map((toast) => (
      <p key={toast.id}>
        {toast.text}
        {toast.undo && (
          <button
            type="button"
            onClick={() => {
              hide(toast)
              toast.undo?.()
            }}
          >
            {partsText('undo')}
          </button>
        )}
      </p>
    ))}
  </div>
)
