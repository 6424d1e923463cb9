import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'
import { access, hasAccess } from './access/access.js'
import { partsText } from './parts-texts.js'
import { useStore } from './store.js'

interface DialogProps {
  title: string
  /** The number of times that the user opened the dialog. A higher number shows it again. */
  opened: number
  /** Called when the user closes the dialog, also with Escape. It ends the rendering. */
  onClose(): void
  children: ComponentChildren
}

/**
 * A modal dialog, open as long as it is rendered. The browser keeps the focus in it and gives the
 * focus back. While the user gets access the dialog is hidden with its typed content.
 */
export function Dialog({ title, opened, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  const isAccessible = hasAccess(useStore(access.state))
  useLayoutEffect(() => {
    const shown = dialog.current
    if (!shown || shown.open) return
    shown.showModal()
    // Screen readers begin with its title.
    shown.focus()
  }, [opened, isAccessible])
  useLayoutEffect(() => {
    const shown = dialog.current
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
