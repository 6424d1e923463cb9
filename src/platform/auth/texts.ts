import type { Texts } from '../errors/language.js'
import { type ProblemTable, problemsOf, withDetails } from '../errors/problem.js'

export const authProblems = {
  unauthorized: {
    status: 401,
    title: { en: 'Missing or invalid token', da: 'Adgangsnøglen mangler eller er ugyldig' },
    remedy: {
      en: 'Send a valid token as `Authorization: Bearer`. It may have expired: fetch a new one.',
      da: 'Send en gyldig adgangsnøgle som `Authorization: Bearer`. Den kan være udløbet: hent en ny.'
    },
    details: {
      severalHeaders: { en: 'Send one authorization header.', da: 'Send én authorization-header.' },
      otherScheme: {
        en: 'Send the token as Authorization: Bearer. Other schemes, such as Basic, are not accepted.',
        da: 'Send adgangsnøglen som Authorization: Bearer. Andre metoder, for eksempel Basic, kan ikke bruges.'
      },
      noToken: {
        en: 'Send a token in the authorization header.',
        da: 'Send en adgangsnøgle i headeren authorization.'
      },
      malformed: {
        en: 'Malformed JSON Web Token.',
        da: 'Adgangsnøglen er ikke et velformet JSON Web Token.'
      },
      headerType: {
        en: 'The header typ of the token must be JWT or at+jwt, or absent.',
        da: 'Adgangsnøglens header typ skal være JWT eller at+jwt eller udelades.'
      },
      otherToken: {
        en: 'Not an access token. ID, refresh, logout and event tokens are rejected.',
        da: 'Det er ikke en adgangsnøgle. ID-, refresh-, logout- og event-nøgler afvises.'
      },
      malformedClaim: {
        en: 'Missing or malformed claim: {path}.',
        da: 'Et felt i adgangsnøglen mangler eller er ugyldigt: {path}.'
      },
      expired: { en: 'Token expired (exp).', da: 'Adgangsnøglen er udløbet (exp).' },
      notYetValid: { en: 'Token not yet valid (nbf).', da: 'Adgangsnøglen gælder ikke endnu (nbf).' },
      noExpiry: { en: 'exp is required.', da: 'exp er påkrævet.' },
      otherAudience: {
        en: 'The token’s aud must name {audience}.',
        da: 'Adgangsnøglens aud skal indeholde {audience}.'
      },
      untrustedIssuer: {
        en: 'The token’s issuer is not trusted (iss).',
        da: 'Adgangsnøglens udsteder er ikke godkendt (iss).'
      },
      unknownKey: {
        en: 'The token is not signed with a key of its issuer.',
        da: 'Adgangsnøglen er ikke signeret med en af udstederens nøgler.'
      },
      signature: {
        en: 'The signature of the token is invalid: the token was changed, or its issuer did not sign it. Fetch a new token.',
        da: 'Adgangsnøglens signatur er ugyldig: nøglen er ændret, eller udstederen har ikke signeret den. Hent en ny adgangsnøgle.'
      },
      notValid: { en: 'The token is not valid.', da: 'Adgangsnøglen er ikke gyldig.' },
      noUser: {
        en: 'The token must name its user in sub or user_id.',
        da: 'Adgangsnøglen skal angive brugeren i sub eller user_id.'
      }
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
    },
    details: {
      replacement: {
        en: 'The organization of the token was replaced by {replacement}. Fetch a token that names that organization.',
        da: 'Adgangsnøglens organisation er afløst af {replacement}. Hent en adgangsnøgle til den organisation.'
      }
    }
  },
  'token-issuer-unavailable': {
    status: 503,
    title: {
      en: 'The token cannot be verified at the moment',
      da: 'Adgangsnøglen kan ikke kontrolleres lige nu'
    },
    remedy: { en: 'Try again later.', da: 'Prøv igen senere.' }
  }
} as const satisfies ProblemTable

export const sharedAuthProblems = withDetails({
  forbidden: {
    unknownUserType: {
      en: 'The token’s user_type is unknown. The known user types are {userTypes}.',
      da: 'Adgangsnøglens user_type er ukendt. De kendte brugertyper er {userTypes}.'
    },
    userType: { en: 'Only {userTypes} may call this.', da: 'Kun {userTypes} må kalde dette.' },
    permission: {
      en: 'The token lacks the permission {permissions}.',
      da: 'Adgangsnøglen mangler rettigheden {permissions}.'
    },
    noOrganization: {
      en: 'The token names no organization (context.organization_id).',
      da: 'Adgangsnøglen angiver ingen organisation (context.organization_id).'
    },
    readingPatch: {
      en: 'The operations test, move and copy read the resource. They need the permission {permission}.',
      da: 'Operationerne test, move og copy læser ressourcen. De kræver rettigheden {permission}.'
    }
  }
})

export const signInTexts = {
  signIn: { en: 'Sign in', da: 'Log ind' },
  signedIn: {
    en: 'You can close this window. If you wanted to sign in: the page that opened this window is no longer open. Open that page, and sign in again.',
    da: 'Du kan lukke vinduet. Hvis du var ved at logge ind, er siden, der åbnede vinduet, ikke længere åben. Åbn den igen, og log ind.'
  }
} as const satisfies Texts

export const authProblem = problemsOf({ ...authProblems, ...sharedAuthProblems })
