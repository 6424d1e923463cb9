import t from 'tap'
import type { WorkbookLimits } from '../../../src/xlsx/format/limits.js'
import type { WorkbookErrorCode } from '../../../src/xlsx/format/workbook-error.js'
import { createWorkbooks } from '../../../src/xlsx/workbook.js'
import { measureProcess, refusalOf, rowSentences } from '../../fixtures/excel/reading.js'
import { handMade, sheetXml, stringsXml } from '../../fixtures/excel/workbook.js'
import { repeatedContent, withDeclaredSize } from '../../fixtures/excel/zip.js'

const [sheetStart = '', sheetEnd = ''] = sheetXml('|').split('|')
const [stringsStart = '', stringsEnd = ''] = stringsXml('|').split('|')
const cell = '<c t="inlineStr"><is><t>x</t></is></c>'
const kilobyte = 'x'.repeat(1024)
const emptyRow = `<row>${'<c s="1"/>'.repeat(1000)}</row>`
const patient = { timeoutMs: 600_000 }

/** A gigabyte of empty cells, which take long to read and leave nothing. */
const bomb = repeatedContent(sheetStart, emptyRow, 100_000, sheetEnd)
const endless = handMade({ sheets: [{ xml: bomb }] })
const unbounded = { unpackedBytes: 2 ** 40 }
const oneText = repeatedContent(
  `${stringsStart}<si><t>`,
  kilobyte.repeat(1024),
  700,
  `</t></si>${stringsEnd}`
)
/** Texts of a kilobyte each. */
const manyTexts = repeatedContent(stringsStart, `<si><t>${kilobyte}</t></si>`, 100 * 1024, stringsEnd)

const hostile: [what: string, file: Buffer, limits: Partial<WorkbookLimits>, code: WorkbookErrorCode][] = [
  ['a gigabyte of rows', endless, { ...patient, unpackedBytes: 2 ** 25 }, 'unpacked-too-large'],
  [
    'a gigabyte that says it is little',
    handMade({ sheets: [{ xml: withDeclaredSize(bomb, 1000) }] }),
    patient,
    'damaged'
  ],
  [
    'a text of 700 MB',
    handMade({ sheets: [''], strings: oneText }),
    { ...patient, ...unbounded },
    'text-too-long'
  ],
  ['100 MB of texts', handMade({ sheets: [''], strings: manyTexts }), patient, 'too-much-text'],
  [
    'more than fits into memory',
    handMade({ sheets: [''], strings: manyTexts }),
    { ...patient, characters: 2 ** 30, heapMegabytes: 64 },
    'too-much-memory'
  ],
  ['more than can be read in time', endless, { ...unbounded, timeoutMs: 1_500 }, 'too-slow']
]

t.test('the server stays small and responsive, whatever the child process reads', async (t) => {
  for (const [what, file, limits, code] of hostile) {
    const workbooks = createWorkbooks(limits)
    const { result, megabytes, processorMs } = await measureProcess(() => refusalOf(workbooks.read(file)))
    t.equal(result.code, code, what)
    t.ok(megabytes < 200, `${what}: ${megabytes} MB`)
    t.ok(processorMs < 500, `${what}: held up for ${processorMs} ms of processor time`)
  }
})

t.test('a large workbook is read completely', async (t) => {
  const rows = (many: number) =>
    Array.from({ length: many }, (_, at) => `<row><c><v>${at}</v></c>${cell.replace('x', `${at}`)}</row>`)
  const workbooks = createWorkbooks(patient)
  const file = handMade({ sheets: [rows(20_000).join('')] })
  const { result, megabytes, processorMs } = await measureProcess(() => workbooks.read(file))
  const read = rowSentences(result)
  t.equal(read.length, 20_000)
  t.equal(read.at(-1), '20000 | 1:n19999 2:t"19999"')
  t.ok(megabytes < 200, `${megabytes} MB`)
  t.ok(processorMs < 500, `held up for ${processorMs} ms of processor time`)
})
