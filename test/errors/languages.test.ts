import t from 'tap'
import { allProblems } from '../../src/app.js'
import { testApp } from '../fixtures/app.js'
import { orders, patient, world } from '../fixtures/world.js'

const fixture = await testApp(t)
const { app } = fixture

t.test('every problem has a page that tells in Danish and English what it is and what to do', async (t) => {
  for (const [code, [status, title, remedy]] of Object.entries(allProblems)) {
    t.not(title.da, title.en, code)
    t.match(title, { en: /^[A-Z].*[^.]$/, da: /^[A-ZÆØÅ].*[^.]$/ }, code)
    t.match(remedy, { en: /^[A-Z`].*\.$/, da: /^[A-ZÆØÅ`].*\.$/ }, code)
    for (const language of ['en', 'da'] as const) {
      const headers = { 'accept-language': language }
      const answer = await app.inject({ url: `/problems/${code}`, headers })
      const base = `http://127.0.0.1:3000/problems/${code}`
      t.same(
        answer.json(),
        { type: base, code, status, title: title[language], remedy: remedy[language] },
        code
      )
      t.equal(answer.headers['content-language'], language)
    }
  }
  const page = await app.inject({
    url: '/problems/not-deletable',
    headers: { accept: 'text/html,*/*;q=0.8', 'accept-language': 'da' }
  })
  t.match(page.headers, { 'content-type': 'text/html; charset=utf-8', vary: /Accept, Accept-Language/ })
  t.match(page.body, /<html lang="da">[\s\S]*Annullér/)
  t.match((await app.inject('/problems/nothing')).json(), { status: 404, code: 'not-found' })
  t.match((await app.inject('/problems/constructor')).json(), { status: 404 })
})

t.test('a problem is told in the language of the request', async (t) => {
  const { nurse, ...w } = await world(fixture)
  const wrong = { ...w.draft(), priority: 'yes', receiver: { patient: patient('p1') } }
  const refused = async (language: string) => {
    const answer = await nurse.send({
      method: 'POST',
      url: `${orders}/order`,
      payload: JSON.stringify(wrong),
      headers: { 'accept-language': language, 'content-type': 'application/json' }
    })
    return { ...answer.body, language: answer.headers['content-language'], vary: answer.headers.vary }
  }
  t.match(await refused('da-DK, en;q=0.5'), {
    language: 'da',
    vary: /Accept-Language/,
    type: 'http://127.0.0.1:3000/problems/invalid-body',
    title: 'Kroppen passer ikke til sit skema',
    errors: [
      { pointer: '/priority', code: 'wrong-type', detail: 'Det skal være true eller false eller null.' },
      { pointer: '/receiver/name', code: 'required', detail: 'Det skal udfyldes.' }
    ]
  })
  t.match(await refused('fr'), {
    language: 'en',
    errors: [{ detail: 'It must be true or false or null.' }, { detail: 'It is required.' }]
  })
  const lists = await nurse.get(`${orders}/orders?limit=0&priority=perhaps&more=1`)
  t.same(
    lists.body.errors.map(({ pointer }: { pointer: string }) => pointer).sort(),
    ['/limit', '/more', '/priority'],
    'all faults of a query'
  )
})

t.test('faults of a JSON Patch are found in the patch that was sent', async (t) => {
  const { nurse, ...w } = await world(fixture)
  const order = await w.createDraft()
  const patch = [
    { op: 'test', path: '/priority', value: false },
    { op: 'replace', path: '/receiver', value: { name: 'R', patient: patient('p1'), phone: 7 } },
    { op: 'add', path: '/notes/-', value: { note: 7 } }
  ]
  const { body } = await nurse.patch(new URL(order).pathname, patch)
  t.match(body.errors, [
    { pointer: '/2/value/note', detail: /^\/notes\/0\/note: It must/ },
    { pointer: '/1/value/phone', detail: /^\/receiver\/phone: It must be a text/ }
  ])
})
