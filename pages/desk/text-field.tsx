import { useId, useRef } from 'preact/hooks'
import { useFieldError } from '../parts/actions.js'
import { partsText } from '../parts/parts-texts.js'
import { type DeskTextKey, deskText } from './desk-texts.js'

interface TextFieldProps {
  label: DeskTextKey
  name: string
  hint?: DeskTextKey
  type?: 'text' | 'date' | 'month' | 'time' | 'datetime-local' | 'tel' | 'email'
  /** For a longer text: the lines that are shown. */
  rows?: number
  value?: string | null | undefined
  required?: boolean
}

/** A field of a form for a text, a day or a time. */
export function TextField({ label, name, hint, type, rows, value, required = false }: TextFieldProps) {
  const id = useId()
  const error = useFieldError(name)
  /** The value when the form was opened: another user may change it meanwhile. */
  const opened = useRef(value)
  const attributes = {
    ...{ id, name, required, defaultValue: value ?? '', autocomplete: 'off' },
    ...(error && { 'aria-invalid': true, 'aria-describedby': `${id}-error` })
  }
  return (
    <label for={id}>
      {required ? `${deskText(label)} (${partsText('required')})` : deskText(label)}
      {rows ? <textarea {...attributes} rows={rows} /> : <input {...attributes} type={type as 'text'} />}
      {error && (
        <span id={`${id}-error`} class="error">
          ✗ {error}
        </span>
      )}
      {value !== opened.current && (
        <small class="late">{deskText('storedNow', { value: value || '–' })}</small>
      )}
      {hint && <small>{deskText(hint)}</small>}
    </label>
  )
}
