import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { createTerminology } from '../../src/terminology/terminology.js'
import { readValueSets, ValueSetsError } from '../../src/terminology/value-set.js'
import { cloneDatabase } from '../fixtures/app.js'
import { startServer, temporaryFolder } from '../fixtures/server.js'

const base = 'https://site.example/vs'
const snomed = 'http://snomed.info/sct'
const builtIn = (name: string) => `https://valuesets.example/vs/${name}`
const site = (name: string) => `https://site.example/fhir/ValueSet/${name}`

type Document = Record<string, unknown>
const set = (name: string, more: Document): Document => ({
  resourceType: 'ValueSet',
  url: site(name),
  ...more
})
const including = (name: string, ...include: Document[]) => set(name, { compose: { include } })
const codes = (...wanted: string[]) => wanted.map((code) => ({ code }))
const devices = (...wanted: string[]) => ({ system: snomed, concept: codes(...wanted) })
const system = (url: string, concept: Document[], more: Document = {}) => ({
  ...{ resourceType: 'CodeSystem', url, content: 'complete', concept, ...more }
})
/** A value set of two codes that excludes some. */
const without = (name: string, ...exclude: Document[]) =>
  set(name, { compose: { include: [devices('1', '2')], exclude } })
const bundle = (...resources: unknown[]) => ({
  resourceType: 'Bundle',
  type: 'collection',
  entry: resources.map((resource) => ({ resource }))
})

/** A folder with these files; anything but text is written as JSON. */
function folderOf(t: Test, files: Record<string, unknown>): string {
  const folder = temporaryFolder(t)
  for (const [name, content] of Object.entries(files))
    writeFileSync(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content))
  return folder
}

