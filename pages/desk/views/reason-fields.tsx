import { CodeField } from '../code-options.js'
import { useSession } from '../session.js'
import { TextField } from '../text-field.js'

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
