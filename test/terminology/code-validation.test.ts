import t from 'tap'
import { codeValidationOf } from '../../src/terminology/code-validation.js'

/** Responses of HAPI FHIR, Ontoserver, Snowstorm and tx.fhir.org, and invalid ones. */

const url = 'https://site.example/vs/device-type'
const system = 'http://snomed.info/sct'
const question = { url, system, code: '19892000' }

const parameters = (...parameter: unknown[]) => ({ resourceType: 'Parameters', parameter })
const result = (valueBoolean: boolean) => ({ name: 'result', valueBoolean })
const message = (valueString: string) => ({ name: 'message', valueString })
const display = (valueString: unknown) => ({ name: 'display', valueString })
const outcome = (code: string, text: string, at: 'details' | 'diagnostics' = 'details') => ({
  resourceType: 'OperationOutcome',
  issue: [{ severity: 'error', code, ...(at === 'details' ? { details: { text } } : { diagnostics: text }) }]
})
const issues = (resource: object) => ({ name: 'issues', resource })

const legal = { valid: true, display: null }
const illegal = { valid: false, display: null }

const verdicts: [what: string, status: number, body: unknown, verdict: object][] = [
  ['legal', 200, parameters(result(true)), legal],
  ['with a display', 200, parameters(display('Vægt'), result(true)), { valid: true, display: 'Vægt' }],
  ['an empty display', 200, parameters(result(true), display('')), legal],
  ['a display that cannot be stored', 200, parameters(result(true), display('a\0')), legal],
  ['a display that cannot be stored', 200, parameters(result(true), display('\ud800')), legal],
  ['an endless display', 200, parameters(result(true), display('x'.repeat(4001))), legal],
  ['a display that is not a string', 200, parameters(result(true), display(7)), legal],
  ['valid, with issues', 200, parameters(result(true), issues(outcome('not-found', `'${url}'`))), legal],
  ['not in the set', 200, parameters(result(false)), illegal],
  [
    'HAPI FHIR: not in the set',
    200,
    parameters(
      result(false),
      message(`Unknown code '${system}#19892000' for in-memory expansion of ValueSet '${url}'`)
    ),
    illegal
  ],
  [
    'tx.fhir.org: not in the set',
    200,
    parameters(
      result(false),
      message(`The provided code '${system}#19892000' was not found in the value set '${url}|1.0'`),
      issues(outcome('code-invalid', `was not found in the value set '${url}|1.0'`))
    ),
    illegal
  ],
  [
    'of an unknown system',
    200,
    parameters(
      result(false),
      issues(outcome('not-found', `A definition for CodeSystem '${system}' could not be found`))
    ),
    illegal
  ],
  ['of an unknown system', 404, outcome('not-found', `CodeSystem ${system}: unknown`), illegal]
]

t.test('reads valid and invalid results', async (t) => {
  for (const [what, status, body, wanted] of verdicts)
    t.same(codeValidationOf({ status, body }, question, false), wanted, what)
})

const unknownSet = /does not have the value set https:\/\/site\.example\/vs\/device-type/
const none: [what: string, status: number, body: unknown, reason: RegExp][] = [
  [
    'tx.fhir.org has no such set',
    422,
    outcome('not-found', `A definition for the value Set '${url}' could not be found`),
    unknownSet
  ],
  [
    'Ontoserver has no such set',
    404,
    outcome('not-found', `Unable to find ValueSet ${url}`, 'diagnostics'),
    unknownSet
  ],
  [
    'HAPI FHIR has no such set',
    200,
    parameters(
      result(false),
      message(
        `Validator is unable to provide validation for 1#${system} - Unknown or unusable ValueSet[${url}]`
      )
    ),
    unknownSet
  ],
  [
    'no such set, in the issues of a result',
    200,
    parameters(result(false), issues(outcome('not-found', `value Set '${url}' could not be found`))),
    unknownSet
  ],
  ['a base that is none', 404, undefined, /rejected the request with status 404/],
  [
    'another set is not there',
    404,
    outcome('not-found', `ValueSet ${url}-old is unknown`),
    /rejected .* with status 404/
  ],
  ['no entrance', 401, undefined, /rejected the request with status 401/],
  ['a bad question', 400, outcome('invalid', 'no'), /rejected the request with status 400/],
  ['a result with a refusal', 400, parameters(result(false)), /rejected the request with status 400/],
  ['an outcome for a result', 200, outcome('informational', 'All OK'), /no Parameters with a result/],
  ['no body', 200, undefined, /no Parameters/],
  ['no parameter', 200, { resourceType: 'Parameters' }, /no Parameters/],
  ['no result', 200, parameters(display('x')), /no Parameters/],
  ['a result of another type', 200, parameters({ name: 'result', valueString: 'true' }), /no Parameters/],
  ['a parameter that is not a list', 200, { resourceType: 'Parameters', parameter: {} }, /no Parameters/],
  ['invalid parameters', 200, parameters(null, 7), /no Parameters/],
  ['another resource', 200, { ok: true }, /no Parameters/],
  ['a list', 200, [], /no Parameters/],
  ['a text', 200, 'true', /no Parameters/]
]

t.test('rejects responses without a result', async (t) => {
  for (const [what, status, body, reason] of none)
    t.throws(
      () => codeValidationOf({ status, body }, question, false),
      { name: 'InconclusiveValidation', message: reason },
      what
    )
  const response = { status: 200, body: parameters(result(false), issues(outcome('not-found', system))) }
  t.throws(() => codeValidationOf(response, question, true), {
    name: 'InconclusiveValidation',
    message: /does not have the code system http:\/\/snomed\.info\/sct/
  })
})
