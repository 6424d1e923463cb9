import { type ProblemTable, problemsOf } from '../errors/problem.js'

/** Other problems of HTTP. The server, routes and idempotency keys throw these problems. */
export const serverProblems = {
  'conflicting-ids': {
    status: 400,
    title: { en: 'The ids in path and body differ', da: 'Id i adresse og indhold er forskellige' },
    remedy: {
      en: 'Leave the id out of the body, or send the id of the URL.',
      da: 'Udelad id i indholdet, eller send det id, der står i adressen.'
    }
  },
  'invalid-idempotency-key': {
    status: 400,
    title: { en: 'The Idempotency-Key cannot be used', da: 'Nøglen i Idempotency-Key kan ikke bruges' },
    remedy: {
      en: 'Send one key of 1 to 255 visible ASCII characters, such as a UUID, with a POST that supports it and a token with the claim sub or user_id.',
      da: 'Send én nøgle på 1 til 255 synlige ASCII-tegn, for eksempel et UUID, med en POST, der understøtter det, og en adgangsnøgle med sub eller user_id.'
    }
  },
  'bad-request': {
    status: 400,
    title: { en: 'Malformed request', da: 'Anmodningen er ikke velformet' },
    remedy: { en: 'Send a well-formed request.', da: 'Send en velformet anmodning.' },
    details: {
      malformed: {
        en: '{reason}: the request is malformed.',
        da: '{reason}: anmodningen er ikke velformet.'
      },
      severalRevisions: {
        en: 'If-Match names the revision of one resource. Leave it out, and use test operations in the patches.',
        da: 'If-Match angiver én ressources version. Udelad den, og brug test-operationer i hver patch.'
      },
      host: {
        en: 'Send one Host header with the name and port of the server.',
        da: 'Send én Host-header med serverens navn og port.'
      },
      contentType: { en: 'Send one Content-Type header.', da: 'Send én Content-Type-header.' },
      transferEncoding: {
        en: 'HTTP/1.0 has no Transfer-Encoding. Use HTTP/1.1.',
        da: 'HTTP/1.0 har ingen Transfer-Encoding. Brug HTTP/1.1.'
      },
      url: {
        en: 'Send a URL with valid percent escapes.',
        da: 'Send en adresse med gyldige procentkoder.'
      }
    }
  },
  'incomplete-request': {
    status: 400,
    title: { en: 'Incomplete request', da: 'Anmodningen er ufuldstændig' },
    remedy: { en: 'Send the whole request.', da: 'Send hele anmodningen.' }
  },
  'method-not-allowed': {
    status: 405,
    title: { en: 'Method not allowed for this URL', da: 'Metoden kan ikke bruges på denne adresse' },
    remedy: {
      en: 'Use a method of the header `Allow`.',
      da: 'Brug en metode, som headeren `Allow` angiver.'
    },
    details: {
      allowed: { en: 'Use {methods}.', da: 'Brug {methods}.' }
    }
  },
  'query-too-long': {
    status: 414,
    title: { en: 'The query string is longer than allowed', da: 'Parametrene i adressen er for lange' },
    remedy: { en: 'Send fewer or shorter parameters.', da: 'Send færre eller kortere parametre.' },
    details: {
      maximum: {
        en: 'Maximum length of the query string: {max} bytes.',
        da: 'Parametrene må højst fylde {max} byte.'
      }
    }
  },
  'expectation-failed': {
    status: 417,
    title: { en: 'Unsupported Expect header', da: 'Headeren Expect understøttes ikke' },
    remedy: {
      en: 'Leave the header out, or send `100-continue`.',
      da: 'Udelad headeren, eller send `100-continue`.'
    }
  },
  'misdirected-request': {
    status: 421,
    title: { en: 'The server does not answer at this host', da: 'Serveren svarer ikke på dette værtsnavn' },
    remedy: {
      en: 'Use the address of `PUBLIC_URL`, or set `PUBLIC_URL` to the address that you use.',
      da: 'Brug adressen i `PUBLIC_URL`, eller sæt `PUBLIC_URL` til den adresse, du bruger.'
    }
  },
  'headers-too-large': {
    status: 431,
    title: { en: 'The headers are larger than allowed', da: 'Headerne er for store' },
    remedy: {
      en: 'Send fewer or shorter headers, or a shorter URL.',
      da: 'Send færre eller kortere headere eller en kortere adresse.'
    }
  },
  'idempotency-key-reused': {
    status: 422,
    title: {
      en: 'Another request had this Idempotency-Key',
      da: 'En anden anmodning havde denne Idempotency-Key'
    },
    remedy: {
      en: 'Use a new key for each request with another URL or another body.',
      da: 'Brug en ny nøgle til hver anmodning med en anden adresse eller et andet indhold.'
    }
  },
  'internal-error': {
    status: 500,
    title: { en: 'Internal error', da: 'Intern fejl' },
    remedy: {
      en: 'Try again later. The log has details under this request id.',
      da: 'Prøv igen senere. Loggen har detaljer under dette id.'
    }
  },
  'not-implemented': {
    status: 501,
    title: { en: 'Unsupported HTTP feature', da: 'HTTP-funktionen understøttes ikke' },
    remedy: { en: 'Send the request in plain HTTP/1.1.', da: 'Send anmodningen i almindelig HTTP/1.1.' },
    details: {
      transferCoding: {
        en: 'Use chunked as the only transfer coding.',
        da: 'Brug chunked som eneste Transfer-Encoding.'
      },
      method: {
        en: 'The server does not support this method.',
        da: 'Serveren understøtter ikke denne metode.'
      }
    }
  },
  'http-version-not-supported': {
    status: 505,
    title: { en: 'Unsupported HTTP version', da: 'HTTP-versionen understøttes ikke' },
    remedy: { en: 'Use HTTP/1.1.', da: 'Brug HTTP/1.1.' }
  }
} as const satisfies ProblemTable

export const serverProblem = problemsOf(serverProblems)
