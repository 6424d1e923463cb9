import t from 'tap'
import type { OrderLine } from '../../clients/typescript/src/index.js'
import { authProblems, sharedAuthProblems } from '../../src/platform/auth/texts.js'
import type { LocalizedText } from '../../src/platform/errors/language.js'
import { pageModule } from '../fixtures/page-module.js'

/* Texts of the server, dates and device numbers on the pages. */

t.test('removes pointers, codes and members from texts of the server', async (t) => {
  const { inWords } = (await pageModule('pages/parts/in-words.ts', 'da')) as {
    inWords(text: string): string
  }
  for (const [text, words] of [
    [
      '/agreedTo: Det skal være efter agreedFrom og højst 31 dage efter. Der er 60 fejl; de står alle i `errors`.',
      'Det skal være efter »Fra« og højst 31 dage efter.'
    ],
    ['Linjen er SUBMITTED.', 'Linjen er »Bestilt«.'],
    [
      'Sat fra UNFULFILLED. Send det i en JSON Patch. Fjern /device/udi først.',
      'Sat fra »Kunne ikke udføres«. Fjern … først.'
    ],
    ['Den er afløst af https://host/party/1.', 'Den er afløst af ….']
  ] as const)
    t.equal(inWords(text), words)
})

t.test('calls a token an access key', async (t) => {
  const { inWords } = (await pageModule('pages/parts/in-words.ts')) as { inWords(text: string): string }
  for (const [text, words] of [
    ['The token lacks the permission.', 'The access key lacks the permission.'],
    ['Fetch a token that names it.', 'Fetch an access key that names it.'],
    ['Fetch a new token.', 'Fetch a new access key.'],
    ['Token expired (exp).', 'Access key expired (exp).'],
    [
      'Not an access token. ID, refresh, logout and event tokens are rejected.',
      'Not an access key. ID, refresh, logout and event keys are rejected.'
    ]
  ] as const)
    t.equal(inWords(text), words)
})

for (const language of ['en', 'da'] as const)
  t.test(`shows no text about access with the word token, ${language}`, async (t) => {
    const { inWords } = (await pageModule('pages/parts/in-words.ts', language)) as {
      inWords(text: string): string
    }
    for (const { title, ...more } of Object.values({ ...authProblems, ...sharedAuthProblems })) {
      const details: Record<string, LocalizedText> = 'details' in more ? more.details : {}
      for (const text of [title, ...Object.values(details)])
        t.notMatch(inWords(text[language]), /token|\ba access|\ban? an? |\((access|adgangsnøgle)/i)
    }
  })

t.test('writes two days with their years unless both days are in the current year', async (t) => {
  const { datesText, fullDateText } = (await pageModule('pages/parts/texts.ts')) as {
    datesText(from: string, to: string): string
    fullDateText(date: string): string
  }
  const year = new Date().getFullYear()
  t.equal(datesText(`${year}-12-01`, `${year}-12-05`), '1 Dec – 5 Dec')
  t.equal(datesText(`${year}-01-01`, `${year + 3}-12-31`), `1 Jan ${year} – 31 Dec ${year + 3}`)
  t.equal(fullDateText(`${year}-12-01`), `1 Dec ${year}`)
  t.equal(fullDateText('2027-09'), 'Sept 2027')
})

t.test('labels the numbers of a device, and shows the UDI of a device without numbers', async (t) => {
  const { numbersText } = (await pageModule('pages/desk/resource-texts.ts')) as {
    numbersText(device: Partial<NonNullable<OrderLine['device']>>): string
  }
  const udi = ']d2010571234567890110LOT-7\u001d21SN-9'
  t.equal(numbersText({ serialNumber: 'SN-9', lotNumber: 'LOT-7', udi }), 'Serial no. SN-9 · Lot LOT-7')
  t.equal(numbersText({ udi }), ']d2010571234567890110LOT-7 21SN-9')
  t.equal(numbersText({}), '')
})
