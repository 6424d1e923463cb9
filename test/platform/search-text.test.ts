import t from 'tap'
import { searchPatterns } from '../../src/filters/search-patterns.js'
import { exceedsNormalizedLength, searchText, searchTexts } from '../../src/platform/text/search-text.js'

t.test('a search has at most ten distinct words of a hundred characters', async (t) => {
  const ten = 'one two three four five six seven eight nine ten'
  t.equal(searchPatterns(undefined), undefined)
  t.equal(searchPatterns(' \t'), undefined)
  t.same(searchPatterns('Ærø  100%'), ['%aeroe%', '%100\\%%'])
  t.equal(searchPatterns(' - / . 0000000000000'), undefined)
  t.equal(searchPatterns(ten)?.length, 10)
  t.same(searchPatterns('Å a å A '.repeat(2000)), ['%aa%', '%a%'], 'words that fold alike count once')
  t.equal(searchPatterns('x'.repeat(100))?.length, 1)
  t.equal(searchPatterns('é'.repeat(100))?.length, 1)
  t.equal(searchPatterns('𝕏'.repeat(100))?.length, 1)
  for (const q of [`${ten} eleven`, 'x'.repeat(101), 'æ'.repeat(51), '\u3300'.repeat(26)])
    t.throws(() => searchPatterns(q), { code: 'invalid-query', message: /parameter q/ }, q.slice(0, 20))
})

t.test('detects text that exceeds a limit after normalization', async (t) => {
  const cases: [text: string, limit: number, grows: boolean][] = [
    ['\ufdfa'.repeat(222), 4000, false],
    ['\ufdfa'.repeat(223), 4000, true],
    ['æøåÆØÅéß'.repeat(500), 4000, false],
    ['한'.repeat(1333), 4000, false],
    ['한'.repeat(1334), 4000, true],
    ['🩺'.repeat(4000), 4000, false],
    [`x${'🩺'.repeat(3999)}`, 4000, false],
    ['体'.repeat(4000), 4000, false],
    ['¾'.repeat(1334), 4000, true],
    ['ﬀ'.repeat(2001), 4000, true],
    ['Жλ'.repeat(2000), 4000, false]
  ]
  for (const [text, limit, grows] of cases)
    t.equal(exceedsNormalizedLength(limit, text), grows, text.slice(0, 8))
})

t.test('only the listed characters grow under normalization', async (t) => {
  const grown: string[] = []
  for (let code = 0; code < 0x10000; code++) {
    const character = String.fromCharCode(code)
    const normalized = [...character.normalize('NFKD').replace(/\p{M}/gu, '')]
    if (normalized.length > 1 && !exceedsNormalizedLength(1, character)) grown.push(code.toString(16))
    if (normalized.length > 18) t.fail(`${code.toString(16)} grows more than eighteenfold`)
  }
  t.same(grown, [])
})

t.test('normalizes only until the limit is exceeded', async (t) => {
  const whole = String.prototype.normalize
  let normalized = 0
  t.teardown(() => {
    String.prototype.normalize = whole
  })
  String.prototype.normalize = function (form) {
    normalized += this.length
    return whole.call(this, form)
  }
  t.ok(exceedsNormalizedLength(4000, '\ufdfa'.repeat(1_000_000)))
  t.ok(normalized < 1000, `${normalized} characters`)
})

t.test('folds a batch of texts like single texts', async (t) => {
  const groups = [['Ærø', null, 'B'], [], [undefined, 'x Y', '']]
  t.same(
    await searchTexts(groups),
    groups.map((group) => searchText(...group))
  )
})
