import t from 'tap'
import { documentFacts, factDifferences } from '../../scripts/document-facts.js'

const before = {
  info: { description: 'before' },
  components: {
    schemas: {
      Order: {
        required: ['id'],
        properties: {
          id: { type: 'string', description: 'Id.' },
          title: { type: 'string' },
          value: { description: 'Any JSON value.' },
          status: { enum: ['DRAFT', 'SUBMITTED'], maxLength: 10 }
        }
      }
    }
  },
  parameters: [{ name: 'limit', required: false }, { name: 'after' }]
}

/** The differences after a change of the document. */
function differencesAfter(change: (document: typeof before) => void): string[] {
  const after = structuredClone(before)
  change(after)
  const [one, other] = [before, after].map((each) => new Map(documentFacts(each, 'x')))
  return factDifferences(one ?? new Map(), other ?? new Map()).lines
}

t.test('reports missing, added and changed parts of a document', async (t) => {
  const at = 'x.components.schemas.Order'
  const remove = (name: string) => (document: object) =>
    Reflect.deleteProperty((document as typeof before).components.schemas.Order.properties, name)
  t.same(differencesAfter(remove('title')), [`- ${at}.properties.title.type`])
  t.same(differencesAfter(remove('value')), [`- ${at}.properties.value`], 'a member of any type')
  t.same(
    differencesAfter(({ components }) => components.schemas.Order.properties.status.enum.shift()),
    [`- ${at}.properties.status.enum: DRAFT`]
  )
  t.same(
    differencesAfter(({ components }) => components.schemas.Order.required.push('title')),
    [`+ ${at}.required: title`]
  )
  t.same(
    differencesAfter(({ components: { schemas } }) => {
      schemas.Order.properties.status.maxLength = 5
    }),
    [`~ ${at}.properties.status.maxLength: 10 → 5`]
  )
})

t.test('ignores texts, and the order of lists', async (t) => {
  t.same(
    differencesAfter((document) => {
      document.info.description = 'after'
      document.components.schemas.Order.properties.id.description = 'The id.'
      document.parameters.reverse()
    }),
    []
  )
})
