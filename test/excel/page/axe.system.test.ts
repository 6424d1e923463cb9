import t from 'tap'
import { accessibilityFaults, skipBrowser } from '../../fixtures/browser.js'
import { faultyWorkbook, validWorkbook } from '../../fixtures/excel/catalogue-rows.js'
import { providerToken, uploadSite } from '../../fixtures/excel/upload-page.js'

const looks = [
  { colorScheme: 'light', width: 1280, locale: 'da-DK' },
  { colorScheme: 'light', width: 360, locale: 'en-GB' },
  { colorScheme: 'dark', width: 360, locale: 'da-DK' }
] as const

t.test('the upload page is accessible and fits its window', { skip: skipBrowser }, async (t) => {
  const site = await uploadSite(t)
  for (const { colorScheme, width, locale } of looks)
    await t.test(`${colorScheme}, ${width} pixels, ${locale}`, async (t) => {
      const person = await site.open(t, { locale, width, token: null })
      const { page } = person
      await page.emulateMedia({ colorScheme })
      const look = async (what: string) => {
        t.same(await accessibilityFaults(page), [], what)
        t.notOk(await person.isCutOff(), `${what} fits`)
      }
      const background = await page.evaluate('getComputedStyle(document.documentElement).backgroundColor')
      t.equal(background === 'rgb(17, 23, 29)', colorScheme === 'dark', 'the background too')
      await look('start')
      await person.give(providerToken)
      await person.choose(await faultyWorkbook())
      await person.take('check')
      await look('faults')
      await person.choose(await validWorkbook(`List ${colorScheme} ${width}`))
      await person.take('check')
      await look('changes')
      await person.take('import')
      await page.locator('.items').waitFor()
      await page.locator('.history table').waitFor()
      await look('imported')
      await page.locator('.history button').click()
      await page.getByRole('dialog').waitFor()
      await look('confirm')
      await page.getByRole('dialog').locator('[type=submit]').click()
      await page.getByText(/^✓ (Indlæsningen er fortrudt|The import was undone)\.$/).waitFor()
      await look('undone')
      await person.choose(await validWorkbook(`List ${colorScheme} ${width}`))
      await person.take('check')
      await look('exists')
    })
})
