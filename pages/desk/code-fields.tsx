import { partsText } from '../parts/parts-texts.js'
import { deskText } from './desk-texts.js'
import { useSession } from './session.js'
import { TextField } from './text-field.js'

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

/** The reasons that only a provider has. */
const ofProviders = new Set(['OUT_OF_STOCK', 'DISCONTINUED', 'NOT_DELIVERABLE', 'NO_ANSWER'])

/** Fields for the reason of a transition that the user makes. */
export function ReasonFields() {
  const { codes, isProvider } = useSession()
  const all = [...codes['order-status-reason']]
  return (
    <>
      <CodeField name="code" codes={new Map(all.filter(([code]) => isProvider || !ofProviders.has(code)))} />
      <TextField label="reasonText" name="text" rows={3} />
    </>
  )
}
