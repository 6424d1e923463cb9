import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { readValueSets, ValueSetsError } from '../../src/terminology/value-set.js'
import { cloneDatabase } from '../fixtures/app.js'
import {
  base,
  bundle,
  codeSystem,
  codes,
  type Document,
  devices,
  excluding,
  folderOf,
  including,
  site,
  snomed,
  valueSet
} from '../fixtures/fhir/value-sets.js'
import { startServer } from '../fixtures/server.js'

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
      { 'a.json': codeSystem('urn:s', codes('a')), 'b.json': codeSystem('urn:s', codes('b')) },
      [/^b\.json: urn:s is also in a\.json/]
    ],
    [
      'forms',
      {
        'a.json': valueSet('x', {
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
      {
        'a.json': codeSystem('urn:s', [{ code: 'a', concept: [{ code: 'b', concept: [{ display: 'c' }] }] }])
      },
      [/^a\.json: concept\[0\]\.concept\[0\]\.concept\[0\]\.code is missing$/]
    ],
    ['nothing to go by', { 'a.json': valueSet('x', {}) }, [/x: it has neither compose nor expansion; list/]],
    ['nothing included', { 'a.json': including('x') }, [/x: it has no codes; list some/]],
    ['an empty list', { 'a.json': including('x', devices()) }, [/x: it has no codes/]],
    [
      'no code left',
      { 'a.json': valueSet('x', { compose: { include: [devices('1')], exclude: [devices('1')] } }) },
      [/x: it has no codes/]
    ],
    [
      'filters',
      {
        'a.json': valueSet('x', {
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
        'a.json': excluding('v', { system: snomed, filter: [{}] }),
        'b.json': excluding('w', { system: 'urn:none' }),
        'c.json': excluding('x', { valueSet: [site('none')] }),
        'd.json': excluding('y', { concept: codes('1') }),
        'e.json': excluding('z', devices('2'), { valueSet: [site('v')] })
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
        'a.json': valueSet('x', { expansion: { total: 5000, contains: [{ system: snomed, code: '1' }] } }),
        'b.json': valueSet('y', { expansion: { offset: 100, contains: [{ system: snomed, code: '1' }] } })
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
        'b.json': codeSystem('urn:s', codes('1'), { content: 'fragment' }),
        'c.json': including('y', { system: 'urn:t' }),
        'd.json': { resourceType: 'CodeSystem', url: 'urn:t', content: 'not-present' }
      },
      [/x: .* urn:s, but b\.json does not contain all; list/, /y: .* urn:t, but d\.json does not contain all/]
    ],
    [
      'another version',
      {
        'a.json': including('x', { system: 'urn:s', version: '2' }, { valueSet: [`${site('y')}|2`] }),
        'b.json': codeSystem('urn:s', codes('1'), { version: '1' }),
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
      {
        'a.json': '{',
        'b.json': good,
        'c.json': bundle(good, valueSet('x', {})),
        'd.json': role(codes('BUYER'))
      },
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
  const VALUESETS_DIR = folderOf(t, { 'a.json': '{', 'b.json': valueSet('device-type', {}) })
  const server = await startServer(t, { VALUESETS_DIR, DATABASE_URL: await cloneDatabase(t) })
  await t.rejects(server.ready(), /It ended with 1/)
  t.match(
    server.output(),
    /^The value sets in .* \(VALUESETS_DIR\) are not usable:\n {2}a\.json: .*\n {2}b\.json, .*\n$/
  )
})
