import { partsText } from '../parts/parts-texts.js'
import { deskText } from './desk-texts.js'

interface CodesProps {
  codes: ReadonlyMap<string, string>
}

/** Codes to choose from, in a `select`. */
export const CodeOptions = ({ codes }: CodesProps) => (
  <>
    {[...codes].map(([code, text]) => (
      <option key={code} value={code}>
        {text}
      </option>
    ))}
  </>
)

/** A field of a form for a reason, which must be chosen. */
export const CodeField = ({ name, codes }: CodesProps & { name: string }) => (
  <label>
    {`${deskText('reason')} (${partsText('required')})`}
    <select name={name} required>
      <option value="">–</option>
      <CodeOptions codes={codes} />
    </select>
  </label>
)
