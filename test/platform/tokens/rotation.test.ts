import { createHash, generateKeyPairSync } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { JWK } from 'jose'
import t from 'tap'
import { clockOf } from '../../fixtures/clock.js'
import { encoded, type Issuer, provider, rawToken, startIssuer } from '../../fixtures/issuer.js'
import { startTokenGate } from '../../fixtures/token-gate.js'
import { until } from '../../fixtures/waiting.js'

const day = 86_400_000
let count = 0
/** An uncached token. */
const fresh = (issuer: Issuer, kid?: string) => issuer.sign({ ...provider, jti: String(++count) }, kid)

t.test('no valid token is rejected during key rotation', async (t) => {
  const [issuer, other] = [await startIssuer(t), await startIssuer(t)]
  const gate = await startTokenGate(t, [issuer, other])
  const kids = ['first']
  const responses: number[] = []
  let isRotating = true
  /** Requests in flight by issuer and key of their token. */
  const underWay = new Map<string, number>()
  /** Waits for `count` more responses. */
  const answered = async (more: number) => {
    const enough = responses.length + more
    await until(() => responses.length >= enough)
  }

  async function client(each: Issuer): Promise<void> {
    while (isRotating) {
      const kid = each === issuer ? kids[Math.floor(Math.random() * kids.length)] : 'first'
      const name = `${each.url} ${kid}`
      underWay.set(name, (underWay.get(name) ?? 0) + 1)
      responses.push(await gate.status(await fresh(each, kid)))
      underWay.set(name, (underWay.get(name) ?? 0) - 1)
      await wait(1)
    }
  }

  async function rotate(): Promise<void> {
    for (const [index, alg] of ['ES256', 'RS256', 'PS256', 'EdDSA', 'ES384'].entries()) {
      // The old keys are still published; a new key signs as soon as it is published.
      await issuer.addKey(alg, `key-${index}`)
      kids.push(`key-${index}`)
      await answered(50)
      if (kids.length > 2) {
        const [old = ''] = kids.splice(0, 1)
        while (underWay.get(`${issuer.url} ${old}`)) await wait(1)
        issuer.withdraw(old)
      }
      gate.pass(30_000)
    }
    isRotating = false
  }

  await Promise.all([rotate(), ...Array.from({ length: 8 }, (_, i) => client(i < 6 ? issuer : other))])
  t.ok(responses.length > 50, `${responses.length} requests`)
  t.same([...new Set(responses)], [200])
})

t.test('a key published during a fetch is found', async (t) => {
  const issuer = await startIssuer(t)
  const gate = await startTokenGate(t, [issuer])
  t.equal(await gate.status(await fresh(issuer)), 200)
  const old = JSON.stringify({ keys: issuer.published })
  await issuer.addKey('ES256', 'new')
  const token = await fresh(issuer, 'new')
  const before = issuer.fetches()
  let answerLate: (() => void) | undefined
  issuer.instead = (request, response) => {
    if (request.url !== '/jwks') {
      response.end(JSON.stringify({ issuer: issuer.url, jwks_uri: `${issuer.url}/jwks` }))
      return
    }
    issuer.instead = undefined
    answerLate = () => response.end(old)
  }
  const unknown = gate.status(await issuer.sign(provider, 'first', { kid: 'unknown' }))
  while (!answerLate) await wait(5)
  gate.pass(30_000)
  const asking = Promise.all(Array.from({ length: 20 }, () => gate.status(token)))
  await wait(50)
  answerLate()
  const responses = await asking
  t.equal(await unknown, 401)
  t.same([...new Set(responses)], [200])
  t.equal(issuer.fetches() - before, 2, 'the earlier fetch, and one more for all of them')
})

