import { CodeOptions } from '../code-fields.js'
import { type DeskTextKey, deskText } from '../desk-texts.js'

interface ChoicesProps {
  label: DeskTextKey
  /** Whether the label is shown, also where only one thing can be chosen. */
  hasLabel?: boolean
  value: string
  choices: readonly (readonly [value: string, text: string])[]
  onChoose(value: string): void
}

/** A choice that changes what a view shows; nothing where only one thing can be chosen. */
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
