import t from 'tap'
import { gtinOf, normalizeNumber } from '../../src/platform/text/numbers.js'

t.test('trims, composes and removes invisible characters of numbers', async (t) => {
  const cases: [sent: string, stored: string][] = [
    ['SN-4711', 'SN-4711'],
    [' SN-4711\t', 'SN-4711'],
    ['\u00a0SN-4711\u202f', 'SN-4711'],
    ['SN \u2003\r\n 4711', 'SN 4711'],
    ['SN\u00854711', 'SN 4711'],
    ['SN\u00ad-\u200b47\u200d\u200e\u200f11\u2060\ufeff', 'SN-4711'],
    ['\u200b \ufeff', ''],
    ['Ma\u030alt', 'Målt'],
    ['Ma\u200d\u030alt', 'Målt'],
    ['0105712345678909\u001d21A', '0105712345678909\u001d21A'],
    ['sn-4711', 'sn-4711'],
    ['０１', '０１'],
    ['', '']
  ]
  for (const [sent, stored] of cases) {
    t.equal(normalizeNumber(sent), stored, JSON.stringify(sent))
    t.equal(normalizeNumber(stored), stored, 'a normalized number stays as it is')
  }
})

t.test('pads GTINs with a valid check digit to 14 digits', async (t) => {
  const cases: [text: string, gtin: string | undefined][] = [
    ['96385074', '00000096385074'],
    ['614141999996', '00614141999996'],
    ['5712345678909', '05712345678909'],
    ['05712345678909', '05712345678909'],
    ['15712345678906', '15712345678906'],
    ['5712345678901', undefined],
    ['571234567890', undefined],
    ['0096385074', undefined],
    ['96385074x', undefined],
    ['٩٦٣٨٥٠٧٤', undefined],
    ['', undefined]
  ]
  for (const [text, gtin] of cases) t.equal(gtinOf(text), gtin, text)
})
