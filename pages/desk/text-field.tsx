import { useId } from 'preact/hooks'
import { partsText } from '../parts/parts-texts.js'
import { type DeskTextKey, deskText } from './desk-texts.js'

interface TextFieldProps {
  label: DeskTextKey
  name: string
  hint?: DeskTextKey
  type?: 'text' | 'date' | 'month' | 'time' | 'datetime-local'
  /** For a longer text: the lines that are shown. */
  rows?: number
  value?: string | null | undefined
  required?: boolean
}

/** A field of a form for a text, a day or a time. */
export function TextField({ label, name, hint, type, rows, value, required = false }: TextFieldProps) {
  const id = useId()
  const attributes = { id, name, required, defaultValue: value ?? '', autocomplete: 'off' }
  return (
    <label for={id}>
      {required ? `${deskText(label)} (${partsText('required')})` : deskText(label)}
      {rows ? <textarea {...attributes} rows={rows} /> : <input {...attributes} type={type as 'text'} />}
      {hint && <small>{deskText(hint)}</small>}
    </label>
  )
}
