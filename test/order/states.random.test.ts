import t from 'tap'
import { compareWithModel } from '../fixtures/states/compare.js'

t.test('the service makes the transitions of orders with up to four lines, and rejects all others', (t) =>
  compareWithModel(t, { maxLines: 4, maxLinesOfRefusals: 4 })
)
