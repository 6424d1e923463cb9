import type { Receiver } from '../../../clients/typescript/src/index.js'
import { textOf } from '../../../pages/parts/actions.js'
import { Field } from '../../../pages/parts/field.js'
import { Loaded } from '../../../pages/parts/loaded.js'
import { DataTable } from '../../../pages/parts/table.js'
import { deskText, deskTextsOf } from '../desk-texts.js'
import { DeskLink, openView, replaceQuery } from '../links.js'
import { addressOf } from '../resource-texts.js'
import { SearchForm } from '../search-form.js'
import { useApi, useSession } from '../session.js'

/**
 * Finds a patient: one for whom the organization ordered before, or any by its id. Replace this
 * view by the search of your own system, which opens `#/patient/<URL of the patient>`.
 */
export function PatientsView({ query }: { query: URLSearchParams }) {
  const { me } = useSession()
  const q = query.get('q') ?? ''
  const call = useApi(
    ({ client }, signal) => client.order.listOrder({ limit: 200, ...(q && { q }) }, { signal }).first(),
    [q]
  )

  function open(event: SubmitEvent) {
    event.preventDefault()
    const id = textOf(new FormData(event.currentTarget as HTMLFormElement), 'patient') ?? ''
    // The patients are in the same clinical system as the organization.
    const base = me.organization?.replace(/Organization\/[^/]*$/, 'Patient/') ?? ''
    openView(['patient', URL.canParse(id) ? id : base + id])
  }

  return (
    <>
      <h2>{deskText('patients')}</h2>
      <SearchForm
        label={deskText('searchPatients')}
        value={q}
        onSearch={(q) => replaceQuery(['patients'], { q })}
      />
      <Loaded call={call}>
        {({ entries }) => {
          const rows = receiversOf(entries).map((receiver) => [
            <DeskLink key={receiver.patient} to={['patient', receiver.patient]}>
              {receiver.name}
            </DeskLink>,
            addressOf(receiver)
          ])
          return rows.length === 0 ? (
            <p>{deskText('noPatients')}</p>
          ) : (
            <DataTable label={deskText('patients')} heads={deskTextsOf('name', 'address')} rows={rows} />
          )
        }}
      </Loaded>
      <details>
        <summary>{deskText('otherPatient')}</summary>
        <form onSubmit={open}>
          <Field label={deskText('patientId')} hint={deskText('patientIdHint')} required>
            {(field) => <input {...field} name="patient" autocomplete="off" maxLength={1000} />}
          </Field>
          <button type="submit">{deskText('openPatient')}</button>
        </form>
      </details>
    </>
  )
}

/** The receivers of orders, the latest of each patient, by name. */
function receiversOf(orders: readonly { receiver: Receiver }[]): Receiver[] {
  const found = new Map<string, Receiver>()
  for (const { receiver } of orders) if (!found.has(receiver.patient)) found.set(receiver.patient, receiver)
  return [...found.values()].sort((one, other) => one.name.localeCompare(other.name))
}
