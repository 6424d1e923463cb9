import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import { partsText } from './parts-texts.js'

/**
 * A modal dialog, open as long as it is rendered. The browser keeps the focus in it and gives the
 * focus back.
 * @param onClose called when the user closes it, also with Escape.
 */
export function Dialog({
  title,
  onClose,
  children
}: {
  title: string
  onClose(): void
  children: ComponentChildren
}) {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => dialog.current?.showModal(), [])
  return (
    <dialog ref={dialog} aria-labelledby={id} onClose={onClose}>
      <article>
        <header>
          <h2 id={id}>{title}</h2>
          <button type="button" aria-label={partsText('close')} onClick={() => dialog.current?.close()}>
            ×
          </button>
        </header>
        {children}
      </article>
    </dialog>
  )
}
