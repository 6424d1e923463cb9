import t from 'tap'
import { AuditContext, type AuditSubject } from '../../src/platform/auth/audit-context.js'

type Touch = [patient: string | null, order?: string]

const cases: Record<string, { touched: Touch[]; subjects: Touch[] }> = {
  'no subjects': { touched: [], subjects: [] },
  'names each subject once': {
    touched: [['p'], ['p'], [null, 'o'], [null, 'o']],
    subjects: [['p'], [null, 'o']]
  },
  'merges an order and its patient': {
    touched: [['p'], [null, 'o'], ['p', 'o'], ['p'], [null, 'o'], ['p', 'o']],
    subjects: [['p', 'o']]
  },
  'names no known order again without its patient': {
    touched: [['p', 'o'], [null, 'o'], ['p']],
    subjects: [['p', 'o']]
  },
  'keeps other subjects': {
    touched: [['p', 'o'], ['q'], [null, 'x']],
    subjects: [['p', 'o'], ['q'], [null, 'x']]
  },
  'names both patients of an order': {
    touched: [
      [null, 'o'],
      ['p', 'o'],
      ['q', 'o']
    ],
    subjects: [
      ['p', 'o'],
      ['q', 'o']
    ]
  },
  'names several orders of a patient': {
    touched: [['p'], ['p', 'o'], ['p', 'x']],
    subjects: [
      ['p', 'o'],
      ['p', 'x']
    ]
  }
}

for (const [name, { touched, subjects }] of Object.entries(cases))
  t.test(name, async (t) => {
    const trail = new AuditContext({ requestId: 'r', operation: 'o', interaction: 'read' }, {
      userType: 'Provider',
      permissions: new Set()
    } as unknown as AuditContext['caller'])
    for (const [patient, order] of touched) trail.addSubject(patient, order)
    const sorted = (all: readonly AuditSubject[]) =>
      all.map(({ patient, order }) => `${patient} ${order}`).sort()
    t.same(sorted(trail.subjects), sorted(subjects.map(([patient, order = null]) => ({ patient, order }))))
  })
