interface ChoicesProps {
  label: string
  value: string
  choices: readonly (readonly [value: string, text: string])[]
  onChoose(value: string): void
}

/** A choice that changes what a view shows. */
export const Choices = ({ label, value, choices, onChoose }: ChoicesProps) => (
  <select
    class="short"
    aria-label={label}
    value={value}
    onChange={({ currentTarget }) => onChoose(currentTarget.value)}
  >
    {choices.map(([each, text]) => (
      <option key={each} value={each}>
        {text}
      </option>
    ))}
  </select>
)
