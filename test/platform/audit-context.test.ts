import t from 'tap'
import { AuditContext, type AuditSubject } from '../../src/platform/auth/audit-context.js'
import { auditedCall, auditedCaller } from '../fixtures/audit/rows.js'

type Subject = [patient: string | null, order?: string]

const cases: Record<string, { added: Subject[]; subjects: Subject[] }> = {
  'no subjects': { added: [], subjects: [] },
  'names each subject once': {
    added: [['p'], ['p'], [null, 'o'], [null, 'o']],
    subjects: [['p'], [null, 'o']]
  },
  'merges an order and its patient': {
    added: [['p'], [null, 'o'], ['p', 'o'], ['p'], [null, 'o'], ['p', 'o']],
    subjects: [['p', 'o']]
  },
  'names no known order again without its patient': {
    added: [['p', 'o'], [null, 'o'], ['p']],
    subjects: [['p', 'o']]
  },
  'keeps other subjects': {
    added: [['p', 'o'], ['q'], [null, 'x']],
    subjects: [['p', 'o'], ['q'], [null, 'x']]
  },
  'names both patients of an order': {
    added: [
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
    added: [['p'], ['p', 'o'], ['p', 'x']],
    subjects: [
      ['p', 'o'],
      ['p', 'x']
    ]
  }
}

for (const [name, { added, subjects }] of Object.entries(cases))
  t.test(name, async (t) => {
    const context = new AuditContext(auditedCall, auditedCaller)
    for (const [patient, order] of added) context.addSubject(patient, order)
    const sorted = (all: readonly AuditSubject[]) =>
      all.map(({ patient, order }) => `${patient} ${order}`).sort()
    t.same(sorted(context.subjects), sorted(subjects.map(([patient, order = null]) => ({ patient, order }))))
  })
