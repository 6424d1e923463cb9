import t, { type Test } from 'tap'
import { createTerminology } from '../../src/terminology/terminology.js'
import { readValueSets } from '../../src/terminology/value-set.js'
import {
  base,
  builtIn,
  bundle,
  codeSystem,
  codes,
  devices,
  excluding,
  folderOf,
  including,
  site,
  snomed,
  valueSet
} from '../fixtures/fhir/value-sets.js'

const codeListOf = (t: Test, files: Record<string, unknown>, name = 'device-type') =>
  readValueSets(base, folderOf(t, files))
    .get(name)
    ?.codings.map(({ code }) => code)
    .join(' ')

t.test('the built-in value sets are loaded', async (t) => {
  const sets = readValueSets(base)
  t.equal(sets.size, 18)
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
  const tree = codeSystem('urn:s', [
    {
      code: 'group',
      property: [{ code: 'notSelectable', valueBoolean: true }],
      concept: [{ code: 'a', concept: [{ code: 'b' }] }]
    },
    { code: 'c' }
  ])
  const whole = { system: 'urn:s' }
  const cases: [what: string, documents: unknown[], codes: string][] = [
    ['listed', [including('device-type', devices('1', '2', '1'))], '1 2'],
    ['a whole code system, with child codes', [including('device-type', whole), tree], 'a b c'],
    [
      'without some',
      [
        valueSet('device-type', {
          compose: { include: [whole], exclude: [{ system: 'urn:s', concept: codes('b', 'x') }] }
        }),
        tree
      ],
      'a c'
    ],
    [
      'of other sets',
      [including('device-type', { valueSet: [site('x')] }, devices('9')), including('x', devices('1', '9'))],
      '1 9'
    ],
    [
      'the intersection of two sets',
      [
        including('device-type', { valueSet: [site('x'), `${site('y')}|1.0`] }),
        including('x', devices('1', '2')),
        { ...including('y', devices('2', '3')), version: '1.0' }
      ],
      '2'
    ],
    [
      'the intersection of a system and a set',
      [
        including('device-type', { ...devices('1', '2'), valueSet: [site('x')] }),
        including('x', devices('2', '3'))
      ],
      '2'
    ],
    [
      'an expansion, where an exclude cannot be used',
      [
        {
          ...excluding('device-type', { system: snomed, filter: [{}] }),
          expansion: { contains: [{ system: snomed, code: '2' }] }
        }
      ],
      '2'
    ],
    [
      'without a whole set',
      [excluding('device-type', { valueSet: [site('x')] }), including('x', devices('2'))],
      '1'
    ],
    ['of a built-in set', [including('device-type', { valueSet: [builtIn('device-safety')] })], 'TBD'],
    [
      'only an expansion',
      [
        valueSet('device-type', {
          expansion: {
            total: 3,
            contains: [
              { display: 'Group', contains: [{ system: snomed, code: '1' }] },
              { system: snomed, code: '2', abstract: true }
            ]
          }
        })
      ],
      '1'
    ],
    [
      'an expansion where a filter cannot be applied',
      [
        valueSet('device-type', {
          compose: {
            include: [{ system: snomed, filter: [{ property: 'concept', op: 'is-a', value: '1' }] }]
          },
          expansion: { contains: [{ system: snomed, code: '1' }] }
        })
      ],
      '1'
    ],
    [
      'a usable compose, not the expansion',
      [
        valueSet('device-type', {
          compose: { include: [devices('1')] },
          expansion: { contains: [{ system: snomed, code: '2' }] }
        })
      ],
      '1'
    ]
  ]
  for (const [what, documents, wanted] of cases) {
    const files = Object.fromEntries(documents.map((document, at) => [`${at}.json`, document]))
    t.equal(codeListOf(t, files), wanted, what)
    t.equal(codeListOf(t, { 'all.JSON': bundle(...documents) }), wanted, `${what}, in a bundle`)
  }
  t.equal(
    codeListOf(t, { 'bom.json': `\ufeff${JSON.stringify(including('device-type', devices('1')))}` }),
    '1'
  )
  const files = { 'type.json': including('device-type', devices('1')) }
  t.match(
    codeListOf(t, files, 'catalogue-item-annotations'),
    /^1 DNK05472 /,
    'the union follows the replaced set'
  )
  t.notMatch(codeListOf(t, files, 'catalogue-item-annotations'), /19892000/)
})

t.test('a set that is its own code system is published under the address of the API', async (t) => {
  const own = site('device-safety')
  const dir = folderOf(t, {
    'safety.json': including('device-safety', {
      system: own,
      concept: [{ code: 'Safe', display: 'Sikker' }]
    }),
    'any.json': including('catalogue-item-annotations', { system: own, concept: codes('Safe') })
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

t.test('a site may rename the codes that the program acts on', async (t) => {
  const url = site('party-role')
  const concept = ['BUYER', 'SELLER', 'ACCOUNTING'].map((code) => ({ code, display: `${code} på dansk` }))
  const dir = folderOf(t, { 'role.json': including('party-role', { system: url, concept }) })
  const terminology = createTerminology({ dir, base, platformPrefix: 'p' })
  t.same(terminology.coding('party-role', 'BUYER'), {
    system: `${base}/party-role`,
    code: 'BUYER',
    display: 'BUYER på dansk'
  })
})
