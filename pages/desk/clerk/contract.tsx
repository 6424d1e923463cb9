import type { Contract, ContractInput, Party } from '../../../clients/typescript/src/index.js'
import { ActionButton, ActionForm, textOf } from '../../parts/actions.js'
import { useDraft } from '../../parts/drafts.js'
import { Loaded } from '../../parts/loaded.js'
import { dateText, today } from '../../parts/texts.js'
import { showToast } from '../../parts/toasts.js'
import { CodeField } from '../code-fields.js'
import { deskText } from '../desk-texts.js'
import { DeskLink, openView, type ViewProps } from '../links.js'
import { joined } from '../resource-texts.js'
import { useApi, useSession } from '../session.js'
import { StoredNow, TextField } from '../text-field.js'
import { ViewHead } from '../view-head.js'
import { dayOf, loadParties } from './contracts.js'

const dayFields = ['answerDays', 'reminderDays', 'expiryReminderDays'] as const

/** A new contract, or one to correct or to end. */
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
  const { contract, etag } = call.data ?? {}
  const [last, setLast] = useDraft<{ text: string; key: string }>('sent contract')

  /** Creates the contract once, also if it is sent again after a response was lost. */
  async function create(body: ContractInput): Promise<void> {
    const text = JSON.stringify(body)
    const sent = last?.text === text ? last : { text, key: crypto.randomUUID() }
    setLast(sent)
    await client.order.createContract(body, { idempotencyKey: sent.key })
    setLast(undefined)
  }

  /** Writes the contract, unless it has changed since the page read it. */
  async function save(body: ContractInput, done: string): Promise<void> {
    try {
      if (isNew) await create(body)
      else await client.order.replaceContractById(id, body, etag === undefined ? {} : { ifMatch: etag })
    } finally {
      call.reload()
    }
    showToast(`✓ ${done}`)
    openView(['contracts'])
  }
  function end(data: FormData) {
    const day = textOf(data, 'end') ?? today()
    const { id: _, validityPeriod, ...others } = contract as Contract
    const body = { ...others, validityPeriod: { start: dayOf(validityPeriod.start), end: day } }
    return save(body, deskText('contractEnded', { day: dateText(day) }))
  }
  return (
    <>
      <p>
        <DeskLink to={['contracts']}>‹ {deskText('contracts')}</DeskLink>
      </p>
      <Loaded call={call}>
        {({ parties }) => (
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
                act={(data) => save(contractIn(data), deskText(isNew ? 'contractCreated' : 'saved'))}
              >
                <ContractFields contract={contract} parties={parties} />
              </ActionForm>
            </section>
          </>
        )}
      </Loaded>
    </>
  )
}

/** Whether a contract is in force today: only then an earlier end means something. */
const isInForce = ({ validityPeriod: { start, end } }: Contract) =>
  dayOf(start) <= today() && today() <= dayOf(end)

interface ContractFieldsProps {
  contract: Contract | undefined
  parties: ReadonlyMap<string, Party>
}

function ContractFields({ contract, parties }: ContractFieldsProps) {
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

/** The contract that the fields describe. */
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
