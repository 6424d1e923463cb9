import t from 'tap'
import { type Caller, callerKeyOf } from '../../src/platform/auth/caller.js'

t.test('limits count each user of an issuer as a separate caller', async (t) => {
  const caller: Caller = {
    issuer: 'https://a.example',
    userType: 'Provider',
    userId: 'u',
    name: 'Per',
    organization: 'https://fhir.example/Organization/o',
    permissions: new Set(['Order.read']),
    token: 'a.b.c'
  }
  const isSame = (more: Partial<Caller>, of: Partial<Caller> = {}) =>
    callerKeyOf({ ...caller, ...more }) === callerKeyOf({ ...caller, ...of })
  const nobody = { userId: undefined }
  t.ok(isSame({ token: 'd.e.f', permissions: new Set(), name: 'P' }), 'another token')
  t.notOk(isSame({ issuer: 'https://b.example' }), 'the same id of another issuer')
  t.notOk(isSame({ userType: 'MonitoringResponsible' }), 'another type')
  t.notOk(isSame({ organization: undefined }), 'another organization')
  t.ok(isSame(nobody, nobody), 'a token without a user id')
  t.notOk(isSame(nobody, { ...nobody, token: 'd.e.f' }), 'another one')
  t.notOk(isSame(nobody), 'a user id')
  t.notMatch(callerKeyOf({ ...caller, ...nobody }), /a\.b\.c/, 'a key is no token')
})
