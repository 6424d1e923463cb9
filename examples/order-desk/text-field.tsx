import { Field } from '../../pages/parts/field.js'
import { type DeskTextKey, deskText } from './desk-texts.js'

interface TextFieldProps {
  label: DeskTextKey
  name: string
  hint?: DeskTextKey
  type?: 'text' | 'date' | 'time'
  /** For a longer text: the lines that are shown. */
  rows?: number
  value?: string | null | undefined
  required?: boolean
}

/** A field of a form for a text, a day or a time. */
export const TextField = ({ label, name, hint, type, rows, value, required = false }: TextFieldProps) => (
  <Field label={deskText(label)} hint={hint && deskText(hint)} required={required}>
    {(field) => {
      const attributes = { ...field, name, defaultValue: value ?? '', autocomplete: 'off' }
      return rows ? <textarea {...attributes} rows={rows} /> : <input {...attributes} type={type as 'text'} />
    }}
  </Field>
)
