import { type ComponentChildren, createContext, Fragment, toChildArray } from 'preact'
import { useContext, useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { NoTokenError } from './calls.js'
import { Dialog } from './dialog.js'
import { draftAuthor, useDraft } from './drafts.js'
import { ErrorMessage, errorText, fieldErrorsOf } from './errors.js'
import { partsText } from './parts-texts.js'
import { showToast } from './toasts.js'

type Act = (data: FormData) => Promise<unknown>

/** A change that the user makes: whether it is in progress, and why it failed. */
export function useAction(act: Act) {
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

/** The value the user entered in a field, and the stored value it replaced. */
interface Typed<V> {
  value: V
  stored: V
}

const FormState = createContext<{ error?: unknown; typed?: Readonly<Record<string, Typed<unknown>>> }>({})

/** The error of a field of a form that was sent, and the value that was typed before. */
export function useFormField<V extends string | boolean>(name: string) {
  const { error, typed } = useContext(FormState)
  return {
    error: fieldErrorsOf(error).find((each) => each.name === name)?.text,
    typed: useRef(typed?.[name] as Typed<V> | undefined).current
  }
}

interface ActionFormProps {
  /** The label of the button. */
  label: string
  act: Act
  /**
   * The question before the form is sent, which a second submit confirms; undefined sends the form
   * at once.
   */
  ask?: ((data: FormData) => string | undefined) | undefined
  isDangerous?: boolean
  /** The name under which typed content stays until it is sent. The fields are then reset. */
  draft?: string
  /** Further buttons that submit the form. */
  others?: ComponentChildren
  children?: ComponentChildren
}

/** A form that sends a change when it is submitted. */
export function ActionForm(props: ActionFormProps) {
  const { label, act, ask, isDangerous = false, draft, others, children } = props
  const [typed = {}, setTyped] = useDraft<Record<string, Typed<unknown>>>(draft, true)
  const [sent, setSent] = useState(0)
  const { isBusy, error, run } = useAction((data) =>
    act(data).then(() => {
      setTyped(undefined)
      if (draft !== undefined) setSent((last) => last + 1)
    })
  )
  const [question, setQuestion] = useState<string>()
  /** The stored values of the fields when the user began to type. */
  const storedOf = useMemo<Record<string, unknown>>(() => ({}), [sent])
  const form = useRef<HTMLFormElement>(null)
  function submit(event: SubmitEvent) {
    event.preventDefault()
    const data = new FormData(event.currentTarget as HTMLFormElement, event.submitter)
    const asked = ask?.(data)
    setQuestion(asked)
    if (asked === undefined || asked === question) run(data)
  }
  function keep({ target }: Event) {
    const { type, name, checked, defaultChecked, value, defaultValue } = target as HTMLInputElement
    const isBox = type === 'checkbox'
    storedOf[name] ??= typed[name]?.stored ?? (isBox ? defaultChecked : defaultValue)
    const entry = { value: isBox ? checked : value, stored: storedOf[name] }
    const { [name]: _, ...others } = typed
    const changed = entry.value === entry.stored ? others : { ...others, [name]: entry }
    setTyped(Object.keys(changed).length > 0 ? changed : undefined)
  }
  return (
    <FormState.Provider value={{ error, typed }}>
      <form ref={form} onSubmit={submit} onKeyDown={moveOnEnter} onInput={keep}>
        <ErrorMessage error={error} form={form.current} />
        <Fragment key={`fields ${sent}`}>{children}</Fragment>
        <div role="status">
          {question && (
            <p class="banner amber">
              {question} {partsText('askAgain', { label })}
            </p>
          )}
        </div>
        <div class="row">
          <button type="submit" class={isDangerous ? 'danger' : undefined} aria-busy={isBusy}>
            {label}
          </button>
          <Fragment key={`others ${sent}`}>{others}</Fragment>
        </div>
      </form>
    </FormState.Provider>
  )
}

interface ActionButtonProps extends Omit<ActionFormProps, 'others'> {
  isQuiet?: boolean
  /** Shows the error of a dialog that was removed with this button. Default: a toast. */
  onLost?: ((error: unknown) => void) | undefined
  /** A dialog is shown first: fields to fill in, or the effect of an irreversible change. */
  children?: ComponentChildren
}

/** A button that sends a change at once, or after a form. */
export function ActionButton({ isQuiet = false, onLost, children, ...form }: ActionButtonProps) {
  const { label, act, isDangerous } = form
  const { isBusy, error, run } = useAction(act)
  const [opened, setOpened] = useState(0)
  const keepError = useLostError(onLost ?? ((error) => showToast(`✗ ${errorText(error)}`)))
  const close = () => {
    keepError(undefined)
    setOpened(0)
  }
  const fail = (error: unknown) => {
    keepError(error)
    throw error
  }
  const hasDialog = toChildArray(children).length > 0
  return (
    <>
      <button
        type="button"
        class={isDangerous ? 'danger' : isQuiet ? 'quiet' : undefined}
        aria-busy={isBusy}
        onClick={() => (hasDialog ? setOpened(opened + 1) : run(new FormData()))}
      >
        {hasDialog ? `${label} …` : label}
      </button>
      <ErrorMessage error={error} />
      {opened > 0 && (
        <Dialog title={label} opened={opened} onClose={close}>
          <ActionForm {...form} act={(data) => act(data).then(close, fail)}>
            {children}
          </ActionForm>
        </Dialog>
      )}
    </>
  )
}

/** Milliseconds after which the user has read the error in an open dialog. */
const READ_MS = 5000

/**
 * Keeps the last error of a dialog. Reports a new error to the same user when the component that
 * opens the dialog is gone, because the sent change is no longer possible.
 */
function useLostError(report: (error: unknown) => void) {
  const start = { error: undefined as unknown, failedAt: 0, isGone: false, report, author: draftAuthor.get() }
  const state = useRef(start).current
  state.report = report
  const tell = () => {
    const { error, failedAt, isGone, author } = state
    const isReported = error !== undefined && !(error instanceof NoTokenError)
    const isUnread = isGone && Date.now() - failedAt < READ_MS
    if (isReported && isUnread && author === draftAuthor.get()) state.report(error)
  }
  useEffect(
    () => () => {
      state.isGone = true
      tell()
    },
    []
  )
  return (error: unknown) => {
    Object.assign(state, { error, failedAt: Date.now() })
    tell()
  }
}

/** A text of a form without spaces at its ends; null if it is empty. */
export const textOf = (data: FormData, name: string): string | null =>
  String(data.get(name) ?? '').trim() || null
