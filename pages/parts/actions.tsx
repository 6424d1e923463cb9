import { type ComponentChildren, toChildArray } from 'preact'
import { useState } from 'preact/hooks'
import { Dialog } from './dialog.js'
import { ErrorMessage } from './errors.js'

type Act = (data: FormData) => Promise<unknown>

/** A change that the user makes: whether it is under way, and why it failed. */
function useAction(act: Act) {
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()

  function run(data: FormData): void {
    if (isBusy) return
    setBusy(true)
    setError(undefined)
    act(data)
      .catch(setError)
      .finally(() => setBusy(false))
  }
  return { isBusy, error, run }
}

/**
 * Enter, which bar code scanners send after each number, moves to the next field: a form is
 * submitted by its button.
 */
function moveOnEnter(event: KeyboardEvent) {
  const field = event.target
  if (event.key !== 'Enter' || !(field instanceof HTMLInputElement) || event.isComposing) return
  event.preventDefault()
  const controls = [...(field.form?.elements ?? [])].filter(
    (each) => each instanceof HTMLElement && each.tabIndex >= 0
  ) as HTMLElement[]
  controls[controls.indexOf(field) + 1]?.focus()
}

/** A form that sends a change when it is submitted. */
export function ActionForm(props: {
  /** The label of the button. */
  label: string
  act: Act
  /** Further buttons that submit the form. */
  others?: ComponentChildren
  children?: ComponentChildren
}) {
  const { isBusy, error, run } = useAction(props.act)
  function submit(event: SubmitEvent) {
    event.preventDefault()
    run(new FormData(event.currentTarget as HTMLFormElement, event.submitter))
  }
  return (
    <form onSubmit={submit} onKeyDown={moveOnEnter}>
      {props.children}
      <ErrorMessage error={error} />
      <div class="row">
        <button type="submit" aria-busy={isBusy}>
          {props.label}
        </button>
        {props.others}
      </div>
    </form>
  )
}

interface ActionButtonProps {
  label: string
  isQuiet?: boolean
  act: Act
  /** A dialog is shown first: fields to fill in, or what the change does if it is irreversible. */
  children?: ComponentChildren
}

/** A button that sends a change at once, or after a form. */
export function ActionButton({ label, isQuiet = false, act, children }: ActionButtonProps) {
  const { isBusy, error, run } = useAction(act)
  const [isOpen, setOpen] = useState(false)
  const close = () => setOpen(false)
  const hasDialog = toChildArray(children).length > 0
  return (
    <>
      <button
        type="button"
        class={isQuiet ? 'quiet' : undefined}
        aria-busy={isBusy}
        onClick={() => (hasDialog ? setOpen(true) : run(new FormData()))}
      >
        {hasDialog ? `${label} …` : label}
      </button>
      <ErrorMessage error={error} />
      {isOpen && (
        <Dialog title={label} onClose={close}>
          <ActionForm label={label} act={(data) => act(data).then(close)}>
            {children}
          </ActionForm>
        </Dialog>
      )}
    </>
  )
}

/** A text of a form without spaces at its ends; null if it is empty. */
export const textOf = (data: FormData, name: string): string | null =>
  String(data.get(name) ?? '').trim() || null
