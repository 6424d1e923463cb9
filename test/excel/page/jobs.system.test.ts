import t from 'tap'
import { unsignedToken } from '../../../src/home/unsigned-token.js'
import { testApp } from '../../fixtures/app.js'
import { browserFor, skip } from '../../fixtures/browser.js'
import { front } from '../../fixtures/excel/front.js'
import { clean, faulty } from '../../fixtures/excel/sheets.js'
import { uploadPage } from '../../fixtures/excel/upload-page.js'
import { catalogue, organization, world } from '../../fixtures/world.js'

/*
 * The page for workbooks while the server takes its time: how far it has come, and what is told when the way to it is lost.
 */

const token = unsignedToken({ userType: 'Provider', organization: organization('provider') })
const phases = [
  { phase: 'reading', rowsDone: 0, rows: 0 },
  { phase: 'checking', rowsDone: 500, rows: 2000 },
  { phase: 'writing', rowsDone: 1999, rows: 2000 }
]

t.test('a workbook that takes its time', { skip }, async (t) => {
  const app = await testApp(t)
  const { provider } = await world(app)
  const browser = await browserFor(t)
  const count = async () => (await provider.get(`${catalogue}/catalogues`)).body.length
  let opens = 0
  const opened = async (...[t, wish]: [Parameters<typeof front>[0], Parameters<typeof front>[2]?]) => {
    const person = await uploadPage(browser, await front(t, app.app, wish))
    await person.give(token)
    // Each a catalogue of its own: a second one with the same identifier is refused.
    await person.choose(await clean(`Home devices ${++opens}`))
    return person
  }

  await t.test('shows how far it is', async (t) => {
    const person = await opened(t, { phases })
    const { page } = person
    const bar = page.locator('#check-progress progress')
    const seen: { status: string; text: string; value: string | null; max: string | null }[] = []
    await page.exposeFunction('saw', (what: (typeof seen)[number]) => seen.push(what))
    await page.evaluate(`new MutationObserver(() => {
      const progress = document.querySelector('#check-progress progress')
      saw({
        status: document.querySelector('#check-progress [role=status]').textContent,
        text: document.querySelector('#check-progress').textContent,
        value: progress?.getAttribute('value'),
        max: progress?.getAttribute('max')
      })
    }).observe(document.querySelector('#check-progress'), { childList: true, subtree: true, attributes: true })`)
    await page.locator('#check').click()
    await page.getByText('Row 500 of 2,000').waitFor()
    t.equal(await bar.getAttribute('aria-label'), 'Progress')
    t.notOk(await person.isOpen('check'))
    t.ok(await page.locator('#target-old').isDisabled(), 'nothing else can be chosen meanwhile')
    await person.choose(await faulty(), 'other.xlsx')
    await page.getByText('✓ No faults').waitFor()
    t.match(await page.locator('#file-state').innerText(), /catalogue\.xlsx/)
    t.notOk(await page.locator('#check-progress').isVisible())
    t.ok(
      seen.some(
        ({ text, value, max }) => text.includes('Row 500 of 2,000') && value === '500' && max === '2000'
      )
    )
    const announced = [...new Set(seen.map(({ status }) => status))].filter((status) => status !== '')
    t.match(announced, [/sent/, /read/, /checked/, /written/])
    t.match(await (await person.take('import')).innerText(), /✓ Imported[\s\S]*2 items were added\./)
    await person.choose(await faulty())
    t.match(await (await person.take('check')).innerText(), /✗ 5 faults/)
    t.equal((await person.rows()).length, 5)
    t.same(person.faults, [])
    await page.close()
  })

  await t.test('is done as well by a server that does it at once', async (t) => {
    const person = await opened(t)
    t.match(await (await person.take('check')).innerText(), /✓ No faults/)
    t.match(await (await person.take('import')).innerText(), /✓ Imported/)
    t.same(person.faults, [])
    await person.page.close()
  })

  await t.test('is looked at again when a look fails', async (t) => {
    const person = await opened(t, { phases: [], missed: { looks: 2, status: 503 } })
    t.match(await (await person.take('check')).innerText(), /✓ No faults/)
    await person.page.close()
  })

  await t.test('goes on when the token has run out', async (t) => {
    const person = await opened(t, { phases: [], missed: { looks: 1, status: 401 } })
    await person.page.locator('#check').click()
    await person.page.getByText(/^✗ The server does not accept the access key/).waitFor()
    await person.give(token)
    await person.page.getByText('✓ No faults').waitFor()
    await person.page.close()
  })

  await t.test('may be interrupted', async (t) => {
    const end = { state: 'interrupted', phase: 'checking', report: null, problem: null }
    const person = await opened(t, { phases, end })
    t.match(await (await person.take('check')).innerText(), /✗ It did not succeed\s+The server stopped/)
    t.notOk(await person.isOpen('import'))
    t.ok(await person.isOpen('check'), 'it can be tried again')
    await person.page.close()
  })

  for (const lost of ['all', 'half'] as const)
    await t.test(`may end where nobody sees it: ${lost} of the answer is lost`, async (t) => {
      const before = await count()
      const person = await opened(t, { lost })
      await person.take('check')
      t.match(await (await person.take('import')).innerText(), /may or may not have been imported/)
      t.equal(await count(), before + 1, 'as here, where it was done')
      t.notOk(await person.isOpen('import'), 'and nobody does it twice unawares')
      await person.page.close()
    })
})
