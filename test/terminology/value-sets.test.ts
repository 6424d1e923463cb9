import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { createTerminology } from '../../src/terminology/terminology.js'
import { readValueSets, ValueSetsError } from '../../src/terminology/value-set.js'
import {
  base,
  builtInUrl,
  bundle,
  codeSystem,
  codes,
  type Document,
  devices,
  folderOf,
  site,
  snomed,
  valueSet,
  valueSetExcluding,
  valueSetIncluding
} from '../fixtures/fhir/value-sets.js'

const codeListOf = (t: Test, files: Record<string, unknown>, name = 'device-type') =>
  readValueSets(base, folderOf(t, files))
    .get(name)
    ?.codings.map(({ code }) => code)
    .join(' ')

t.test('the built-in value sets are loaded', async (t) => {
  const sets = readValueSets(base)
  t.equal(sets.size, 21)
  for (const [name, { url, codings }] of sets) {
    t.equal(url, `${base}/${name}`)
    t.ok(codings.length > 0, name)
  }
  const of = (name: string) => sets.get(name)?.codings ?? []
  const union = ['device-type', 'device-measurement-type', 'device-measurement-unit', 'device-safety']
    .concat(['device-calibration-type', 'device-calibration-period', 'device-calibration-actor'])
    .concat(['device-measuring-quality', 'device-metric-category'])
    .flatMap((name) => of(name).map((coding) => `${coding.system}|${coding.code}`))
  t.same(
    of('catalogue-item-annotations')
      .map((coding) => `${coding.system}|${coding.code}`)
      .sort(),
    [...new Set(union)].sort(),
    'each coding once'
  )
  t.match(sets.get('device-safety')?.find(`${base}/device-safety`, 'tbd'), { code: 'TBD' })
  t.equal(
    sets.get('device-calibration-type')?.find('http://hl7.org/fhir/metric-calibration-type', 'GAIN'),
    undefined
  )
})

t.test('a value set selects codes by list, code system, expansion and other sets', async (t) => {
  const tree = codeSystem('urn:s', [{ code: 'a', concept: [{ code: 'b' }] }, { code: 'c' }])
  const filter = [{ property: 'concept', op: 'is-a', value: '1' }]
  const expansion = { contains: [{ system: snomed, code: '2' }] }
  const type = (...include: Document[]) => valueSetIncluding('device-type', ...include)
  const selects = (what: string, selected: string, ...documents: unknown[]) => {
    const files = Object.fromEntries(documents.map((document, at) => [`${at}.json`, document]))
    t.equal(codeListOf(t, files), selected, what)
    t.equal(codeListOf(t, { 'all.JSON': bundle(...documents) }), selected, `${what}, in a bundle`)
  }

  selects('listed', '1 2', type({ ...devices('1', '2', '1'), version: '2026' }))
  selects('a whole code system', 'a b c', type({ system: 'urn:s' }), tree)
  selects(
    'of other sets',
    '1 9',
    type({ valueSet: [site('x')] }, devices('9')),
    valueSetIncluding('x', devices('1', '9'))
  )
  selects('of a built-in set', 'TBD', type({ valueSet: [builtInUrl('device-safety')] }))
  selects(
    'only an expansion',
    '1 2',
    valueSet('device-type', {
      expansion: {
        total: 3,
        contains: [
          { display: 'Group', contains: [{ system: snomed, code: '1' }] },
          { system: snomed, code: '2' }
        ]
      }
    })
  )
  selects('an expansion instead of a filter', '2', { ...type({ system: snomed, filter }), expansion })
  selects('an expansion instead of an exclude', '2', {
    ...valueSetExcluding('device-type', devices('1')),
    expansion
  })
  selects('a usable compose, not the expansion', '1', { ...type(devices('1')), expansion })
  t.equal(codeListOf(t, { 'bom.json': `\ufeff${JSON.stringify(type(devices('1')))}` }), '1')
  const union = codeListOf(t, { 'type.json': type(devices('1')) }, 'catalogue-item-annotations')
  t.match(union, /^1 DNK05472 /, 'the union follows the replaced set')
  t.notMatch(union, /19892000/)
})

