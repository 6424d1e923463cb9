import { useId, useRef, useState } from 'preact/hooks'
import { useFormField } from '../parts/actions.js'
import { partsText } from '../parts/parts-texts.js'
import { type DeskTextKey, deskText } from './desk-texts.js'

interface TextFieldProps {
  label: DeskTextKey
  name: string
  hint?: DeskTextKey
  type?: 'text' | 'date' | 'month' | 'time' | 'datetime-local' | 'tel' | 'email' | 'number'
  /** The number of shown lines of a longer text. */
  rows?: number
  value?: string | number | null | undefined
  required?: boolean
  /** The text for a value that cannot be sent. */
  refuse?(text: string): DeskTextKey | undefined
}

/** The usual form of fields, and the warning about other values, which can be sent anyway. */
const usual: Readonly<Record<string, readonly [RegExp, DeskTextKey]>> = {
  phone: [/^(?=(.*\d){8})[+\d][\d ()-]*$/, 'unusualPhone'],
  email: [/^\S+@[^\s.]+(\.[^\s.]+)+$/, 'unusualEmail'],
  postalCode: [/^\d{4}$/, 'unusualPostalCode']
}

/** A field of a form for a text, a day or a time. */
export function TextField(props: TextFieldProps) {
  const { label, name, hint, type, rows, value, required = false, refuse } = props
  const id = useId()
  const { error, typed } = useFormField<string>(name)
  const [isUnusual, setUnusual] = useState(false)
  const [pattern, doubt] = usual[name] ?? []
  const check = ({ currentTarget }: { currentTarget: HTMLInputElement }) => {
    const text = currentTarget.value.trim()
    setUnusual(text !== '' && pattern?.test(text) === false)
  }
  /** Rejects refused values, and required values that are only spaces. */
  const refuseValue = (field: HTMLInputElement | HTMLTextAreaElement | null) => {
    const text = field?.value.trim() ?? ''
    const refused = text ? refuse?.(text) : required && field?.value ? 'onlySpaces' : undefined
    field?.setCustomValidity(refused ? deskText(refused) : '')
  }
  const attributes = {
    ref: refuseValue,
    ...{ id, name, required, defaultValue: typed?.value ?? value ?? '', autocomplete: 'off' },
    ...(pattern && { 'aria-describedby': `${id}-doubt` }),
    ...(error && { 'aria-invalid': true, 'aria-describedby': `${id}-error` })
  }
  return (
    <label for={id}>
      {required ? `${deskText(label)} (${partsText('required')})` : deskText(label)}
      {rows ? (
        <textarea {...attributes} rows={rows} onInput={({ currentTarget }) => refuseValue(currentTarget)} />
      ) : (
        <input
          {...attributes}
          type={type as 'text'}
          onChange={check}
          onInput={(event) => {
            refuseValue(event.currentTarget)
            if (isUnusual) check(event)
          }}
        />
      )}
      {error && (
        <span id={`${id}-error`} class="error">
          ✗ {error}
        </span>
      )}
      {pattern && (
        <small id={`${id}-doubt`} class="late" role="status">
          {isUnusual && doubt && deskText(doubt)}
        </small>
      )}
      <StoredNow value={String(value ?? '')} opened={typed?.stored} />
      {hint && <small>{deskText(hint)}</small>}
    </label>
  )
}

interface StoredNowProps {
  value: string
  /** The value when the form was opened. Default: the first value of the field. */
  opened?: string | undefined
}

/** Shows the value that another user has stored since a form was opened. */
export function StoredNow({ value, opened = value }: StoredNowProps) {
  const first = useRef(opened).current
  return value === first ? null : <small class="late">{deskText('storedNow', { value: value || '–' })}</small>
}

export function CheckField(props: { label: DeskTextKey; name: string; isOn?: boolean | undefined }) {
  const { typed } = useFormField<boolean>(props.name)
  const isChecked = typed?.value ?? props.isOn ?? false
  return (
    <label>
      <input type="checkbox" name={props.name} defaultChecked={isChecked} /> {deskText(props.label)}
    </label>
  )
}
