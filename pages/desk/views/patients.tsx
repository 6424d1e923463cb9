import { useState } from 'preact/hooks'
import type { Receiver } from '../../../clients/typescript/src/index.js'
import { textOf } from '../../parts/actions.js'
import { ListEnd, readList } from '../../parts/list.js'
import { DataTable } from '../../parts/table.js'
import { Card } from '../card.js'
import { type DeskTextKey, deskText, deskTextsOf } from '../desk-texts.js'
import { DeskLink, openView, type ViewProps } from '../links.js'
import { ListView } from '../lists/list-view.js'
import { addressOf, patientText } from '../resource-texts.js'
import { SearchForm } from '../search-form.js'
import { useApi, useSession } from '../session.js'
import { TextField } from '../text-field.js'

/** Orders whose patients are shown at first, and with each further step. */
const STEP = 100

/**
 * Finds a patient of earlier orders of the organization, or any patient by its id. Replace this
 * view by the search of your own system, which opens `#/patient/<URL of the patient>`.
 */
export function PatientsView({ query }: ViewProps) {
  const { me } = useSession()
  const q = query.get('q') ?? ''
  const [size, setSize] = useState(STEP)
  const call = useApi(
    ({ client }, signal) =>
      readList((limit) => client.order.listOrder({ limit, ...(q && { q }) }, { signal }), size),
    [q],
    [size]
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
      <ListView
        title={deskText('patients')}
        call={call}
        filter={<SearchForm label="searchPatients" to={['patients']} query={query} />}
      >
        {(page) => (
          <>
            <DataTable
              label={deskText('patients')}
              heads={deskTextsOf('name', 'address')}
              rows={receiversOf(page.entries).map((receiver) => [
                <DeskLink key={receiver.patient} to={['patient', receiver.patient]}>
                  {patientText(receiver)}
                </DeskLink>,
                addressOf(receiver)
              ])}
              none={deskText('noPatients')}
            />
            {page.next && <p class="in soft">{deskText('latestOrders', { count: page.entries.length })}</p>}
            <ListEnd page={page} onMore={() => setSize(size + STEP)} />
          </>
        )}
      </ListView>
      <Card title={deskText('otherPatient')}>
        <form onSubmit={open}>
          <TextField label="patient" hint="patientIdHint" name="patient" required refuse={refusePatientId} />
          <button type="submit" class="quiet">
            {deskText('openPatient')}
          </button>
        </form>
      </Card>
    </>
  )
}

/** Refuses malformed ids, and CPR numbers, which the URL of the view would show. */
function refusePatientId(text: string): DeskTextKey | undefined {
  if (/(?<!\d)(0[1-9]|[12]\d|3[01])(0[1-9]|1[0-2])\d\d-?\d{4}$/.test(text)) return 'noCprNumber'
  const isUrl = /^https?:\/\/\S+$/.test(text) && URL.canParse(text)
  return isUrl || /^[A-Za-z0-9.-]{1,64}$/.test(text) ? undefined : 'noPatientId'
}

/** The receivers of orders, the latest of each patient, by the name that is shown. */
function receiversOf(orders: readonly { receiver: Receiver }[]): Receiver[] {
  const found = new Map<string, Receiver>()
  for (const { receiver } of orders) if (!found.has(receiver.patient)) found.set(receiver.patient, receiver)
  const nameOf = ({ patientName, name }: Receiver) => patientName ?? name
  return [...found.values()].sort((one, other) => nameOf(one).localeCompare(nameOf(other), 'da'))
}