t.test('a set that is its own code system is published under the address of the API', async (t) => {
  const own = site('device-safety')
  const dir = folderOf(t, {
    'safety.json': valueSetIncluding('device-safety', {
      system: own,
      concept: [{ code: 'Safe', display: 'Sikker' }]
    }),
    'any.json': valueSetIncluding('catalogue-item-annotations', { system: own, concept: codes('Safe') })
  })
  const terminology = createTerminology({ dir, base, platformPrefix: 'p' })
  const coding = { system: `${base}/device-safety`, code: 'Safe' }
  const annotation = (name: string, value: typeof coding) =>
    terminology.validateAnnotation(name, value, new AbortController().signal)
  t.same(await annotation('p/device-safety', { ...coding, code: 'SAFE' }), {
    ...coding,
    display: 'Sikker'
  })
  t.match(await annotation('free', { ...coding, code: 'safe' }), coding)
  t.equal(await annotation('p/device-safety', { ...coding, system: own }), undefined)
  t.match(await annotation('p/unheard-of', coding), coding, 'any name that is not reserved is accepted')
  t.equal(terminology.annotationCode('p/device-safety', { ...coding, code: 'SAFE' }), 'Safe')
  t.equal(terminology.annotationCode('p/device-safety', { ...coding, code: 'OTHER' }), 'OTHER')
})

t.test('a site may change the displays of the codes that the program acts on', async (t) => {
  const url = site('party-role')
  const concept = ['BUYER', 'SELLER', 'ACCOUNTING'].map((code) => ({ code, display: `${code} på dansk` }))
  const dir = folderOf(t, { 'role.json': valueSetIncluding('party-role', { system: url, concept }) })
  const terminology = createTerminology({ dir, base, platformPrefix: 'p' })
  t.same(terminology.coding('party-role', 'BUYER'), {
    system: `${base}/party-role`,
    code: 'BUYER',
    display: 'BUYER på dansk'
  })
})

function faultsOf(t: Test, files: Record<string, unknown>): readonly string[] {
  try {
    readValueSets(base, folderOf(t, files))
    return []
  } catch (error) {
    if (error instanceof ValueSetsError) return error.errors
    throw error
  }
}

