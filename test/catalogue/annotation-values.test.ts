import { setImmediate as immediate } from 'node:timers/promises'
import t from 'tap'
import { lookUpAnnotationValues } from '../../src/catalogue/annotation/check-annotations.js'
import type { Call } from '../../src/platform/auth/call.js'
import { Deadline } from '../../src/platform/concurrency/deadline.js'
import type { Ports } from '../../src/ports.js'
import type { Terminology } from '../../src/terminology/terminology.js'

type Named = [name: string, system: string, code: string]

/**
 * A terminology that validates with a function, one turn later, and keeps the requests.
 */
function judging(judge: (code: string) => unknown) {
  const told = { asked: [] as string[] }
  const validateAnnotation: Terminology['validateAnnotation'] = async (name, { system, code }) => {
    told.asked.push(`${name} ${system} ${code}`)
    await immediate()
    if (judge(code) instanceof Error) throw judge(code)
    return judge(code) ? { system, code, display: `It is ${code}` } : undefined
  }
  const ports = { terminology: { validateAnnotation } } as unknown as Ports
  const call = { caller: { userId: 'u' }, deadline: new Deadline(60_000) } as unknown as Call
  const valuesOf = (...named: Named[]) =>
    lookUpAnnotationValues(
      ports,
      call,
      named.map(([name, system, code]) => ({ name, value: { system, code } }))
    )
  return { told, valuesOf }
}

t.test('validates each value once and reports it in its place', async (t) => {
  const { told, valuesOf } = judging((code) => code !== 'b')
  const a: Named = ['n', 's', 'a']
  const b: Named = ['n', 's', 'b']
  const values = await valuesOf(a, b, a, ['m', 's', 'a'], ['n', 'r', 'a'], b, a)
  t.same(
    values.map((value) => value && `${value.system} ${value.display}`),
    ['s It is a', undefined, 's It is a', 's It is a', 'r It is a', undefined, 's It is a']
  )
  t.same(told.asked, ['n s a', 'n s b', 'm s a', 'n r a'])
  t.same(await valuesOf(), [])
})

t.test('after a failure no other validation begins', async (t) => {
  const failure = new Error('no verdict')
  const { told, valuesOf } = judging((code) => (code === '1' ? failure : true))
  const codes = Array.from({ length: 50 }, (_, at): Named => ['n', 's', `${at}`])
  await t.rejects(valuesOf(...codes), failure)
  for (let turn = 0; turn < 50; turn++) await immediate()
  t.ok(told.asked.length <= 5, `${told.asked.length} asked`)
})
