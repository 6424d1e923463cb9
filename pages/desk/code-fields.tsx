import { useState } from 'preact/hooks'
import { useFormField } from '../parts/actions.js'
import { partsText } from '../parts/parts-texts.js'
import { type DeskTextKey, deskText } from './desk-texts.js'
import { useSession } from './session.js'
import { StoredNow, TextField } from './text-field.js'

type Codes = Iterable<readonly [code: string, text: string]>

export const CodeOptions = ({ codes }: { codes: Codes }) => (
  <>
    {[...codes].map(([code, text]) => (
      <option key={code} value={code}>
        {text}
      </option>
    ))}
  </>
)

interface CodeFieldProps {
  label: DeskTextKey
  name: string
  codes: Codes
  /** The code that is selected at first. */
  value?: string | undefined
}

/** A field of a form for one of several codes, which must be chosen. */
export function CodeField({ label, name, codes, value }: CodeFieldProps) {
  const { error } = useFormField<string>(name)
  /** The user's choice stays when another user changes the value. */
  const [chosen, choose] = useState<string>()
  const all = [...codes]
  return (
    <label>
      {`${deskText(label)} (${partsText('required')})`}
      <select
        {...{ name, required: true, 'aria-invalid': error ? true : undefined }}
        value={chosen ?? value ?? ''}
        onChange={({ currentTarget }) => choose(currentTarget.value)}
      >
        <option value="">–</option>
        <CodeOptions codes={all} />
      </select>
      <StoredNow value={all.find(([code]) => code === value)?.[1] ?? ''} />
      {error && <span class="error">✗ {error}</span>}
    </label>
  )
}

interface ChoicesProps {
  label: DeskTextKey
  /** Whether the label is shown even if there is only one choice. */
  hasLabel?: boolean
  value: string
  choices: readonly (readonly [value: string, text: string])[]
  onChoose(value: string): void
}

/** A choice that changes the content of a view. Renders nothing if there is only one choice. */
export function Choices({ label, hasLabel = false, value, choices, onChoose }: ChoicesProps) {
  if (choices.length < 2 && !hasLabel) return null
  return (
    <label>
      <span class={hasLabel ? undefined : 'hidden'}>{deskText(label)}</span>
      <select value={value} onChange={({ currentTarget }) => onChoose(currentTarget.value)}>
        <CodeOptions codes={choices} />
      </select>
    </label>
  )
}

const providerReasons = new Set(['OUT_OF_STOCK', 'DISCONTINUED', 'NOT_DELIVERABLE', 'NO_ANSWER'])

/** Fields for the reason of a transition that the user makes. */
export function ReasonFields() {
  const { codes, isProvider } = useSession()
  const fitting = [...codes['order-status-reason']].filter(
    ([code]) => isProvider || !providerReasons.has(code)
  )
  return (
    <>
      <CodeField label="reason" name="code" codes={fitting} />
      <TextField label="reasonText" name="text" rows={3} />
    </>
  )
}
