import t from 'tap'
import { readUdi, type UdiContent } from '../../src/device/udi.js'

const gs = '\u001d'
const gtin = '05712345678909'
const lot = { gtin, lotNumber: 'LOT-7' }
const both = { ...lot, serialNumber: 'SN-4711-0042' }
const full = { ...both, expiryDate: '2029-03-31' }

t.test('reads GS1 strings as scanners and people write them', async (t) => {
  const cases: [udi: string, content: UdiContent][] = [
    [`01${gtin}`, { gtin }],
    [`01${gtin}10LOT-7`, lot],
    [`01${gtin}10LOT-7${gs}`, lot],
    [`01${gtin}10LOT-7${gs}21SN-4711-0042`, both],
    [`01${gtin}10LOT-7 21SN-4711-0042`, both],
    [`01${gtin}1126033117290331${'10LOT-7'}${gs}21SN-4711-0042`, full],
    [`01${gtin}21SN-4711-0042${gs}1729033110LOT-7`, full],
    [`01${gtin}11260331${gs}17290331${gs}10LOT-7${gs}21SN-4711-0042${gs}240UA-767`, full],
    [`01${gtin}240UA-767${gs}1729033110LOT-7${gs}21SN-4711-0042`, full],
    [`01${gtin}30${'2'}${gs}3103000512${'37'}1${gs}1729033110LOT-7${gs}21SN-4711-0042`, full],
    [`]d201${gtin}1729033110LOT-7${gs}21SN-4711-0042`, full],
    [`]C101${gtin}1729033110LOT-7${gs}21SN-4711-0042`, full],
    [`]d210LOT-7${gs}01${gtin}`, lot],
    [`]C110LOT-7${gs}17290331`, { lotNumber: 'LOT-7', expiryDate: '2029-03-31' }],
    [`${gs}01${gtin}10LOT-7`, lot],
    [`(01)${gtin}(17)290331(10)LOT-7(21)SN-4711-0042`, full],
    [`(01) ${gtin} (17) 290331 (10) LOT-7 (21) SN-4711-0042`, full],
    [`(01)${gtin}(11)260331(17)290331(10)LOT-7(21)SN-4711-0042(240)UA-767`, full],
    [`(10)LOT-7(01)${gtin}`, lot],
    [`(01)${gtin}(21)A(B)C`, { gtin, serialNumber: 'A(B)C' }]
  ]
  for (const [udi, content] of cases) t.same(readUdi(udi, 2026), content, JSON.stringify(udi))
})

t.test('reads no numbers from other texts and from invalid GS1 strings', async (t) => {
  for (const udi of [
    '',
    'SN-4711',
    '05712345678909',
    '+A99912345/$$52001510X3',
    '=/A9999XYZ100T0944=,000025=A99971312345600',
    '(abc)',
    '0105712345678901',
    `(01)05712345678901(10)LOT-7`,
    `]d20105712345678901${gs}10LOT-7`,
    `01${gtin.slice(1)}`,
    `01${gtin}17291331`,
    `01${gtin}17290230`,
    `01${gtin}1729033`,
    `01${gtin}17 29033110LOT-7`,
    `01${gtin}10${'L'.repeat(21)}${gs}21SN`,
    `01${gtin}10${gs}21SN`,
    `(01)${gtin}(10)`,
    `(01)${gtin}(11)269931(10)LOT-7`,
    `10LOT-7${gs}01${gtin}`,
    `1729033110LOT-7`
  ])
    t.same(readUdi(udi, 2026), {}, JSON.stringify(udi))
})

t.test('reads no lot or serial number that may have run into the next field', async (t) => {
  const cases: [udi: string, content: UdiContent][] = [
    [`01${gtin}1729033110LOT-721SN-1`, { gtin, expiryDate: '2029-03-31' }],
    [`]d201${gtin}21SN-110LOT-7`, { gtin }],
    [`01${gtin}10LOT-717290331`, { gtin }],
    [`01${gtin}10LOT-7240UA-767`, { gtin }],
    [`01${gtin}10${'L'.repeat(21)}`, { gtin }],
    [`01${gtin}10LOT-721SN-1${gs}`, { gtin, lotNumber: 'LOT-721SN-1' }]
  ]
  for (const [udi, content] of cases) t.same(readUdi(udi, 2026), content, JSON.stringify(udi))
})

t.test('reads day 00 as a month, and two digits as the nearest year', async (t) => {
  const cases: [date: string, year: number, read: string][] = [
    ['270900', 2026, '2027-09'],
    ['280229', 2026, '2028-02-29'],
    ['760101', 2026, '2076-01-01'],
    ['770101', 2026, '1977-01-01'],
    ['990101', 2026, '1999-01-01'],
    ['990101', 2049, '2099-01-01'],
    ['000101', 2050, '2100-01-01'],
    ['500101', 2099, '2050-01-01'],
    ['490100', 2099, '2149-01']
  ]
  for (const [date, year, read] of cases)
    t.equal(readUdi(`(17)${date}`, year).expiryDate, read, `${date} in ${year}`)
})

t.test('reads what it has written, in each form', async (t) => {
  const lots = ['L', '7', 'A(1)', '2026-03', 'x/y_z', 'L'.repeat(20)]
  for (const lotNumber of lots)
    for (const serialNumber of lots) {
      const content = { gtin, expiryDate: '2029-03', lotNumber, serialNumber }
      const scanned = `01${gtin}1729030010${lotNumber}${gs}21${serialNumber}`
      for (const udi of [scanned, `]d2${scanned}`, `]C1${scanned}`])
        t.same(readUdi(udi, 2026), content, JSON.stringify(udi))
    }
})
