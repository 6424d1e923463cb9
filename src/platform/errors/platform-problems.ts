/** The problems that any resource may have. */
export const platformProblems = {
  'malformed-json': [
    400,
    { en: 'Malformed JSON body', da: 'JSON i kroppen er ikke velformet' },
    { en: 'Send one well-formed JSON value.', da: 'Send én velformet JSON-værdi.' }
  ],
  'malformed-text': [
    400,
    {
      en: 'The request contains text that cannot be stored',
      da: 'Anmodningen indeholder tekst, der ikke kan gemmes'
    },
    {
      en: 'Remove control characters such as U+0000, and lone surrogates.',
      da: 'Fjern styretegn som U+0000 og ufuldstændige tegn.'
    }
  ],
  'invalid-body': [
    400,
    { en: 'The body does not match its schema', da: 'Kroppen passer ikke til sit skema' },
    { en: 'Correct the members that `errors` names.', da: 'Ret de felter, som `errors` nævner.' }
  ],
  'invalid-query': [
    400,
    { en: 'Invalid query parameter', da: 'En parameter i adressen er ugyldig' },
    { en: 'Correct the query parameter that the detail names.', da: 'Ret den parameter, som teksten nævner.' }
  ],
  'conflicting-ids': [
    400,
    { en: 'The ids in path and body differ', da: 'Id i adresse og krop er forskellige' },
    {
      en: 'Leave the id out of the body, or send that of the URL.',
      da: 'Udelad id i kroppen, eller send det, der står i adressen.'
    }
  ],
  'invalid-idempotency-key': [
    400,
    { en: 'The Idempotency-Key cannot be used', da: 'Nøglen i Idempotency-Key kan ikke bruges' },
    {
      en: 'Send one key of 1 to 255 visible ASCII characters, such as a UUID, with a POST that supports it.',
      da: 'Send én nøgle på 1 til 255 synlige ASCII-tegn, for eksempel en UUID, med en POST, der understøtter det.'
    }
  ],
  'bad-request': [
    400,
    { en: 'Malformed request', da: 'Anmodningen er ikke velformet' },
    { en: 'Send a well-formed request.', da: 'Send en velformet anmodning.' }
  ],
  'incomplete-request': [
    400,
    { en: 'Incomplete request', da: 'Anmodningen er ikke hel' },
    { en: 'Send the whole request.', da: 'Send hele anmodningen.' }
  ],
  unauthorized: [
    401,
    { en: 'Missing or invalid token', da: 'Adgangsnøglen mangler eller er ugyldig' },
    {
      en: 'Send a valid token as `Authorization: Bearer`. It may have expired: fetch a new one.',
      da: 'Send en gyldig adgangsnøgle som `Authorization: Bearer`. Den kan være udløbet: hent en ny.'
    }
  ],
  forbidden: [
    403,
    { en: 'The token does not allow this operation', da: 'Adgangsnøglen giver ikke lov til dette' },
    {
      en: 'Use a token with the user type and the permission that the operation needs.',
      da: 'Brug en adgangsnøgle med den brugertype og den rettighed, der skal til.'
    }
  ],
  'organization-replaced': [
    403,
    {
      en: 'The organization of the token was replaced by another one',
      da: 'Adgangsnøglens organisation er afløst af en anden'
    },
    {
      en: 'Log in again, or fetch a new token: it must name the new organization.',
      da: 'Log ind igen, eller hent en ny adgangsnøgle: den skal nævne den nye organisation.'
    }
  ],
  'not-found': [
    404,
    { en: 'Resource not found', da: 'Findes ikke' },
    {
      en: 'Check the URL. What belongs to others is not shown.',
      da: 'Kontrollér adressen. Det, der hører til andre, vises ikke.'
    }
  ],
  'method-not-allowed': [
    405,
    { en: 'Method not allowed for this URL', da: 'Metoden kan ikke bruges på denne adresse' },
    { en: 'Use a method of the header `Allow`.', da: 'Brug en metode, som headeren `Allow` nævner.' }
  ],
  'request-timeout': [
    408,
    { en: 'The request took too long to arrive', da: 'Anmodningen var for længe undervejs' },
    { en: 'Send it again, faster or in smaller parts.', da: 'Send den igen, hurtigere eller i mindre dele.' }
  ],
  'failed-test': [
    409,
    { en: 'A test operation of the JSON Patch failed', da: 'En test i JSON Patch holdt ikke' },
    {
      en: 'Read the resource again, and make a new patch.',
      da: 'Læs ressourcen igen, og lav en ny patch.'
    }
  ],
  'precondition-failed': [
    412,
    { en: 'The resource is not as If-Match expects', da: 'Ressourcen er ikke, som If-Match forventer' },
    {
      en: 'Read it again, and send the ETag of that response.',
      da: 'Læs den igen, og send ETag fra det svar.'
    }
  ],
  'payload-too-large': [
    413,
    { en: 'The body is larger than allowed', da: 'Kroppen er større, end den må være' },
    { en: 'Send less at a time.', da: 'Send mindre ad gangen.' }
  ],
  'query-too-long': [
    414,
    { en: 'The query string is longer than allowed', da: 'Parametrene i adressen er for lange' },
    { en: 'Send fewer or shorter parameters.', da: 'Send færre eller kortere parametre.' }
  ],
  'unsupported-media-type': [
    415,
    { en: 'Unsupported media type', da: 'Indholdstypen understøttes ikke' },
    {
      en: 'Send the body as application/json in UTF-8, without content coding.',
      da: 'Send kroppen som application/json i UTF-8, uden komprimering.'
    }
  ],
  'expectation-failed': [
    417,
    { en: 'Unsupported Expect header', da: 'Headeren Expect understøttes ikke' },
    { en: 'Leave the header out, or send `100-continue`.', da: 'Udelad headeren, eller send `100-continue`.' }
  ],
  'too-many-requests': [
    429,
    { en: 'Too many requests', da: 'For mange anmodninger' },
    { en: 'Wait as long as `Retry-After` says.', da: 'Vent, så længe `Retry-After` siger.' }
  ],
  'headers-too-large': [
    431,
    { en: 'The headers are larger than allowed', da: 'Headerne er større, end de må være' },
    {
      en: 'Send fewer or shorter headers, or a shorter URL.',
      da: 'Send færre eller kortere headere eller en kortere adresse.'
    }
  ],
  'idempotency-key-reused': [
    422,
    { en: 'Another request had this Idempotency-Key', da: 'En anden anmodning havde denne Idempotency-Key' },
    { en: 'Use a new key for each new request.', da: 'Brug en ny nøgle til hver ny anmodning.' }
  ],
  'dangling-reference': [
    422,
    {
      en: 'The referenced resource does not exist or cannot be used',
      da: 'Det, der henvises til, findes ikke eller kan ikke bruges'
    },
    {
      en: 'Send the URL of a resource that you may use here.',
      da: 'Send adressen på en ressource, som du må bruge her.'
    }
  ],
  'invalid-period': [
    422,
    {
      en: 'A period must be complete and in order',
      da: 'En periode skal være hel og i rækkefølge'
    },
    {
      en: 'Send a start and an end that is not before it.',
      da: 'Send en begyndelse og en slutning, der ikke er før den.'
    }
  ],
  'unknown-coding': [
    422,
    { en: 'Code not in its value set', da: 'Koden er ikke i sit kodesæt' },
    { en: 'Send a code of the value set.', da: 'Send en kode fra kodesættet.' }
  ],
  'unpatchable-target': [
    422,
    {
      en: 'The target of a JSON Patch operation does not exist',
      da: 'Stedet, som JSON Patch vil ændre, findes ikke'
    },
    {
      en: 'Read the resource, and correct the path of the operation.',
      da: 'Læs ressourcen, og ret stien i operationen.'
    }
  ],
  'read-only': [
    422,
    { en: 'The JSON Patch changes a read-only member', da: 'JSON Patch ændrer et felt, der kun kan læses' },
    { en: 'Leave the operation out.', da: 'Udelad operationen.' }
  ],
  'invalid-result': [
    422,
    { en: 'The result of the JSON Patch is not valid', da: 'Resultatet af JSON Patch er ikke gyldigt' },
    { en: 'Correct the operations that `errors` names.', da: 'Ret de operationer, som `errors` nævner.' }
  ],
  'internal-error': [
    500,
    { en: 'Internal error', da: 'Intern fejl' },
    {
      en: 'Try again later. The log has details under this request id.',
      da: 'Prøv igen senere. Loggen har detaljer under dette id.'
    }
  ],
  'not-implemented': [
    501,
    { en: 'Unsupported HTTP feature', da: 'HTTP-funktionen understøttes ikke' },
    { en: 'Send the request in plain HTTP/1.1.', da: 'Send anmodningen i almindelig HTTP/1.1.' }
  ],
  'database-unavailable': [
    503,
    { en: 'The database does not respond', da: 'Databasen svarer ikke' },
    { en: 'Nothing was written. Try again later.', da: 'Intet er skrevet. Prøv igen senere.' }
  ],
  busy: [
    503,
    { en: 'Server busy', da: 'Serveren har travlt' },
    {
      en: 'Nothing was written. Try again in a few seconds.',
      da: 'Intet er skrevet. Prøv igen om nogle sekunder.'
    }
  ],
  'outcome-unknown': [
    503,
    { en: 'Unknown whether the change was written', da: 'Det er uvist, om ændringen blev skrevet' },
    {
      en: 'Read the resource before you repeat the request, or repeat a POST with the same `Idempotency-Key`.',
      da: 'Læs ressourcen, før du gentager anmodningen, eller gentag en POST med samme `Idempotency-Key`.'
    }
  ],
  'token-issuer-unavailable': [
    503,
    { en: 'The token cannot be verified at the moment', da: 'Adgangsnøglen kan ikke kontrolleres lige nu' },
    { en: 'Try again later.', da: 'Prøv igen senere.' }
  ],
  'http-version-not-supported': [
    505,
    { en: 'Unsupported HTTP version', da: 'HTTP-versionen understøttes ikke' },
    { en: 'Use HTTP/1.1.', da: 'Brug HTTP/1.1.' }
  ]
} as const
