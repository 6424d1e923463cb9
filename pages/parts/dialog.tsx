import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'
import { partsText } from './parts-texts.js'

/**
 * A modal dialog, open as long as it is rendered. The browser keeps the focus in it and gives the
 * focus back.
 * @param onClose is called when the user closes it, also with Escape, and ends its rendering.
 */
export function Dialog(props: { title: string; onClose(): void; children: ComponentChildren }) {
  const { title, onClose, children } = props
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  useLayoutEffect(() => {
    const shown = dialog.current
    shown?.showModal()
    // Screen readers begin with its title.
    shown?.focus()
    return () => shown?.close()
  }, [])
  const cancel = (event: Event) => {
    event.preventDefault()
    onClose()
  }
  return (
    <dialog ref={dialog} aria-labelledby={id} tabindex={-1} onCancel={cancel}>
      <header>
        <h2 id={id}>{title}</h2>
        <button type="button" class="quiet" aria-label={partsText('close')} onClick={onClose}>
          ✕
        </button>
      </header>
      {children}
    </dialog>
  )
}
