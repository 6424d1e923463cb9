import type { Contract, ContractInput, Party } from '../../../clients/typescript/src/index.js'
import { ActionButton, ActionForm, textOf } from '../../parts/actions.js'
import { useCreateOnce } from '../../parts/drafts.js'
import { fullDateText, today } from '../../parts/texts.js'
import { CodeField } from '../code-fields.js'
import { deskText } from '../desk-texts.js'
import type { ViewProps } from '../links.js'
import { joined } from '../resource-texts.js'
import { useApi, useSession } from '../session.js'
import { StoredNow, TextField } from '../text-field.js'
import { ViewHead } from '../view-head.js'
import { dayOf, isInForce, loadParties } from './contracts.js'
import { EditView } from './edit-view.js'

const dayFields = ['answerDays', 'reminderDays', 'expiryReminderDays'] as const

/** A new contract, or a contract to correct or to end. */
export function ContractView({ id }: ViewProps) {
  const { client } = useSession()
  const isNew = id === 'new'
  const call = useApi(
    async (session, signal) => {
      const [parties, stored] = await Promise.all([
        loadParties(session, signal),
        isNew ? undefined : session.client.order.getContract(id, { signal })
      ])
      return { parties, contract: stored?.data, etag: stored?.etag }
    },
    [id]
  )
  const createOnce = useCreateOnce('contract')
  const write = (body: ContractInput) =>
    isNew
      ? createOnce(body, (options) => client.order.createContract(body, options))
      : client.order.replaceContractById(id, body, { ifMatch: call.data?.etag })
  return (
    <EditView list="contracts" call={call}>
      {({ parties, contract }, save) => {
        function end(data: FormData) {
          const day = textOf(data, 'end') ?? today()
          const { id: _, validityPeriod, ...others } = contract as Contract
          const body = { ...others, validityPeriod: { start: dayOf(validityPeriod.start), end: day } }
          return save(() => write(body), deskText('contractEnded', { day: fullDateText(day) }))
        }
        return (
          <>
            <ViewHead
              title={contract?.name ?? deskText('newContract')}
              actions={
                contract &&
                isInForce(contract) && (
                  <ActionButton label={deskText('endContract')} isDangerous act={end}>
                    <p>{deskText('contractEndEffect')}</p>
                    <TextField label="lastDay" name="end" type="date" value={today()} required />
                  </ActionButton>
                )
              }
            />
            <section class="card form in">
              <ActionForm
                label={deskText(isNew ? 'createContract' : 'save')}
                act={(data) =>
                  save(() => write(contractIn(data)), deskText(isNew ? 'contractCreated' : 'saved'))
                }
              >
                <ContractFields contract={contract} parties={parties} />
              </ActionForm>
            </section>
          </>
        )
      }}
    </EditView>
  )
}

function ContractFields(props: { contract: Contract | undefined; parties: ReadonlyMap<string, Party> }) {
  const { contract, parties } = props
  const { me } = useSession()
  const { start, end } = contract?.validityPeriod ?? {}
  const partiesAs = (role: Party['allowedRoles'][number]) =>
    [...parties].filter(([, { allowedRoles }]) => allowedRoles.includes(role))
  const select = (name: 'seller' | 'account', role: 'SELLER' | 'ACCOUNTING') => (
    <CodeField
      label={name}
      name={name}
      value={contract?.[name]}
      codes={partiesAs(role).map(([url, party]) => [url, party.name])}
    />
  )
  const buyers = partiesAs('BUYER')
  const chosen = contract?.buyer ?? me.administeredBuyers
  return (
    <>
      <TextField label="name" name="name" value={contract?.name} required />
      <div class="fields">
        {select('seller', 'SELLER')}
        {select('account', 'ACCOUNTING')}
        <TextField label="firstDay" name="start" type="date" value={start && dayOf(start)} required />
        <TextField label="lastDay" name="end" type="date" value={end && dayOf(end)} required />
        {dayFields.map((name) => (
          <TextField key={name} label={name} name={name} type="number" value={contract?.[name]} />
        ))}
      </div>
      <fieldset class="stack">
        <legend>{deskText('buyers')}</legend>
        {buyers.map(([url, { name }]) => (
          <label key={url}>
            <input type="checkbox" name="buyer" value={url} defaultChecked={chosen.includes(url)} /> {name}
          </label>
        ))}
        <StoredNow value={joined(', ', ...buyers.map(([url, { name }]) => chosen.includes(url) && name))} />
      </fieldset>
    </>
  )
}

function contractIn(data: FormData) {
  const daysOf = (name: string) => (textOf(data, name) === null ? null : Number(textOf(data, name)))
  const text = (name: string) => textOf(data, name) ?? ''
  return {
    name: text('name'),
    seller: text('seller'),
    account: text('account'),
    buyer: data.getAll('buyer').map(String),
    validityPeriod: { start: text('start'), end: text('end') },
    answerDays: daysOf('answerDays'),
    reminderDays: daysOf('reminderDays'),
    expiryReminderDays: daysOf('expiryReminderDays')
  }
}
