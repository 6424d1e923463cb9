import type { ProblemTable, Texts } from './errors/language.js'

export const platformProblems = {
  'malformed-json': {
    status: 400,
    title: {
      en: 'The JSON of the body is malformed or not accepted',
      da: 'JSON i indholdet er ikke velformet eller kan ikke modtages'
    },
    remedy: { en: 'Send one well-formed JSON value.', da: 'Send én velformet JSON-værdi.' },
    details: {
      tooDeep: {
        en: 'The body is nested too deeply. It may have at most {max} levels of objects and arrays.',
        da: 'Indholdet har for mange niveauer. Det må højst have {max} niveauer af objekter og lister.'
      },
      tooManyValues: {
        en: 'The body has too many values. It may have at most {max} members of objects and entries of arrays. Send less at a time.',
        da: 'Indholdet har for mange værdier. Det må højst have {max} felter i objekter og elementer i lister. Send mindre ad gangen.'
      },
      notUtf8: {
        en: 'The body is not UTF-8. Send JSON in UTF-8.',
        da: 'Indholdet er ikke UTF-8. Send JSON i UTF-8.'
      },
      prototypeMember: {
        en: 'The body has a member __proto__ or constructor.prototype, which is not accepted. Leave the member out.',
        da: 'Indholdet har et felt __proto__ eller constructor.prototype, som ikke kan modtages. Udelad feltet.'
      }
    }
  },
  'malformed-text': {
    status: 400,
    title: {
      en: 'The request contains text that cannot be stored',
      da: 'Anmodningen indeholder tekst, der ikke kan gemmes'
    },
    remedy: {
      en: 'Remove control characters such as U+0000, and lone surrogates.',
      da: 'Fjern styretegn som U+0000 og ufuldstændige tegn.'
    }
  },
  'invalid-body': {
    status: 400,
    title: { en: 'The body does not match its schema', da: 'Indholdet passer ikke til skemaet' },
    remedy: { en: 'Correct the members that `errors` names.', da: 'Ret de felter, som `errors` angiver.' },
    details: {
      whole: { en: '{sentence}.{known}', da: '{sentence}.{known}' },
      members: { en: 'In the body: {sentence}.{known}', da: 'I indholdet: {sentence}.{known}' },
      empty: {
        en: 'The body is empty. Send it as JSON, with the header Content-Type: application/json.',
        da: 'Indholdet er tomt. Send det som JSON med headeren Content-Type: application/json.'
      }
    }
  },
  'invalid-query': {
    status: 400,
    title: { en: 'Invalid query parameter', da: 'En parameter i adressen er ugyldig' },
    remedy: {
      en: 'Correct the query parameter that the detail names.',
      da: 'Ret den parameter, som teksten angiver.'
    },
    details: {
      parameters: { en: 'Query parameter {sentence}.{known}', da: 'Parameteren {sentence}.{known}' },
      cursorWithFilters: {
        en: 'A cursor contains its filters. Send it to the list that it came from, without parameters other than limit.',
        da: 'En cursor indeholder sine filtre. Send den til den liste, den kom fra, uden andre parametre end limit.'
      },
      escapes: {
        en: 'Send valid percent escapes in the query string.',
        da: 'Send gyldige procentkoder i parametrene.'
      }
    }
  },
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
  unauthorized: {
    status: 401,
    title: { en: 'Missing or invalid token', da: 'Adgangsnøglen mangler eller er ugyldig' },
    remedy: {
      en: 'Send a valid token as `Authorization: Bearer`. It may have expired: fetch a new one.',
      da: 'Send en gyldig adgangsnøgle som `Authorization: Bearer`. Den kan være udløbet: hent en ny.'
    }
  },
  forbidden: {
    status: 403,
    title: { en: 'The token does not allow this operation', da: 'Adgangsnøglen giver ikke lov til dette' },
    remedy: {
      en: 'Use a token with the user type and the permission that the operation needs.',
      da: 'Brug en adgangsnøgle med den brugertype og den rettighed, der skal til.'
    }
  },
  'organization-replaced': {
    status: 403,
    title: {
      en: 'The organization of the token was replaced by another one',
      da: 'Adgangsnøglens organisation er afløst af en anden'
    },
    remedy: {
      en: 'Log in again, or fetch a new token: it must name the new organization.',
      da: 'Log ind igen, eller hent en adgangsnøgle til den nye organisation.'
    }
  },
  'not-found': {
    status: 404,
    title: { en: 'Resource not found', da: 'Findes ikke' },
    remedy: {
      en: 'Check the URL. Resources of other organizations are not shown.',
      da: 'Kontrollér adressen. Andre organisationers ressourcer vises ikke.'
    },
    details: {
      path: {
        en: 'The path does not exist. Check the path, or begin at {home}.',
        da: 'Stien findes ikke. Kontrollér den, eller begynd på {home}.'
      },
      malformedId: {
        en: 'The id is not a UUID in lower case. Check the id.',
        da: 'Dette id er ikke et UUID med små bogstaver. Kontrollér det.'
      }
    }
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
  'request-timeout': {
    status: 408,
    title: { en: 'The request took too long to arrive', da: 'Anmodningen var for længe undervejs' },
    remedy: {
      en: 'Send it again, faster or in smaller parts.',
      da: 'Send den igen, hurtigere eller i mindre dele.'
    }
  },
  'failed-test': {
    status: 409,
    title: {
      en: 'A test operation of the JSON Patch failed',
      da: 'En test-operation i JSON Patch mislykkedes'
    },
    remedy: {
      en: 'Read the resource again, and make a new patch.',
      da: 'Læs ressourcen igen, og lav en ny patch.'
    },
    details: {
      otherValue: {
        en: 'Operation {at} (test) found a different value at {path}.',
        da: 'Operation {at} (test) fandt en anden værdi på {path}.'
      }
    }
  },
  'precondition-failed': {
    status: 412,
    title: {
      en: 'The resource does not match If-Match',
      da: 'Ressourcen svarer ikke til If-Match'
    },
    remedy: {
      en: 'Read the resource again, and send the ETag of that response with its quotation marks.',
      da: 'Læs ressourcen igen, og send ETag fra svaret med dets anførselstegn.'
    }
  },
  'payload-too-large': {
    status: 413,
    title: { en: 'The body is larger than allowed', da: 'Indholdet er for stort' },
    remedy: { en: 'Send less at a time.', da: 'Send mindre ad gangen.' },
    details: {
      body: {
        en: 'The body may have at most {max} bytes. Send less at a time.',
        da: 'Indholdet må højst fylde {max} byte. Send mindre ad gangen.'
      },
      copies: {
        en: 'The JSON Patch copies more than {max} characters.',
        da: 'JSON Patch kopierer mere end {max} tegn.'
      },
      result: {
        en: 'The result of the JSON Patch would exceed {max} characters.',
        da: 'Resultatet af JSON Patch ville fylde mere end {max} tegn.'
      },
      chunkExtensions: { en: 'Send chunks without extensions.', da: 'Send chunks uden udvidelser.' }
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
  'unsupported-media-type': {
    status: 415,
    title: { en: 'Unsupported media type', da: 'Indholdstypen understøttes ikke' },
    remedy: {
      en: 'Send the body as application/json in UTF-8, without content coding. The body of a PATCH is a JSON Patch.',
      da: 'Send indholdet som application/json i UTF-8, uden komprimering. Indholdet af en PATCH er en JSON Patch.'
    },
    details: {
      jsonPatch: {
        en: 'Use PATCH for a JSON Patch, or send the body as application/json.',
        da: 'Brug PATCH til en JSON Patch, eller send indholdet som application/json.'
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
  'too-many-requests': {
    status: 429,
    title: { en: 'Too many requests', da: 'For mange anmodninger' },
    remedy: { en: 'Wait for the time in `Retry-After`.', da: 'Vent i den tid, som `Retry-After` angiver.' },
    details: {
      quota: {
        en: 'Maximum requests a minute: {max}. Try again later.',
        da: 'Højeste antal anmodninger i minuttet: {max}. Prøv igen senere.'
      },
      inProgress: {
        en: 'Too many requests of this kind from the caller or its organization are in progress. Try again when one of them has ended.',
        da: 'For mange anmodninger af denne slags fra brugeren eller brugerens organisation er i gang. Prøv igen, når en af dem er afsluttet.'
      }
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
  'dangling-reference': {
    status: 422,
    title: {
      en: 'The referenced resource does not exist or cannot be used',
      da: 'Det, der henvises til, findes ikke eller kan ikke bruges'
    },
    remedy: {
      en: 'Send the URL of a resource that you may use here.',
      da: 'Send adressen på en ressource, som du må bruge her.'
    }
  },
  'invalid-period': {
    status: 422,
    title: {
      en: 'The times do not fit together',
      da: 'Tidspunkterne passer ikke sammen'
    },
    remedy: {
      en: 'Send a start, and an end that is not before the start.',
      da: 'Send en begyndelse og en slutning, der ikke ligger før begyndelsen.'
    }
  },
  'unknown-coding': {
    status: 422,
    title: { en: 'Code not in its value set', da: 'Koden findes ikke i kodesættet' },
    remedy: { en: 'Send a code of the value set.', da: 'Send en kode fra kodesættet.' }
  },
  'unpatchable-target': {
    status: 422,
    title: {
      en: 'The target of a JSON Patch operation does not exist',
      da: 'Stedet, som JSON Patch vil ændre, findes ikke'
    },
    remedy: {
      en: 'Read the resource, and correct the path of the operation.',
      da: 'Læs ressourcen, og ret stien i operationen.'
    },
    details: {
      paths: {
        en: 'Operation {at} ({op}) names {paths}, which does not exist.',
        da: 'Operation {at} ({op}) angiver {paths}, som ikke findes.'
      }
    }
  },
  'read-only': {
    status: 422,
    title: {
      en: 'The JSON Patch changes a read-only member',
      da: 'JSON Patch ændrer et felt, der kun kan læses'
    },
    remedy: { en: 'Leave the operation out.', da: 'Udelad operationen.' },
    details: {
      member: {
        en: 'It cannot be changed. Leave the operation out.',
        da: 'Det kan ikke ændres. Udelad operationen.'
      }
    }
  },
  'invalid-result': {
    status: 422,
    title: {
      en: 'The result of the JSON Patch is not valid',
      da: 'Resultatet af JSON Patch er ikke gyldigt'
    },
    remedy: {
      en: 'Correct the operations that `errors` names.',
      da: 'Ret de operationer, som `errors` angiver.'
    },
    details: {
      members: {
        en: 'Result of the JSON Patch: {sentence}.{known}',
        da: 'Resultatet af JSON Patch: {sentence}.{known}'
      }
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
  'database-unavailable': {
    status: 503,
    title: { en: 'The database does not respond', da: 'Databasen svarer ikke' },
    remedy: { en: 'Nothing was written. Try again later.', da: 'Intet er skrevet. Prøv igen senere.' }
  },
  busy: {
    status: 503,
    title: { en: 'Server busy', da: 'Serveren har travlt' },
    remedy: {
      en: 'Nothing was written. Try again in a few seconds.',
      da: 'Intet er skrevet. Prøv igen om nogle sekunder.'
    },
    details: {
      tooLate: {
        en: 'The request took too long. Nothing was written. Try again later.',
        da: 'Anmodningen tog for lang tid. Intet er skrevet. Prøv igen senere.'
      }
    }
  },
  'outcome-unknown': {
    status: 503,
    title: {
      en: 'It is unknown whether the change was written',
      da: 'Det er uvist, om ændringen blev skrevet'
    },
    remedy: {
      en: 'Read the resource before you repeat the request, or repeat a POST with the same `Idempotency-Key`.',
      da: 'Læs ressourcen, før du gentager anmodningen, eller gentag en POST med samme `Idempotency-Key`.'
    }
  },
  'token-issuer-unavailable': {
    status: 503,
    title: {
      en: 'The token cannot be verified at the moment',
      da: 'Adgangsnøglen kan ikke kontrolleres lige nu'
    },
    remedy: { en: 'Try again later.', da: 'Prøv igen senere.' }
  },
  'http-version-not-supported': {
    status: 505,
    title: { en: 'Unsupported HTTP version', da: 'HTTP-versionen understøttes ikke' },
    remedy: { en: 'Use HTTP/1.1.', da: 'Brug HTTP/1.1.' }
  }
} as const satisfies ProblemTable

export const platformTexts = {
  allErrors: {
    en: 'There are {count} errors; `errors` has all of them.',
    da: 'Der er {count} fejl; de står alle i `errors`.'
  },
  firstErrors: {
    en: 'There are {count} errors; `errors` has the first {max}.',
    da: 'Der er {count} fejl; de første {max} står i `errors`.'
  },
  memberSentence: { en: 'It {text}.', da: 'Det {text}.' },
  parameterSentence: { en: 'Query parameter {parameter} {text}.', da: 'Parameteren {parameter} {text}.' },
  cursor: { en: 'must be a cursor from a Link header', da: 'skal være en cursor fra en Link-header' },
  requiredParameter: { en: 'is required', da: 'skal sendes' },
  dateOrTime: {
    en: 'must be a date that exists, as yyyy-mm-dd, or a timestamp, such as 2026-11-21T12:00:00Z',
    da: 'skal være en dato, der findes, som åååå-mm-dd, eller et tidspunkt, for eksempel 2026-11-21T12:00:00Z'
  },
  plusAsSpace: {
    en: 'has a space in place of +, because + in the query of a URL means a space: write %2B for +, such as 2026-11-21T12:00:00%2B01:00',
    da: 'har et mellemrum i stedet for +, fordi + i en adresses parametre betyder mellemrum: skriv %2B for +, for eksempel 2026-11-21T12:00:00%2B01:00'
  },
  resourceUrl: { en: 'must be a resource URL: {form}', da: 'skal være adressen på en ressource: {form}' },
  root: { en: 'the root', da: 'roden' },
  and: { en: ' and ', da: ' og ' },
  or: { en: ' or ', da: ' eller ' },
  signIn: { en: 'Sign in', da: 'Log ind' },
  signedIn: {
    en: 'You can close this window. If you wanted to sign in: the page that opened this window is no longer open. Open that page, and sign in again.',
    da: 'Du kan lukke vinduet. Hvis du var ved at logge ind, er siden, der åbnede vinduet, ikke længere åben. Åbn den igen, og log ind.'
  }
} as const satisfies Texts