t.test('a withdrawn key is rejected after the next fetch, for cached tokens too', async (t) => {
  const issuer = await startIssuer(t)
  await issuer.addKey('ES256', 'second')
  const gate = await startTokenGate(t, [issuer])
  const [lost, kept] = [await fresh(issuer, 'first'), await fresh(issuer, 'second')]
  for (const token of [lost, kept, lost, kept]) t.equal(await gate.status(token), 200)
  issuer.withdraw('first')
  await issuer.addKey('ES256', 'third')
  t.equal(await gate.status(lost), 200, 'not yet known')
  t.equal(await gate.status(await fresh(issuer, 'third')), 200, 'the new key causes a fetch')
  t.equal(await gate.status(lost), 401, 'the same token')
  t.equal(await gate.status(await fresh(issuer, 'first')), 401, 'another token of that key')
  t.equal(await gate.status(kept), 200)
  for (const kid of ['second', 'third']) issuer.withdraw(kid)
  gate.pass(30_000)
  t.equal(await gate.status(await issuer.sign(provider, 'first', { kid: 'unknown' })), 503)
  t.equal(await gate.status(kept), 200, 'an empty set is a failed fetch')
})

t.test('a key that changes under its kid is another key', async (t) => {
  const issuer = await startIssuer(t)
  const gate = await startTokenGate(t, [issuer], { keysMaxAgeMs: 1000 })
  const old = await fresh(issuer)
  t.equal(await gate.status(old), 200)
  issuer.withdraw('first')
  await issuer.addKey('ES256', 'first')
  const token = await fresh(issuer)
  await until(async () => (await gate.status(token)) === 200)
  t.equal(await gate.status(old), 401)
})

t.test('keys are fetched in the background from the current address of the issuer', async (t) => {
  const issuer = await startIssuer(t)
  const elsewhere = await startIssuer(t)
  elsewhere.withdraw('first')
  const gate = await startTokenGate(t, [issuer], { keysMaxAgeMs: 1000 })
  t.equal(await gate.status(await fresh(issuer)), 200)
  issuer.withdraw('first')
  await elsewhere.addKey('ES256', 'moved')
  issuer.discovery = { jwks_uri: `${elsewhere.url}/jwks` }
  // The keys are fetched from the new address, without a request.
  await until(() => elsewhere.fetches() > 0)
  await until(async () => (await gate.status(await fresh(issuer))) === 401)
  const token = await elsewhere.sign({ ...provider, iss: issuer.url }, 'moved')
  t.equal(await gate.status(token), 200)
})

t.test('tokens with unknown keys', async (t) => {
  clockOf(t, true)
  const [issuer, other] = [await startIssuer(t), await startIssuer(t)]
  const gate = await startTokenGate(t, [issuer, other])
  for (const each of [issuer, other]) t.equal(await gate.status(await fresh(each)), 200)
  const unknown = async () => issuer.sign(provider, 'first', { kid: `random ${++count}` })
  const storm = async (size: number) =>
    Promise.all((await Promise.all(Array.from({ length: size }, unknown))).map(gate.status))
  t.equal(issuer.fetches(), 1)

  t.test('cause one fetch of keys', async (t) => {
    t.same([...new Set(await storm(300))], [401])
    t.equal(issuer.fetches(), 2)
    t.equal(other.fetches(), 1, 'none at another issuer')
  })

  t.test('do not delay tokens with known keys', async (t) => {
    const before = issuer.asked.length
    gate.pass(30_000)
    issuer.instead = () => {}
    const waiting = storm(50)
    while (issuer.asked.length === before) await wait(5)
    for (let turn = 0; turn < 20; turn++) t.equal(await gate.status(await fresh(issuer)), 200)
    issuer.instead = undefined
    await issuer.stop()
    t.same([...new Set(await waiting)], [503], 'they may be valid')
    await issuer.start()
  })
})

