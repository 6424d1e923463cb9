import type { ProblemTable, Texts } from './language.js'

/** Problems that several folders throw or document. */
export const platformProblems = {
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
  forbidden: {
    status: 403,
    title: { en: 'The token does not allow this operation', da: 'Adgangsnøglen giver ikke lov til dette' },
    remedy: {
      en: 'Use a token with the user type and the permission that the operation needs.',
      da: 'Brug en adgangsnøgle med den brugertype og den rettighed, der skal til.'
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
  or: { en: ' or ', da: ' eller ' }
} as const satisfies Texts
