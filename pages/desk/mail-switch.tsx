import { ProblemError } from '../../clients/typescript/src/index.js'
import { useAction } from '../parts/actions.js'
import { metaContent } from '../parts/calls.js'
import { ErrorMessage } from '../parts/errors.js'
import { type DeskTextKey, deskText } from './desk-texts.js'
import { type Session, useApi, useSession } from './session.js'

/** The types of events that a mail counts, by its receiver. */
const answers = ['order.status-changed', 'order.awaiting-changed', 'order.overdue'] as const
const typesFor = ({ isProvider }: Session) =>
  isProvider ? (['order.submitted', ...answers] as const) : answers

/** The address of the first party of the organization that has an address. */
const addressOf = ({ me, partyOf }: Session) => me.parties.map((url) => partyOf(url)?.email).find(Boolean)

/**
 * The subscriptions of users of this type to mail. Subscriptions of other user types have other
 * rights.
 */
async function mailsOf(session: Session, signal: AbortSignal) {
  const target = `mailto:${addressOf(session)}`.toLowerCase()
  const all = await session.client.order.listSubscription({}, { signal }).all()
  return all.filter((each) => each.userType === session.me.userType && each.target.toLowerCase() === target)
}

type Mail = Awaited<ReturnType<typeof mailsOf>>[number]

/** Whether a subscription delivers, or will deliver after its first mail was accepted. */
const isOn = ({ status }: Mail) => status === 'ACTIVE' || status === 'PENDING'

/** Whether no party of the organization has the address any more. */
const isRefused = (error: unknown) => error instanceof ProblemError && error.code === 'target-not-allowed'

/**
 * A switch for mail about the orders of the organization. Renders nothing if the server sends no
 * mail or the user may not read, create and delete subscriptions.
 */
export function MailSwitch() {
  const session = useSession()
  const { client, may } = session
  const isOffered =
    metaContent('has-mail') === 'true' &&
    (['read', 'create', 'delete'] as const).every((verb) => may('Subscription', verb))
  const call = useApi(async (session, signal) => (isOffered ? mailsOf(session, signal) : undefined), [])
  const { isBusy, error, run } = useAction(() => toggle().finally(call.reload))
  const address = addressOf(session)
  const mails = call.data ?? []
  const isChecked = mails.some(isOn)
  async function toggle() {
    for (const { id } of mails) await client.order.deleteSubscription(id)
    if (!isChecked)
      await client.order.createSubscription({ target: `mailto:${address}`, types: [...typesFor(session)] })
  }
  if (!isOffered || !call.data) return <ErrorMessage error={isOffered ? call.error : undefined} />

  const onChange = ({ currentTarget }: { currentTarget: HTMLInputElement }) => {
    // The box shows the stored state.
    currentTarget.checked = isChecked
    if (isChecked || address) run(new FormData())
  }
  return (
    <div class="stack">
      <label aria-busy={isBusy}>
        <input
          type="checkbox"
          role="switch"
          aria-checked={isChecked}
          checked={isChecked}
          onChange={onChange}
          disabled={!isChecked && !address}
        />
        {deskText('mail')}
      </label>
      <small role="status">{deskText(stateOf(mails, address), { address: address ?? '' })}</small>
      {isRefused(error) ? (
        <p class="bad" role="alert">
          ✗ {deskText('mailRefused')}
        </p>
      ) : (
        <ErrorMessage error={error} />
      )}
    </div>
  )
}

function stateOf(mails: readonly Mail[], address: string | null | undefined): DeskTextKey {
  const [mail] = mails.filter(isOn)
  if (!mail) return mails.length > 0 ? 'mailStopped' : address ? 'mailOff' : 'mailNoAddress'
  if (mail.failures > 0) return 'mailFails'
  return mail.status === 'PENDING' ? 'mailPending' : 'mailOn'
}
