import t from 'tap'
import { eventually, skipBrowser } from '../../fixtures/browser.js'
import { validWorkbook } from '../../fixtures/excel/catalogue-rows.js'
import { uploadSite } from '../../fixtures/excel/upload-page.js'

t.test('a workbook is chosen on the upload page', { skip: skipBrowser }, async (t) => {
  const site = await uploadSite(t)

  await t.test('by dropping it anywhere', async (t) => {
    const person = await site.open(t)
    const { page } = person
    /** Files by name, with their content in base64 or their number of zeros. */
    const drop = async (place: string, files: Record<string, string | number>) => {
      const dataTransfer = await page.evaluateHandle((given) => {
        const { DataTransfer, File } = globalThis as unknown as Record<string, new (...a: unknown[]) => never>
        if (!DataTransfer || !File) throw new Error('This is no browser.')
        const transfer = new DataTransfer() as { items: { add(file: unknown): void } }
        for (const [name, content] of Object.entries(given)) {
          const bytes =
            typeof content === 'number'
              ? new Uint8Array(content)
              : Uint8Array.from(atob(content), (char) => char.charCodeAt(0))
          transfer.items.add(new File([bytes], name))
        }
        return transfer
      }, files)
      await page.locator(place).dispatchEvent('drop', { dataTransfer })
    }
    const dropped = (await validWorkbook('Dropped')).toString('base64')
    const state = page.locator('#file-state')
    await drop('#drop', { 'one.xlsx': dropped })
    await state.getByText('Chosen: “one.xlsx”').waitFor()
    await person.take('check')
    await eventually(t, () => person.isOpen('import'), true)
    for (const [files, words] of [
      [{ 'one.xlsx': dropped, 'two.xlsx': dropped }, '✗ Drop one file at a time.'],
      [{ 'none.xlsx': 0 }, '✗ “none.xlsx” is empty. Choose another file.'],
      [
        { 'big.xlsx': 11_000_000 },
        '✗ “big.xlsx” is too large: 11,000 kB, and 10,486 kB are allowed. Split it.'
      ]
    ] as const) {
      await drop('#drop', files)
      await state.getByText(words).waitFor()
      await eventually(t, () => person.isOpen('check'), false, words)
      await eventually(t, () => person.isOpen('import'), false)
    }
    await drop('h1', { 'beside.xlsx': dropped })
    await state.getByText('Chosen: “beside.xlsx”').waitFor()
    await drop('#drop', { 'list.csv': btoa('a;b\n1;2\n') })
    await state.getByText('Chosen: “list.csv”').waitFor()
    t.match(await (await person.take('check')).innerText(), /✗ That did not work/)
    await eventually(t, () => person.isOpen('import'), false)
    for (const fault of person.faults.splice(0)) t.match(fault, /status of 415/)
  })

  await t.test('again while the first workbook is still read', async (t) => {
    const person = await site.open(t)
    const { page } = person
    const state = page.locator('#file-state')
    const choose = async (name: string) =>
      page.locator('#file').setInputFiles({ name, mimeType: '', buffer: await validWorkbook('Chosen twice') })
    await person.choose(await validWorkbook('Chosen before'))
    await page.evaluate(`{
      const { arrayBuffer } = Blob.prototype
      globalThis.reads = []
      Blob.prototype.arrayBuffer = function () {
        return new Promise((resolve) => reads.push(async () => resolve(await arrayBuffer.call(this))))
      }
    }`)
    await choose('first.xlsx')
    await choose('second.xlsx')
    await eventually(
      t,
      () => person.state('check'),
      'Choose a workbook first.',
      'nothing is checked meanwhile'
    )
    await page.evaluate('reads[1]()')
    await state.getByText('Chosen: “second.xlsx”').waitFor()
    await page.evaluate('reads[0]()')
    t.match(await state.innerText(), /^Chosen: “second\.xlsx” /)
    await eventually(t, () => person.isOpen('check'), true)
  })
})