function faultsOf(t: Test, files: Record<string, unknown>): readonly string[] {
  try {
    readValueSets(base, folderOf(t, files))
    return []
  } catch (error) {
    if (error instanceof ValueSetsError) return error.errors
    throw error
  }
}

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
  const tree = system('urn:s', [
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
        set('device-type', {
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
          ...without('device-type', { system: snomed, filter: [{}] }),
          expansion: { contains: [{ system: snomed, code: '2' }] }
        }
      ],
      '2'
    ],
    [
      'without a whole set',
      [without('device-type', { valueSet: [site('x')] }), including('x', devices('2'))],
      '1'
    ],
    ['of a built-in set', [including('device-type', { valueSet: [builtIn('device-safety')] })], 'TBD'],
    [
      'only an expansion',
      [
        set('device-type', {
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
        set('device-type', {
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
        set('device-type', {
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
    ...{ system: `${base}/party-role`, code: 'BUYER', display: 'BUYER på dansk' }
  })
})

t.test('each error in a value set file is reported', async (t) => {
  const good = including('device-type', devices('1'))
  const role = (concept: Document[], url = site('party-role')) =>
    including('party-role', { system: url, concept })
  const cases: [what: string, files: Record<string, unknown>, faults: RegExp[]][] = [
    ['no JSON', { 'a.json': '{"a' }, [/^a\.json: is not JSON: /]],
    ['no object', { 'a.json': '[]' }, [/^a\.json: is not a FHIR resource: it must be a JSON object/]],
    ['null', { 'a.json': 'null' }, [/^a\.json: is not a FHIR resource/]],
    ['no FHIR', { 'package.json': { name: 'x' } }, [/^package\.json: .* it has no resourceType$/]],
    ['other FHIR', { 'a.json': { resourceType: 'Patient' } }, [/^a\.json: is a Patient: only ValueSet/]],
    ['other FHIR', { 'a.json': { resourceType: 'constructor' } }, [/^a\.json: is a constructor: only/]],
    ['nothing there', { 'readme.txt': 'x' }, [/: has no \.json file; put /]],
    ['an empty bundle', { 'a.json': bundle() }, [/^a\.json: is a Bundle without entries/]],
    [
      'entries of all kinds',
      { 'a.json': bundle(good, undefined, { resourceType: 'Patient' }, bundle(good)) },
      [
        /^a\.json, entry 2: is not a FHIR/,
        /^a\.json, entry 3: is a Patient/,
        /^a\.json, entry 4: is a Bundle/
      ]
    ],
    ['no url', { 'a.json': { ...good, url: undefined } }, [/^a\.json: url is missing$/]],
    ['an invalid url', { 'a.json': { ...good, url: 'a b' } }, [/^a\.json: url must be a URI$/]],
    [
      'a duplicate url',
      { 'a.json': good, 'b.json': bundle(good) },
      [/^b\.json, entry 1: .* is also in a\.json; keep/]
    ],
    [
      'a duplicate name',
      { 'a.json': good, 'b.json': { ...good, url: 'urn:x/device-type' } },
      [/^b\.json: urn:x\/device-type has the same name as .*\/ValueSet\/device-type in a\.json; keep/]
    ],
    [
      'a duplicate code system',
      { 'a.json': system('urn:s', codes('a')), 'b.json': system('urn:s', codes('b')) },
      [/^b\.json: urn:s is also in a\.json/]
    ],
    [
      'forms',
      {
        'a.json': set('x', {
          compose: { include: [{ system: 7, concept: [{ display: 'x' }, { code: ' x' }, 'x'] }], exclude: {} }
        })
      },
      [
        /^a\.json: compose\.include\[0\]\.system must be a URI$/,
        /^a\.json: compose\.include\[0\]\.concept\[0\]\.code is missing$/,
        /^a\.json: compose\.include\[0\]\.concept\[1\]\.code must be a code, without spaces around it$/,
        /^a\.json: compose\.include\[0\]\.concept\[2\] must be an object$/,
        /^a\.json: compose\.exclude must be a list$/
      ]
    ],
    [
      'a code missing deep in a code system',
      { 'a.json': system('urn:s', [{ code: 'a', concept: [{ code: 'b', concept: [{ display: 'c' }] }] }]) },
      [/^a\.json: concept\[0\]\.concept\[0\]\.concept\[0\]\.code is missing$/]
    ],
    ['nothing to go by', { 'a.json': set('x', {}) }, [/x: it has neither compose nor expansion; list/]],
    ['nothing included', { 'a.json': including('x') }, [/x: it has no codes; list some/]],
    ['an empty list', { 'a.json': including('x', devices()) }, [/x: it has no codes/]],
    [
      'no code left',
      { 'a.json': set('x', { compose: { include: [devices('1')], exclude: [devices('1')] } }) },
      [/x: it has no codes/]
    ],
    [
      'filters',
      {
        'a.json': set('x', {
          compose: {
            include: [devices('1'), { system: snomed, filter: [{}] }],
            exclude: [{ system: snomed, filter: [{}] }]
          }
        })
      },
      [
        /x: compose\.include\[1\] has a filter, which only a terminology server can apply; list/,
        /x: compose\.exclude\[0\] has a filter/
      ]
    ],
    [
      'only an unusable exclude',
      {
        'a.json': without('v', { system: snomed, filter: [{}] }),
        'b.json': without('w', { system: 'urn:none' }),
        'c.json': without('x', { valueSet: [site('none')] }),
        'd.json': without('y', { concept: codes('1') }),
        'e.json': without('z', devices('2'), { valueSet: [site('v')] })
      },
      [
        /v: compose\.exclude\[0\] has a filter/,
        /w: compose\.exclude\[0\] selects all codes of urn:none/,
        /x: compose\.exclude\[0\] refers to the value set .*\/none, which is missing/,
        /y: compose\.exclude\[0\] has concepts without a system/
      ]
    ],
    [
      'an incomplete expansion',
      {
        'a.json': set('x', { expansion: { total: 5000, contains: [{ system: snomed, code: '1' }] } }),
        'b.json': set('y', { expansion: { offset: 100, contains: [{ system: snomed, code: '1' }] } })
      },
      [/x: expansion has 1 of 5000 codes; put the whole/, /y: expansion has 1 of more codes/]
    ],
    [
      'no system',
      { 'a.json': including('x', { concept: codes('1') }, {}) },
      [/include\[0\] has concepts without a system; add it$/, /include\[1\] has neither a system nor/]
    ],
    [
      'a missing system',
      { 'a.json': including('x', { system: 'urn:s' }) },
      [/x: compose\.include\[0\] selects all codes of urn:s, but its CodeSystem is missing; add it/]
    ],
    [
      'a system fragment',
      {
        'a.json': including('x', { system: 'urn:s' }),
        'b.json': system('urn:s', codes('1'), { content: 'fragment' }),
        'c.json': including('y', { system: 'urn:t' }),
        'd.json': { resourceType: 'CodeSystem', url: 'urn:t', content: 'not-present' }
      },
      [/x: .* urn:s, but b\.json does not contain all; list/, /y: .* urn:t, but d\.json does not contain all/]
    ],
    [
      'another version',
      {
        'a.json': including('x', { system: 'urn:s', version: '2' }, { valueSet: [`${site('y')}|2`] }),
        'b.json': system('urn:s', codes('1'), { version: '1' }),
        'c.json': { ...including('y', devices('1')), version: '1' }
      },
      [
        /include\[0\] .* in version 2; b\.json has version 1/,
        /include\[1\] refers to version 2 of .*y; c\.json has/
      ]
    ],
    [
      'a missing set',
      { 'a.json': including('device-type', { valueSet: ['http://hl7.org/fhir/ValueSet/device-type'] }) },
      [
        /include\[0\] refers to the value set http:\/\/hl7\.org\/fhir\/ValueSet\/device-type, which is missing/
      ]
    ],
    [
      'a circle',
      {
        'a.json': including('x', { valueSet: [site('y')] }),
        'b.json': including('y', devices('1'), { valueSet: [site('x')] })
      },
      [/^b\.json, .*y: compose\.include\[1\] is part of a cycle, \S+x > \S+y > \S+x; remove one/]
    ],
    ['itself', { 'a.json': including('x', { valueSet: [site('x')] }) }, [/cycle, \S+x > \S+x; remove/]],
    [
      'acted codes',
      { 'a.json': role(codes('BUYER', 'SELLER', 'BANK')) },
      [/^a\.json, .*party-role: .* must be ACCOUNTING, BUYER, SELLER; it has BANK, BUYER, SELLER$/]
    ],
    [
      'acted codes of another system',
      { 'a.json': role(codes('BUYER', 'SELLER', 'ACCOUNTING'), 'urn:s') },
      [/^a\.json, .*party-role: .* their system must be the set's own url, not urn:s$/]
    ],
    [
      'all errors of all files',
      { 'a.json': '{', 'b.json': good, 'c.json': bundle(good, set('x', {})), 'd.json': role(codes('BUYER')) },
      [
        /^a\.json: is not JSON/,
        /^c\.json, entry 1: .* is also in b/,
        /^c\.json, entry 2, .*x: it has/,
        /^d\.json/
      ]
    ]
  ]
  for (const [what, files, wanted] of cases) {
    const faults = faultsOf(t, files)
    t.equal(faults.length, wanted.length, `${what}: ${faults.join(' | ')}`)
    for (const [at, pattern] of wanted.entries()) t.match(faults[at], pattern, what)
  }
})

t.test('a folder that cannot be read is reported', async (t) => {
  const folder = folderOf(t, { file: 'x' })
  mkdirSync(join(folder, 'a.json'))
  t.throws(() => readValueSets(base, join(folder, 'file')), /cannot be read as a folder \(ENOTDIR\)$/)
  t.throws(() => readValueSets(base, folder), /\n {2}a\.json: cannot be read \(EISDIR\)$/)
})

t.test('the program does not start and reports the errors', async (t) => {
  const VALUESETS_DIR = folderOf(t, { 'a.json': '{', 'b.json': set('device-type', {}) })
  const server = await startServer(t, { VALUESETS_DIR, DATABASE_URL: await cloneDatabase(t) })
  await t.rejects(server.ready(), /It ended with 1/)
  t.match(
    server.output(),
    /^The value sets in .* \(VALUESETS_DIR\) are not usable:\n {2}a\.json: .*\n {2}b\.json, .*\n$/
  )
})
