import t from 'tap'
import { ConfigError, loadConfig } from '../fastify.config.js'

const prod = {
  ENVIRONMENT: 'prod',
  DATABASE_URL: 'postgres://db/ssl',
  PUBLIC_URL: 'https://prod.example.org',
  TOKEN_ISSUERS: 'https://issuer.example.org/realms/a'
}

function faultsOf(env: Record<string, string>): readonly string[] {
  try {
    loadConfig(env)
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.faults
    throw error
  }
}

t.test('nothing set: devtest on loopback', async (t) => {
  t.match(loadConfig({}), {
    environment: 'devtest',
    publicUrl: 'http://127.0.0.1:3000',
    database: { url: undefined, dataDir: '.data' },
    tokens: { verified: false },
    valueSets: { base: 'https://valuesets.example/vs' }
  })
  t.equal(
    loadConfig({ HOST: '0.0.0.0', ALLOW_UNSIGNED_TOKENS: 'true', PORT: '80' }).publicUrl,
    'http://localhost:80'
  )
  t.equal(loadConfig({ HOST: '::1' }).publicUrl, 'http://[::1]:3000')
  t.equal(loadConfig({ DATABASE_URL: '' }).database.url, undefined, 'an empty variable is no setting')
})

t.test('everywhere else tokens are verified', async (t) => {
  for (const environment of ['inttest', 'exttest', 'preprod', 'prod'])
    t.match(loadConfig({ ...prod, ENVIRONMENT: environment }).tokens, {
      verified: true,
      issuers: [prod.TOKEN_ISSUERS]
    })
  t.same(loadConfig({ ...prod, TOKEN_ISSUERS: 'https://a.example, http://localhost:8080' }).tokens.issuers, [
    'https://a.example',
    'http://localhost:8080'
  ])
})

t.test('the clinical backend is named as a URL parser prints it', async (t) => {
  for (const given of ['https://fhir.example/r4', ' HTTPS://FHIR.Example:443/x/../r4// '])
    t.equal(loadConfig({ CLINICAL_FHIR_URL: given }).clinical.url, 'https://fhir.example/r4', given)
  t.equal(loadConfig({ CLINICAL_FHIR_URL: 'https://fhir.example' }).clinical.url, 'https://fhir.example')
})

t.test('faults', async (t) => {
  const cases: [env: Record<string, string>, faults: RegExp[]][] = [
    [
      { ENVIRONMENT: 'prod' },
      [/^DATABASE_URL is required/, /^PUBLIC_URL is required/, /^TOKEN_ISSUERS is required/]
    ],
    [{ ENVIRONMENT: 'test' }, [/^ENVIRONMENT must be one of devtest, inttest/]],
    [{ HOST: '0.0.0.0' }, [/^HOST 0\.0\.0\.0 is not a loopback address/]],
    [{ PORT: '0' }, [/^PORT must be a whole number from 1 to 65535/]],
    [{ PORT: 'x', LOG_LEVEL: 'loud', HOST: '10.0.0.1' }, [/^PORT/, /^LOG_LEVEL/, /^HOST/]],
    [{ TRUST_PROXY: 'perhaps' }, [/^TRUST_PROXY must be true or false/]],
    [{ PUBLIC_URL: 'https://x.example/path' }, [/^PUBLIC_URL must be an origin/]],
    [{ REFERENCE_ORIGINS: 'https://a.example,b.example' }, [/^REFERENCE_ORIGINS: b\.example/]],
    [{ ...prod, TOKEN_ISSUERS: 'http://issuer.example.org' }, [/^TOKEN_ISSUERS: http:\/\/issuer/]],
    [{ ...prod, ALLOW_UNSIGNED_TOKENS: 'true' }, [/^ALLOW_UNSIGNED_TOKENS/]],
    [{ DATABASE_URL: 'mysql://x' }, [/^DATABASE_URL/]],
    [{ TIME_ZONE: 'Mars/Olympus' }, [/^TIME_ZONE/]],
    [{ PLATFORM_PREFIX: 'a:b' }, [/^PLATFORM_PREFIX/]],
    [{ CLINICAL_FHIR_URL: 'fhir' }, [/^CLINICAL_FHIR_URL/]],
    [{ TERMINOLOGY_URL: 'tx.example.org' }, [/^TERMINOLOGY_URL must be an http or https URL/]],
    [{ TERMINOLOGY_URL: 'https://tx.example.org/r4?x' }, [/^TERMINOLOGY_URL/]],
    [
      { TERMINOLOGY_SETS: 'device-type, order-status,Device-Type' },
      [
        /^TERMINOLOGY_SETS: order-status must be one of device-type, .*local$/,
        /^TERMINOLOGY_SETS: Device-Type/
      ]
    ],
    [{ REMOTE_TIMEOUT: '60000' }, [/^REMOTE_TIMEOUT must be a whole number from/]],
    [{ CLINICAL_FHIR_URL: 'https://:pw@fhir.example' }, [/^CLINICAL_FHIR_URL/]],
    [{ CLINICAL_FHIR_URL: 'https://fhir.example/r4?' }, [/^CLINICAL_FHIR_URL/]],
    [{ CLINICAL_FHIR_URL: 'https://fhir.example/#' }, [/^CLINICAL_FHIR_URL/]],
    [{ REQUIRE_CONSENT: 'perhaps' }, [/^REQUIRE_CONSENT must be true or false/]],
    [{ REQUIRE_CONSENT: 'true' }, [/^REQUIRE_CONSENT needs CLINICAL_FHIR_URL/]],
    [{ REQUIRE_CONSENT: 'true', PORT: 'x' }, [/^PORT/, /^REQUIRE_CONSENT/]]
  ]
  for (const [env, expected] of cases) {
    const faults = faultsOf(env)
    t.equal(faults.length, expected.length, `${JSON.stringify(env)}: ${faults.join(' | ')}`)
    for (const [at, pattern] of expected.entries()) t.match(faults[at], pattern)
  }
})
