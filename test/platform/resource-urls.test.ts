import t from 'tap'
import { isClinicalReference } from '../../src/clinical/reference.js'
import { createResourceUrls, rewriteHostAddressing } from '../../src/platform/urls/addressing.js'

const id = '01a1fd78-8070-733a-b409-86d8293d59aa'
const kind = { api: 'ssl-order', path: 'party' }
const publicUrl = 'https://inttest.example.org'
const origins = ['https://former.example.org']

t.test('reads own references in both forms, from own origins only', async (t) => {
  const references = createResourceUrls({ publicUrl, addressing: 'path', origins })
  const ours = [
    `${publicUrl}/ssl-order/v1/party/${id}`,
    `https://ssl-order.inttest.example.org/v1/party/${id}`,
    `https://former.example.org/ssl-order/v1/party/${id}`,
    `https://ssl-order.former.example.org/v1/party/${id}`,
    `${publicUrl}/ssl-order/v1/party/${id}/`
  ]
  for (const url of ours) t.equal(references.id(kind, url), id, url)
  const foreign = [
    '',
    id,
    `/ssl-order/v1/party/${id}`,
    `http://inttest.example.org/ssl-order/v1/party/${id}`,
    `https://inttest.example.org.evil.example/ssl-order/v1/party/${id}`,
    `https://inttest.example.org@evil.example/ssl-order/v1/party/${id}`,
    `https://inttest.example.org:8443/ssl-order/v1/party/${id}`,
    `https://evil.example/ssl-order/v1/party/${id}`,
    `${publicUrl}/ssl-order/v2/party/${id}`,
    `${publicUrl}/ssl-order/v1/contract/${id}`,
    `${publicUrl}/ssl-catalogue/v1/party/${id}`,
    `${publicUrl}/ssl-order/v1/party/${id}//`,
    `${publicUrl}/ssl-order/v1/party/${id}?x=1`,
    `${publicUrl}/ssl-order/v1/party/${id}#x`,
    `${publicUrl}/ssl-order/v1/party/../party/${id}`,
    `${publicUrl}/ssl-order/v1/party/%2e%2e/party/${id}`,
    `${publicUrl}/ssl-order/v1/party/${id.toUpperCase()}`,
    `${publicUrl}/ssl-order/v1/party/${id}%00`,
    `${publicUrl}\\ssl-order/v1/party/${id}`,
    `${publicUrl}/ssl-order%2fv1/party/${id}`,
    `${publicUrl}/ssl-order/v1/party/${id.replaceAll('-', '')}`,
    `${publicUrl.replace('https:', 'HTTPS:')}/ssl-order/v1/party/${id}`,
    `${publicUrl.replace('//', '//user:pw@')}/ssl-order/v1/party/${id}`,
    ` ${publicUrl}/ssl-order/v1/party/${id}`
  ]
  for (const url of foreign) t.equal(references.id(kind, url), undefined, JSON.stringify(url))
})

t.test('host addressing selects the API by host name', async (t) => {
  const rewrite = rewriteHostAddressing(['ssl-order', 'ssl-catalogue'])
  const paths = {
    'ssl-order.inttest.example.org/v1/order?x=1': '/ssl-order/v1/order?x=1',
    'SSL-Order.inttest.example.org/v1/order': '/ssl-order/v1/order',
    'ssl-catalogue.inttest.example.org/v1/catalogue': '/ssl-catalogue/v1/catalogue',
    'ssl-order.inttest.example.org/health/ready': '/health/ready',
    'ssl-orders.inttest.example.org/v1/order': '/v1/order',
    'inttest.example.org/ssl-order/v1/order': '/ssl-order/v1/order'
  }
  for (const [address, path] of Object.entries(paths)) {
    const [host = ''] = address.split('/')
    t.equal(rewrite({ url: address.slice(host.length), headers: { host } }), path, address)
  }
  t.equal(rewrite({ url: '/v1/order', headers: {} }), '/v1/order', 'without a host')
})

t.test('reads clinical references', async (t) => {
  const base = 'https://fhir.example/r4'
  const underBase = [`${base}/Patient/123`]
  const elsewhere = [
    'https://fhir.example/Patient/a.b-C9',
    'http://127.0.0.1:8080/fhir/Patient/1',
    `${base}/x/Patient/123`,
    ...['https://fhir.example.evil/r4', 'https://fhir.example./r4', 'http://fhir.example/r4'].map(
      (other) => `${other}/Patient/1`
    ),
    ...['https://fhir.example/R4', 'https://fhir.example/r44'].map((other) => `${other}/Patient/1`)
  ]
  const invalid = [
    `${base}/Organization/123`,
    `${base}/patient/123`,
    `${base}/Patient/`,
    `${base}/Patient`,
    `${base}/Patient/1/_history/2`,
    `${base}/Patient/${'x'.repeat(65)}`,
    `${base}/Patient/1?x=1`,
    `${base}/Patient/1#x`,
    `${base}/Patient/1?`,
    `${base}/Patient/%31`,
    `${base}/Patient/a_b`,
    `${base}/../Patient/1`,
    `${base}//Patient/1`,
    `${base}/Patient/..`,
    `${base}/r4/../Patient/1`,
    'https://user@fhir.example/r4/Patient/1',
    'https://fhir.example@evil/r4/Patient/1',
    'https://fhіr.example/r4/Patient/1',
    'HTTPS://fhir.example/r4/Patient/1',
    'https://user:pw@fhir.example/r4/Patient/1',
    'https://FHIR.example/r4/Patient/1',
    'https://fhir.example:443/r4/Patient/1',
    'https://fhir.example\\r4/Patient/1',
    'ftp://fhir.example/r4/Patient/1',
    'javascript:/Patient/1',
    'Patient/1',
    '//fhir.example/r4/Patient/1',
    ` ${base}/Patient/1`,
    `${base}/Patient/1 `,
    ''
  ]
  for (const url of [...underBase, ...elsewhere, ...invalid]) {
    t.equal(isClinicalReference(url, 'Patient'), !invalid.includes(url), url)
    t.equal(isClinicalReference(url, 'Patient', base), underBase.includes(url), `under the base: ${url}`)
  }
})
