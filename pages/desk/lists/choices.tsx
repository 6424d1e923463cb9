import { CodeOptions } from '../code-fields.js'
import { type DeskTextKey, deskText } from '../desk-texts.js'

interface ChoicesProps {
  label: DeskTextKey
  value: string
  choices: readonly (readonly [value: string, text: string])[]
  onChoose(value: string): void
}

/** A choice that changes what a view shows; nothing where only one thing can be chosen. */
export const Choices = ({ label, value, choices, onChoose }: ChoicesProps) =>
  choices.length > 1 ? (
    <select
      class="short"
      aria-label={deskText(label)}
      value={value}
      onChange={({ currentTarget }) => onChoose(currentTarget.value)}
    >
      <CodeOptions codes={choices} />
    </select>
  ) : null
