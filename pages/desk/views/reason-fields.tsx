import { partsText } from '../../parts/parts-texts.js'
import { CodeOptions } from '../code-options.js'
import { deskText } from '../desk-texts.js'
import { useSession } from '../session.js'
import { TextField } from '../text-field.js'

/** The reasons that only a provider has. */
const ofProviders = new Set(['OUT_OF_STOCK', 'DISCONTINUED', 'NOT_DELIVERABLE', 'NO_ANSWER'])

/** Fields for the reason of a transition that the user makes. */
export function ReasonFields() {
  const { codes, isProvider } = useSession()
  const all = [...codes['order-status-reason']]
  const fitting = new Map(all.filter(([code]) => isProvider || !ofProviders.has(code)))
  return (
    <>
      <label>
        {`${deskText('reason')} (${partsText('required')})`}
        <select name="code" required>
          <option value="">–</option>
          <CodeOptions codes={fitting} />
        </select>
      </label>
      <TextField label="reasonText" name="text" rows={3} />
    </>
  )
}
