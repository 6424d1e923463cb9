import { useFieldError } from '../parts/actions.js'
import { partsText } from '../parts/parts-texts.js'
import { type DeskTextKey, deskText } from './desk-texts.js'

interface SelectFieldProps {
  label: DeskTextKey
  name: string
  value?: string | undefined
  choices: Iterable<readonly [value: string, text: string]>
}

/** A field of a form for one of several choices. */
export function SelectField({ label, name, value, choices }: SelectFieldProps) {
  const error = useFieldError(name)
  return (
    <label>
      {`${deskText(label)} (${partsText('required')})`}
      <select name={name} required aria-invalid={error ? true : undefined}>
        <option value="">–</option>
        {[...choices].map(([each, text]) => (
          <option key={each} value={each} selected={each === value}>
            {text}
          </option>
        ))}
      </select>
      {error && <span class="error">✗ {error}</span>}
    </label>
  )
}