t.test('each error in a value set file is reported', async (t) => {
  const good = valueSetIncluding('device-type', devices('1'))
  const role = (concept: Document[], url = site('party-role')) =>
    valueSetIncluding('party-role', { system: url, concept })
  const reports = (files: Record<string, unknown>, ...faults: RegExp[]) => {
    const found = faultsOf(t, files)
    t.equal(found.length, faults.length, found.join(' | '))
    for (const [at, pattern] of faults.entries()) t.match(found[at], pattern)
  }

  reports(
    { 'a.json': 'null', 'b.json': '[]' },
    /^a\.json: is not a FHIR resource: it must be a JSON object/,
    /^b\.json: is not .* JSON object/
  )
  reports({ 'package.json': { name: 'x' } }, /^package\.json: .* it has no resourceType$/)
  reports({ 'a.json': { resourceType: 'constructor' } }, /^a\.json: is a constructor: only/)
  reports({ 'readme.txt': 'x' }, /: has no \.json file; put /)
  reports({ 'a.json': bundle() }, /^a\.json: is a Bundle without entries/)
  reports(
    { 'a.json': bundle(good, undefined, { resourceType: 'Patient' }, bundle(good)) },
    /^a\.json, entry 2: is not a FHIR/,
    /^a\.json, entry 3: is a Patient/,
    /^a\.json, entry 4: is a Bundle/
  )
  reports({ 'a.json': { ...good, url: undefined } }, /^a\.json: url is missing$/)
  reports({ 'a.json': { ...good, url: 'a b' } }, /^a\.json: url must be a URI$/)
  reports(
    { 'a.json': good, 'b.json': { ...good, url: 'urn:x/device-type' } },
    /^b\.json: urn:x\/device-type has the same name as .*\/ValueSet\/device-type in a\.json; keep/
  )
  reports(
    { 'a.json': codeSystem('urn:s', codes('a')), 'b.json': codeSystem('urn:s', codes('b')) },
    /^b\.json: urn:s is also in a\.json/
  )
  reports(
    {
      'a.json': valueSet('x', {
        compose: { include: [{ system: 7, concept: [{ display: 'x' }, { code: ' x' }, 'x'] }] }
      })
    },
    /^a\.json: compose\.include\[0\]\.system must be a URI$/,
    /^a\.json: compose\.include\[0\]\.concept\[0\]\.code is missing$/,
    /^a\.json: compose\.include\[0\]\.concept\[1\]\.code must be a code, without spaces around it$/,
    /^a\.json: compose\.include\[0\]\.concept\[2\] must be an object$/
  )
  reports(
    {
      'a.json': codeSystem('urn:s', [{ code: 'a', concept: [{ code: 'b', concept: [{ display: 'c' }] }] }])
    },
    /^a\.json: concept\[0\]\.concept\[0\]\.concept\[0\]\.code is missing$/
  )
  reports({ 'a.json': valueSetIncluding('x', devices()) }, /x: it has no codes/)
  reports(
    {
      'a.json': valueSetIncluding('v', devices('1'), { system: snomed, filter: [{}] }),
      'b.json': valueSetExcluding('w', devices('1')),
      'c.json': valueSetIncluding(
        'x',
        { ...devices('1'), valueSet: [site('y')] },
        { valueSet: [site('y'), site('z')] }
      ),
      'd.json': valueSetIncluding('y', { system: 'urn:s', version: '2' }, { valueSet: [`${site('z')}|2`] }),
      'e.json': valueSetIncluding('z', devices('1')),
      'f.json': codeSystem('urn:s', codes('1'), { version: '2' })
    },
    /v: compose\.include\[1\] has a filter, which only a terminology server can apply; list/,
    /w: compose\.exclude selects codes to omit, which only a terminology server can apply; list/,
    /x: compose\.include\[0\] has an intersection/,
    /x: compose\.include\[1\] has an intersection/,
    /y: compose\.include\[0\] has a version/,
    /y: compose\.include\[1\] has a version/
  )
  reports(
    {
      'a.json': valueSet('x', { expansion: { contains: [{ system: snomed, code: '1', abstract: true }] } }),
      'b.json': codeSystem('urn:s', [
        {
          code: '1',
          property: [
            { code: 'status', valueCode: 'a' },
            { code: 'notSelectable', valueBoolean: true }
          ]
        }
      ])
    },
    /^a\.json: expansion\.contains\[0\]\.abstract must be false, because all codes are values; remove/,
    /^b\.json: concept\[0\]\.property\[1\] must be other than notSelectable, because/
  )
  reports(
    {
      'a.json': valueSet('x', { expansion: { total: 5000, contains: [{ system: snomed, code: '1' }] } }),
      'b.json': valueSet('y', { expansion: { offset: 100, contains: [{ system: snomed, code: '1' }] } })
    },
    /x: expansion has 1 of 5000 codes; put the whole/,
    /y: expansion has 1 of more codes/
  )
  reports(
    { 'a.json': valueSetIncluding('x', { concept: codes('1') }, {}) },
    /include\[0\] has concepts without a system; add it$/,
    /include\[1\] has neither a system nor/
  )
  reports(
    { 'a.json': valueSetIncluding('x', { system: 'urn:s' }) },
    /x: compose\.include\[0\] selects all codes of urn:s, but its CodeSystem is missing; add it/
  )
  reports(
    {
      'a.json': valueSetIncluding('x', { system: 'urn:s' }),
      'b.json': codeSystem('urn:s', codes('1'), { content: 'fragment' }),
      'c.json': valueSetIncluding('y', { system: 'urn:t' }),
      'd.json': { resourceType: 'CodeSystem', url: 'urn:t', content: 'not-present' }
    },
    /x: .* urn:s, but b\.json does not contain all; list/,
    /y: .* urn:t, but d\.json does not contain all/
  )
  reports(
    {
      'a.json': valueSetIncluding('device-type', { valueSet: ['http://hl7.org/fhir/ValueSet/device-type'] })
    },
    /include\[0\] refers to the value set http:\/\/hl7\.org\/fhir\/ValueSet\/device-type, which is missing/
  )
  reports(
    {
      'a.json': valueSetIncluding('x', { valueSet: [site('y')] }),
      'b.json': valueSetIncluding('y', devices('1'), { valueSet: [site('x')] })
    },
    /^b\.json, .*y: compose\.include\[1\] is part of a cycle, \S+x > \S+y > \S+x; remove one/
  )
  reports(
    { 'a.json': role(codes('BUYER', 'SELLER', 'BANK')) },
    /^a\.json, .*party-role: .* must be ACCOUNTING, BUYER, SELLER; it has BANK, BUYER, SELLER$/
  )
  reports(
    { 'a.json': role(codes('BUYER', 'SELLER', 'ACCOUNTING'), 'urn:s') },
    /^a\.json, .*party-role: .* their system must be the set's own url, not urn:s$/
  )
  reports(
    {
      'a.json': '{',
      'b.json': good,
      'c.json': bundle(good, valueSet('x', {})),
      'd.json': role(codes('BUYER'))
    },
    /^a\.json: is not JSON/,
    /^c\.json, entry 1: .* is also in b/,
    /^c\.json, entry 2, .*x: it has neither compose nor expansion; list/,
    /^d\.json/
  )
})

t.test('a folder that cannot be read is reported', async (t) => {
  const folder = folderOf(t, { file: 'x' })
  mkdirSync(join(folder, 'a.json'))
  t.throws(() => readValueSets(base, join(folder, 'file')), /cannot be read as a folder \(ENOTDIR\)$/)
  t.throws(() => readValueSets(base, folder), /\n {2}a\.json: cannot be read \(EISDIR\)$/)
})
