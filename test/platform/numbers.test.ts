import t from 'tap'
import {
  deviceNumberKey,
  gtinOf,
  identifierForms,
  identifierValueKey,
  normalizeNumber
} from '../../src/platform/text/numbers.js'

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

t.test('completes GTINs with a valid check digit to 14 digits', async (t) => {
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

t.test('compares identifiers with case, and GTINs without leading zeros', async (t) => {
  const same: [string, string][] = [
    ['MM-101', ' MM-101\u200b'],
    ['5712345678909', '05712345678909'],
    ['00000096385074', '96385074 ']
  ]
  const different: [string, string][] = [
    ['MM-101', 'mm-101'],
    ['MM101', 'MM 101'],
    ['101', '0101'],
    ['5712345678901', '05712345678901']
  ]
  for (const [a, b] of same) t.equal(identifierValueKey(a), identifierValueKey(b), `${a} is ${b}`)
  for (const [a, b] of different) t.not(identifierValueKey(a), identifierValueKey(b), `${a} is not ${b}`)
})

t.test('lists the forms in which a GTIN may be stored', async (t) => {
  t.same(identifierForms(' 5712345678909'), ['05712345678909', '5712345678909'])
  t.same(identifierForms('96385074'), ['00000096385074', '0000096385074', '000096385074', '96385074'])
  t.same(identifierForms('15712345678906'), ['15712345678906'])
  t.same(identifierForms('MM\u200b-101 '), ['MM-101'])
  t.same(identifierForms('05712345678901'), ['05712345678901'])
})

t.test('compares numbers of devices without case and spaces', async (t) => {
  for (const text of ['SN 4711', ' sn4711', 'S N\u00a047\u00ad11']) t.equal(deviceNumberKey(text), 'sn4711')
  t.not(deviceNumberKey('SN-4711'), deviceNumberKey('SN4711'))
})
