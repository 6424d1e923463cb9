import t from 'tap'
import { oneOfEach } from '../fixtures/effort.js'
import { testLostWrites, writingRoutes } from '../fixtures/lost-writes.js'

/** The method, the action, and whether it is for one resource or many, in each API of JSON. */
const kindOf = (route: string) =>
  route.replace(/\/v1\/[a-z-]+?(s?)(\/|$)/, (_, many, rest) => `/v1/${many}${rest}`)

t.test('the response to a write whose connection is lost', (t) =>
  testLostWrites(
    t,
    oneOfEach(
      writingRoutes.filter(([, { isImport }]) => !isImport),
      ([route]) => kindOf(route)
    )
  )
)