t.test('accepts a token without a kid if one key fits', async (t) => {
  const issuer = await startIssuer(t)
  const gate = await startTokenGate(t, [issuer])
  const exp = Math.floor(Date.now() / 1000) + 1_000_000
  const token = () => issuer.sign({ ...provider, exp, jti: String(++count) }, 'first', { kid: undefined })
  t.equal(await gate.status(await token()), 200, 'the only key')
  await issuer.addKey('RS256', 'rsa')
  gate.pass(day)
  t.equal(await gate.status(await token()), 200, 'the only key of that kind')
  await issuer.addKey('ES256', 'second')
  gate.pass(day)
  t.equal(await gate.status(await token()), 401, 'one of two')
})

/** A token for an RSA key of 2048 bits with the exponent 1: the signature is the padded hash (RFC 8017, 9.2). */
function withPaddingAsSignature(header: object, claims: object): string {
  const input = `${encoded({ ...header })}.${encoded({ ...claims })}`
  const hash = createHash('sha256').update(input).digest()
  const info = Buffer.concat([Buffer.from('3031300d060960864801650304020105000420', 'hex'), hash])
  const padding = Buffer.alloc(256 - 3 - info.length, 0xff)
  return `${input}.${encoded(Buffer.concat([Buffer.from([0, 1]), padding, Buffer.from([0]), info]))}`
}

t.test('ignores JWKS entries that cannot verify tokens', async (t) => {
  const issuer = await startIssuer(t)
  const good = issuer.published[0] ?? {}
  const rows: [what: string, entry: object, wanted: number][] = [
    ['without alg', { ...good, alg: undefined }, 200],
    ['for encryption', { ...good, use: 'enc' }, 401],
    ['for another operation', { ...good, key_ops: ['deriveKey'] }, 401],
    ['private', { ...good, d: 'AAAA' }, 401],
    ['shared', { kty: 'oct', kid: 'first', k: 'c2VjcmV0' }, 401],
    ['off its curve', { ...good, x: good.y }, 401],
    ['not there', {}, 401]
  ]
  await issuer.addKey('ES256', 'other')
  const other = issuer.published.find(({ kid }) => kid === 'other') ?? {}
  for (const [what, entry, wanted] of rows) {
    issuer.published = [entry, other]
    const gate = await startTokenGate(t, [issuer])
    t.equal(await gate.status(await fresh(issuer)), wanted, what)
    issuer.published = [entry]
    const alone = await startTokenGate(t, [issuer])
    t.equal(await alone.status(await fresh(issuer)), wanted === 401 ? 503 : wanted, `${what}, alone`)
  }
  issuer.published = [good, { ...good, alg: 'ES384' }, { ...good, kid: 'second' }]
  t.equal(await (await startTokenGate(t, [issuer])).status(await fresh(issuer)), 200, 'among others')

  const claims = { ...provider, iss: issuer.url, exp: Math.floor(Date.now() / 1000) + 600 }
  const header = { alg: 'RS256', kid: 'rsa' }
  for (const [modulusLength, wanted] of [
    [1024, 401],
    [2047, 401],
    [2048, 200]
  ] as const) {
    const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength })
    issuer.published = [good, { ...publicKey.export({ format: 'jwk' }), kid: 'rsa' } as JWK]
    const token = rawToken(privateKey, header, claims)
    t.equal(await (await startTokenGate(t, [issuer])).status(token), wanted, `RSA of ${modulusLength} bits`)
  }

  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const weak = { ...publicKey.export({ format: 'jwk' }), kid: 'rsa' }
  for (const [e, token] of [
    ['AQ', withPaddingAsSignature(header, claims)],
    ['Ag', rawToken(privateKey, header, claims)]
  ] as const) {
    issuer.published = [good, { ...weak, e } as JWK]
    t.equal(await (await startTokenGate(t, [issuer])).status(token), 401, `RSA with the exponent ${e}`)
    issuer.published = [{ ...weak, e } as JWK]
    t.equal(await (await startTokenGate(t, [issuer])).status(token), 503, `RSA with the exponent ${e}, alone`)
  }
})
