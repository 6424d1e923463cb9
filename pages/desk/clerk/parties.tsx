import type { Party } from '../../../clients/typescript/src/index.js'
import { ActionForm, textOf } from '../../parts/actions.js'
import { byName, readList } from '../../parts/list.js'
import { EmailText } from '../card.js'
import { deskText, deskTextsOf } from '../desk-texts.js'
import { DeskLink, type ViewProps } from '../links.js'
import { ListView } from '../lists/list-view.js'
import { PagedTable } from '../lists/pager.js'
import { SearchForm } from '../search-form.js'
import { useApi, useSession } from '../session.js'
import { TextField } from '../text-field.js'
import { ViewHead } from '../view-head.js'
import { EditView } from './edit-view.js'

/** The parties that the user's organization administers. */
export function PartiesView({ query }: ViewProps) {
  const q = query.get('q') ?? ''
  const call = useApi(
    async ({ client, me, urlOf }, signal) => {
      const wanted = q ? { q } : {}
      const { entries } = await readList((limit) => client.order.listParty({ ...wanted, limit }, { signal }))
      const { parties, administeredBuyers, administeredSellers } = me
      const own = administeredSellers && new Set([...parties, ...administeredBuyers, ...administeredSellers])
      return entries.filter((party) => !own || own.has(urlOf.party(party))).sort(byName)
    },
    [q]
  )
  const title = deskText('parties')
  return (
    <ListView
      title={title}
      tabTitle={`${title} (${call.data?.length ?? '…'})`}
      call={call}
      filter={<SearchForm label="searchParties" to={['parties']} query={query} />}
    >
      {(entries) => (
        <PagedTable
          table={{
            label: title,
            heads: deskTextsOf('name', 'roles', 'email'),
            none: deskText(q ? 'noPartiesMatch' : 'noParties', { q }),
            instead: (
              <DeskLink to={q ? ['parties'] : ['contracts']} class="button quiet">
                {deskText(q ? 'showAll' : 'contracts')}
              </DeskLink>
            )
          }}
          entries={entries}
          rowOf={partyRow}
          to={['parties']}
          query={query}
        />
      )}
    </ListView>
  )
}

const roleTexts = { BUYER: 'buyer', SELLER: 'seller', ACCOUNTING: 'payer' } as const

const rolesText = ({ allowedRoles }: Party) =>
  allowedRoles.map((role) => deskText(roleTexts[role])).join(', ')

const partyRow = (party: Party) => [
  <DeskLink key={party.id} to={['party', party.id]}>
    {party.name}
  </DeskLink>,
  rolesText(party),
  party.email ? <EmailText email={party.email} /> : <span class="tag amber">{deskText('emailMissing')}</span>
]

/** A party, whose name and e-mail address can be corrected. */
export function PartyView({ id }: ViewProps) {
  const { client } = useSession()
  const call = useApi((session, signal) => session.client.order.getParty(id, { signal }), [id])
  return (
    <EditView list="parties" call={call}>
      {({ data: party, etag }, save) => {
        const write = (form: FormData) => {
          const body = { ...party, name: textOf(form, 'name') ?? '', email: textOf(form, 'email') }
          return client.order.replacePartyById(id, body, { ifMatch: etag })
        }
        return (
          <>
            <ViewHead title={party.name}>
              <p class="soft">{rolesText(party)}</p>
            </ViewHead>
            <section class="card form in">
              <ActionForm label={deskText('save')} act={(form) => save(() => write(form))}>
                <TextField label="name" name="name" value={party.name} required />
                <TextField label="email" name="email" type="email" hint="emailHint" value={party.email} />
              </ActionForm>
            </section>
          </>
        )
      }}
    </EditView>
  )
}
