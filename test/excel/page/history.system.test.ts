import t, { type Test } from 'tap'
import { eventually, skipBrowser } from '../../fixtures/browser.js'
import { validWorkbook } from '../../fixtures/excel/catalogue-rows.js'
import { itemsOf } from '../../fixtures/excel/undo.js'
import { uploadSite } from '../../fixtures/excel/upload-page.js'
import { catalogue } from '../../fixtures/world.js'

/* The history of imports on the upload page, and the undo of the last import. */

t.test('the upload page', { skip: skipBrowser }, async (t) => {
  const site = await uploadSite(t)
  const { provider, ...w } = site.w
  const imported = async (t: Test, name: string) => {
    const person = await site.open(t)
    await person.choose(await validWorkbook(name), `${name}.xlsx`)
    await person.take('check')
    await person.take('import')
    await person.page.locator('.history table').waitFor()
    const { body } = await provider.get(`${catalogue}/catalogues?${new URLSearchParams({ name })}`, 200)
    const url = `${w.catalogue.replace(/[^/]*$/, '')}${body.find((each: { name: string }) => each.name === name).id}`
    return { page: person.page, url, history: person.page.locator('.history') }
  }

  await t.test('shows the history after an import, and undoes the import by keyboard', async (t) => {
    const { page, url, history } = await imported(t, 'First')
    await eventually(
      t,
      () => history.innerText(),
      /Imports of this catalogue[\s\S]*Import · Items added: 2\s+First\.xlsx/
    )
    const focused = () => page.evaluate('document.activeElement.textContent')
    const tabTo = async (words: RegExp) => {
      for (let at = 0; at < 15 && !words.test((await focused()) as string); at++)
        await page.keyboard.press('Tab')
      await eventually(t, () => focused(), words)
    }
    await tabTo(/^Undo the import of /)
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').waitFor()
    await eventually(
      t,
      () => focused(),
      /Import · Items added: 2 · First\.xlsx[\s\S]*New items can then no longer be ordered[\s\S]*This cannot be undone/,
      'the question has the focus, and names what is taken back'
    )
    await page.keyboard.press('Escape')
    await eventually(t, () => focused(), /^Undo the import of /, 'the focus returns')
    t.match(
      (await itemsOf(provider, url)).map(({ status }) => status),
      ['AVAILABLE', 'AVAILABLE']
    )
    await page.keyboard.press('Space')
    await page.getByRole('dialog').waitFor()
    await page.keyboard.press('Tab')
    await tabTo(/^Undo the import of /)
    await page.keyboard.press('Enter')
    await page.getByText('✓ The import was undone.').waitFor()
    // The page reloads the history, and removes the button.
    await history.getByText('An import was undone').waitFor()
    await eventually(t, () => focused(), 'Imports of this catalogue')
    await eventually(
      t,
      () => history.innerText(),
      /An import was undone · Items made unavailable: 2[\s\S]*The import was undone/
    )
    await eventually(t, () => history.getByRole('button').count(), 0, 'nothing is left to take back')
    t.match(
      (await itemsOf(provider, url)).map(({ status }) => status),
      ['UNAVAILABLE', 'UNAVAILABLE']
    )
    await page.getByText('It is inactive: nothing can be ordered from it.').waitFor()
    await eventually(t, () => page.locator('.items').innerText(), /cannot be ordered at the moment/)
  })

  await t.test('shows the history of a catalogue that is chosen, in both languages', async (t) => {
    const { url } = await imported(t, 'Second')
    const { page } = await site.open(t, { locale: 'da-DK' })
    const id = url.split('/').at(-1) ?? ''
    await page.locator(`#target option[value="${id}"]`).waitFor({ state: 'attached' })
    t.notOk(await page.locator('#chosen').isVisible(), 'nothing is chosen yet')
    await page.locator('#target').selectOption(id)
    const history = page.locator('.history')
    await history.locator('table').waitFor()
    await eventually(t, () => page.locator('#target option:checked').innerText(), /^Second – .* – aktivt$/)
    await eventually(
      t,
      () => history.innerText(),
      /Indlæsninger af kataloget[\s\S]*Indlæsning · Varer tilføjet: 2/
    )
    const [item] = await itemsOf(provider, url)
    await provider.put(`${catalogue}/catalogue-item/${item.id}`, { ...item, name: 'Renamed' }, 204)
    for (const [otherLanguage, words] of [
      [
        'English',
        /Kataloget eller en af dets varer er ændret efter indlæsningen, så indlæsningen er ikke fortrudt\./
      ],
      ['Dansk', /The catalogue or one of its items changed since the import/]
    ] as const) {
      await history.getByRole('button').click()
      await page.getByRole('dialog').locator('[type=submit]').click()
      await history.getByText(words).waitFor()
      await page.keyboard.press('Escape')
      await page.getByRole('link', { name: otherLanguage }).click()
    }
    await page.getByRole('link', { name: 'English' }).click()
    await history.getByText('Import · Items added: 2').waitFor()
    t.notMatch(await history.innerText(), /[æøå]/i)
    await page.locator('#target').selectOption('')
    await eventually(t, () => page.locator('#chosen').isVisible(), false)
  })
})
