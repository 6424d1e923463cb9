import t from 'tap'
import { acceptedRanges } from '../../src/platform/headers/negotiation.js'
import { nurseToken, openStream, startListeningServer } from '../fixtures/events/listening.js'

const batch = 'application/cloudevents-batch+json'
const stream = 'text/event-stream'

const cases: { accept: string; type: string }[] = [
  { accept: '*/*', type: batch },
  { accept: 'text/html', type: batch },
  { accept: 'text/event-streams', type: batch },
  { accept: `${batch}, ${stream}`, type: batch },
  { accept: `application/json, ${stream}`, type: batch },
  { accept: stream, type: stream },
  { accept: 'Text/Event-Stream ; charset=utf-8', type: stream },
  { accept: `${stream}, application/json`, type: stream },
  { accept: `${stream}, */*`, type: stream },
  { accept: `text/html, ${stream}`, type: stream },
  { accept: `${stream};q=0`, type: batch },
  { accept: `${stream};q=0, */*`, type: batch },
  { accept: `${stream};q=0.1, application/json;q=0.9`, type: batch },
  { accept: `application/json;q=0.9, ${stream};q=0.1`, type: batch },
  { accept: `application/json;q=0.1, ${stream};q=0.9`, type: stream },
  { accept: `*/*;q=0.5, ${stream}`, type: stream },
  { accept: `${stream};q=0.4, */*;q=0.5`, type: batch },
  { accept: `application/json;q=0, ${stream};q=0.1`, type: stream }
]

t.test('a feed is a stream for clients that prefer a stream', async (t) => {
  const { url, next } = await startListeningServer(t)
  for (const { accept, type } of cases) {
    const opened = await openStream(`${url}${next}`, nurseToken(), { accept })
    t.match([opened.status, opened.type?.split(';')[0]], [200, type], accept)
    opened.close()
  }
})

t.test('ranges are sorted by their weight', async (t) => {
  t.same(acceptedRanges(undefined), [])
  t.same(acceptedRanges(''), [''])
  t.same(acceptedRanges('a;q=0.1, B ;x=y; Q=0.2, c;q=0, d, e;q=1.0, f;q=0.000'), ['d', 'e', 'b', 'a'])
})
