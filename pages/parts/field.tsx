import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'
import { partsText } from './parts-texts.js'

/** Attributes that connect an input with its label and what describes it. */
interface FieldAttributes {
  id: string
  required: boolean
  'aria-describedby': string
  'aria-invalid'?: true
}

/**
 * A label, an input, and what describes it:
 * `<Field label="Name">{(field) => <input {...field} />}</Field>`.
 */
export function Field({
  label,
  hint,
  error,
  required = false,
  children
}: {
  label: string
  hint?: string | undefined
  /** The error of the value. */
  error?: string | undefined
  required?: boolean
  children(field: FieldAttributes): ComponentChildren
}) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{required ? `${label} (${partsText('required')})` : label}</label>
      {children({ id, required, 'aria-describedby': `${id}-hint`, ...(error && { 'aria-invalid': true }) })}
      <small id={`${id}-hint`}>
        {error && <strong class="bad">✗ {error} </strong>}
        {hint}
      </small>
    </div>
  )
}
