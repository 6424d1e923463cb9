import t from 'tap'
import { eventually, skipBrowser } from '../fixtures/browser.js'
import { button, deskSite, deskTokens, dialog, openMenu } from '../fixtures/desk.js'
import { add, pathOf } from '../fixtures/world.js'

/* Dialogs of the order desk: the focus, the effects of a change, the errors of several lines. */

t.test('a dialog of the order desk', { skip: skipBrowser }, async (t) => {
  const { w, open } = await deskSite(t)
  const viewOf = (order: string) => `#/order/${order.slice(-36)}`

  await t.test('has the focus, and gives it back when it is closed', async (t) => {
    const { order } = await w.submitted()
    const { page } = await open(t, deskTokens.nurse, {}, viewOf(order))
    const opening = button(page, 'Correct …')
    const focused = page.locator(':focus')
    for (const close of [
      () => page.keyboard.press('Escape'),
      () => dialog(page).getByRole('button', { name: 'Close' }).click()
    ]) {
      await opening.focus()
      await page.keyboard.press('Enter')
      await dialog(page).and(focused).waitFor()
      await dialog(page).getByLabel('E-mail').focus()
      await close()
      await dialog(page).waitFor({ state: 'detached' })
      await opening.and(focused).waitFor()
    }
    await page.keyboard.press('Enter')
    await dialog(page).getByLabel('E-mail').focus()
    await page.evaluate('document.activeElement.remove()')
    await dialog(page).and(focused).waitFor()
    await page.close()
  })

  await t.test('has its close button next to a long title', async (t) => {
    const { order } = await w.submitted()
    const { page } = await open(t, deskTokens.nurse, { viewport: { width: 320, height: 700 } }, viewOf(order))
    await button(page, 'Correct …').click()
    const title = dialog(page).getByRole('heading', { level: 2 })
    await page.evaluate(`document.querySelector('dialog h2').append(' the receiver and the delivery')`)
    const [close, heading] = await Promise.all([
      dialog(page).getByRole('button', { name: 'Close' }).boundingBox(),
      title.boundingBox()
    ])
    t.ok(close && heading && close.y < heading.y + heading.height)
    await page.close()
  })

  await t.test('moves the focus to the heading when its button is gone', async (t) => {
    const draft = await w.createDraft()
    await w.addLine(draft)
    const { page } = await open(t, deskTokens.nurse, {}, viewOf(draft))
    await button(page, 'Remove …').click()
    await dialog(page).getByRole('button', { name: 'Remove', exact: true }).click()
    await button(page, 'Remove …').waitFor({ state: 'detached' })
    await page.getByRole('heading', { level: 1 }).and(page.locator(':focus')).waitFor()
    await page.close()
  })

  await t.test('says that closing an order closes its question', async (t) => {
    const { order } = await w.submitted()
    const closing = [
      ['provider', 'All is done …'],
      ['provider', 'Reject …'],
      ['provider', 'Done …'],
      ['nurse', 'Cancel the order …'],
      ['nurse', 'Cancel …']
    ] as const
    for (const hasQuestion of [false, true]) {
      if (hasQuestion)
        await w.provider.patch(
          pathOf(order),
          [add('/awaiting', 'BUYER'), add('/notes/-', { note: 'Which floor?' })],
          204
        )
      for (const [person, label] of closing) {
        const { page } = await open(t, deskTokens[person], {}, viewOf(order))
        await openMenu(page)
        await button(page, label).click()
        await dialog(page).getByText('This cannot be undone.').waitFor()
        const text = 'The question without an answer is closed, too.'
        t.equal(await dialog(page).getByText(text).count(), hasQuestion ? 1 : 0, label)
        await page.close()
      }
    }
  })

  await t.test('names each line that has the same error', async (t) => {
    const { order, lines } = await w.submitted(2)
    const { page, look } = await open(t, deskTokens.provider, {}, viewOf(order))
    await page.getByLabel('Select all').check()
    await button(page, 'Done …').click()
    const numbers = dialog(page).getByLabel('Serial number')
    for (const at of [0, 1]) await numbers.nth(at).fill('N'.repeat(300))
    await dialog(page).getByRole('button', { name: 'Done', exact: true }).click()
    const errors = dialog(page).getByRole('alert').getByRole('button')
    await eventually(t, () => errors.count(), lines.length)
    for (const at of [0, 1]) {
      t.match(await errors.nth(at).innerText(), /^Blood pressure monitor: Delivery: Serial number: ./)
      await errors.nth(at).click()
      await numbers.nth(at).and(page.locator(':focus')).waitFor()
    }
    await look('the same error at two lines')
    await page.close()
  })
})
