import t from 'tap'
import { testApp } from '../../fixtures/app.js'
import { callers } from '../../fixtures/callers.js'
import { startIssuer } from '../../fixtures/issuer.js'
import { unknownId as newId } from '../../fixtures/routes/addresses.js'
import { orders, organization } from '../../fixtures/world.js'

const party = { allowedRoles: ['BUYER'], name: 'Town', organization: organization('town') }

t.test('an unsigned token names the id of what it creates', async (t) => {
  const { as } = await testApp(t)
  const clerk = (id: string) => as('AdministrativeClerk', organization('town'), { newId: id })
  t.match(await clerk(newId).create(`${orders}/party`, party), new RegExp(`/party/${newId}$`))
  t.match(await clerk('../order').create(`${orders}/party`, party), /\/party\/[0-9a-f-]{36}$/)
})

t.test('a signed token names no id', async (t) => {
  const issuer = await startIssuer(t)
  const { app } = await testApp(t, {
    ENVIRONMENT: 'inttest',
    PUBLIC_URL: 'https://ssl.example',
    DATABASE_URL: 'postgres://nowhere.example/ssl',
    TOKEN_ISSUERS: issuer.url
  })
  const authorization = await issuer.sign({
    user_type: 'AdministrativeClerk',
    realm_access: { roles: ['Party.*'] },
    context: { organization_id: organization('town') },
    new_id: newId
  })
  const { status, headers } = await callers(app)().send({
    method: 'POST',
    url: `${orders}/party`,
    headers: { authorization, 'content-type': 'application/json' },
    payload: JSON.stringify(party)
  })
  t.equal(status, 201)
  t.notMatch(headers.location, newId)
})
