import type { ComponentChildren } from 'preact'
import type { Party } from '../../../clients/typescript/src/index.js'
import { Card } from '../card.js'
import { deskText } from '../desk-texts.js'
import { DeskLink } from '../links.js'
import { agreedText, joined, periodText } from '../resource-texts.js'
import { useSession } from '../session.js'
import type { OrderPart } from './order-part.js'

/** Who receives the delivery, and when it is wished and agreed. */
export function OrderFacts({ order, orderLines, expanded }: OrderPart) {
  const { isProvider } = useSession()
  const { receiver } = order
  const party = expanded[isProvider ? order.buyer : order.seller] as Party | undefined
  const times = new Set(orderLines.map(agreedText).filter(Boolean))
  const facts: readonly (readonly [name: string, value: ComponentChildren])[] = [
    [deskText('wish'), periodText(order.earliestDeliveryDate, order.latestDeliveryDate)],
    [deskText('agreed'), [...times].join(', ')],
    [
      deskText(isProvider ? 'buyer' : 'seller'),
      party && (
        <>
          {party.name}
          {party.email && (
            <>
              <br />
              <a href={`mailto:${party.email}`}>{party.email}</a>
            </>
          )}
        </>
      )
    ]
  ]
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
          {receiver.email && (
            <div>
              <a href={`mailto:${receiver.email}`}>{receiver.email}</a>
            </div>
          )}
        </address>
        {!isProvider && (
          <p class="apart">
            <DeskLink to={['patient', receiver.patient]}>{deskText('showPatient')}</DeskLink>
          </p>
        )}
      </Card>
      <Card title={deskText('delivery')}>
        <dl>
          {facts.map(
            ([name, value]) =>
              value && (
                <>
                  <dt>{name}</dt>
                  <dd>{value}</dd>
                </>
              )
          )}
        </dl>
      </Card>
    </>
  )
}
