import t from 'tap'
import { testApp } from '../fixtures/app.js'
import { rowFor, sheetsWith } from '../fixtures/excel/catalogue-rows.js'
import { upload } from '../fixtures/excel/client.js'
import { orders, organization, world } from '../fixtures/world.js'

const app = await testApp(t)
const { clerk, provider } = await world(app)
const seller = (name: string) =>
  clerk.create(`${orders}/party`, { name, organization: organization('provider'), allowedRoles: ['SELLER'] })
await seller('Medico  Nord ApS')
await seller('Twin')
await seller('TWIN')
await clerk.create(`${orders}/party`, {
  ...{ name: 'Hidden Seller', organization: organization('other-provider'), allowedRoles: ['SELLER'] }
})

const check = async (name: string, caller = clerk) => {
  const sheets = sheetsWith({
    Catalogue: [rowFor.Catalogue({ Name: `Of ${name}`, Seller: name })],
    Devices: [rowFor.Devices('N-1')]
  })
  const { status, body } = await upload(caller, 'POST', '/catalogue?dryRun=true', sheets)
  return status === 200 ? 'found' : body.faults
}

t.test('the name of a party in a workbook may differ in case and spaces', async (t) => {
  for (const name of ['Medico  Nord ApS', 'medico nord aps', ' MEDICO   NORD  APS ', 'Twin', 'TWIN'])
    t.equal(await check(name), 'found', name)
  t.match(await check('twin'), [{ code: 'ambiguous-party', cell: 'B2' }])
})

t.test('a similar name is proposed in both languages', async (t) => {
  t.match(await check('Medico Nordd ApS'), [
    {
      code: 'dangling-reference',
      details: {
        en: /with the role Seller\. Did you mean “Medico {2}Nord ApS”\?$/,
        da: /med rollen Leverandør\. Mente du »Medico {2}Nord ApS«\?$/
      }
    }
  ])
  t.match(await check('Somebody else'), [
    { details: { en: /Choose one from the list\.$/, da: /Vælg en fra listen\.$/ } }
  ])
})

t.test('the texts do not mention parties that the caller may not see', async (t) => {
  for (const name of ['hidden seller', 'Hidden Sellerr'])
    t.notMatch(JSON.stringify(await check(name, provider)), /Hidden Seller[^r]/, name)
})
