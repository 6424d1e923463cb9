import type { Party } from '../../../clients/typescript/src/index.js'
import { Card, EmailText, FactList } from '../card.js'
import { deskText } from '../desk-texts.js'
import { DeskLink } from '../links.js'
import { agreedText, joined, periodText } from '../resource-texts.js'
import { useSession } from '../session.js'
import type { OrderPart } from './order-part.js'

/** The receiver, the delivery wish and the agreed time. */
export function OrderFacts({ order, orderLines, expanded }: OrderPart) {
  const { isProvider, partner } = useSession()
  const { receiver } = order
  const party = expanded[order[partner]] as Party | undefined
  const times = new Set(orderLines.map(agreedText).filter(Boolean))
  return (
    <>
      <Card title={deskText('receiver')}>
        {receiver.patientName && (
          <p>
            {deskText('patient')}: {receiver.patientName}
          </p>
        )}
        <address>
          <b>{receiver.name}</b>
          {[
            receiver.addressLine1,
            receiver.addressLine2,
            joined(' ', receiver.postalCode, receiver.postalDistrict)
          ].map((line) => line && <div key={line}>{line}</div>)}
          {receiver.phone && <a href={`tel:${receiver.phone.replace(/[^+\d]/g, '')}`}>{receiver.phone}</a>}
          <Mail email={receiver.email} />
        </address>
        {!isProvider && (
          <p class="apart">
            <DeskLink to={['patient', receiver.patient]}>{deskText('showPatient')}</DeskLink>
          </p>
        )}
      </Card>
      <Card title={deskText('delivery')}>
        <FactList
          facts={[
            ['wish', periodText(order.earliestDeliveryDate, order.latestDeliveryDate)],
            ['agreed', [...times].join(', ')],
            [partner, party && [party.name, <Mail key="mail" {...party} />]]
          ]}
        />
      </Card>
    </>
  )
}

const Mail = ({ email }: { email?: string | null | undefined }) =>
  email ? (
    <div>
      <a href={`mailto:${email}`}>
        <EmailText email={email} />
      </a>
    </div>
  ) : null
