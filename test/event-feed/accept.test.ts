import t from 'tap'
import { acceptedRanges } from '../../src/platform/util/accepted-ranges.js'
import { testApp } from '../fixtures/app.js'
import { listening, nurseToken, openStream } from '../fixtures/events/listening.js'
import { orders } from '../fixtures/world.js'

const batch = 'application/cloudevents-batch+json'
const stream = 'text/event-stream'

// biome-ignore format: a table
const cases: [accept: string, type: string][] = [
  ['*/*', batch],
  ['text/html', batch],
  ['text/event-streams', batch],
  [`${batch}, ${stream}`, batch],
  [`application/json, ${stream}`, batch],
  [stream, stream],
  ['Text/Event-Stream ; charset=utf-8', stream],
  [`${stream}, application/json`, stream],
  [`${stream}, */*`, stream],
  [`text/html, ${stream}`, stream],
  [`${stream};q=0`, batch],
  [`${stream};q=0, */*`, batch],
  [`${stream};q=0.1, application/json;q=0.9`, batch],
  [`application/json;q=0.9, ${stream};q=0.1`, batch],
  [`application/json;q=0.1, ${stream};q=0.9`, stream],
  [`*/*;q=0.5, ${stream}`, stream],
  [`${stream};q=0.4, */*;q=0.5`, batch],
  [`application/json;q=0, ${stream};q=0.1`, stream]
]

t.test('a feed is a stream for those who prefer one', async (t) => {
  const { url, next } = await listening(t)
  for (const [accept, type] of cases) {
    const opened = await openStream(`${url}${next}`, nurseToken(), { accept })
    t.match([opened.status, opened.type?.split(';')[0]], [200, type], accept)
    opened.close()
  }
})

t.test('a web page may go on with a stream', async (t) => {
  const origin = 'https://app.example.org'
  const { as } = await testApp(t, { CORS_ORIGINS: origin })
  const wanted = ['authorization', 'last-event-id']
  const { headers } = await as().send({
    method: 'OPTIONS',
    url: `${orders}/events`,
    headers: {
      origin,
      'access-control-request-method': 'GET',
      'access-control-request-headers': wanted.join(',')
    }
  })
  const allowed = String(headers['access-control-allow-headers']).split(', ')
  t.same(
    wanted.filter((name) => !allowed.includes(name)),
    []
  )
})

t.test('ranges are sorted by their weight', async (t) => {
  t.same(acceptedRanges(undefined), [])
  t.same(acceptedRanges(''), [''])
  t.same(acceptedRanges('a;q=0.1, B ;x=y; Q=0.2, c;q=0, d, e;q=1.0, f;q=0.000'), ['d', 'e', 'b', 'a'])
})
