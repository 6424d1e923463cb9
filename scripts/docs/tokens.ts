import { userTypes } from '../../src/platform/auth/caller.js'
import { usualPermissions } from '../../src/platform/auth/tokens/unsigned-token.js'
import { markdownTable } from '../../src/platform/openapi/text.js'
import { codeList } from './markdown.js'

interface ClaimDescription {
  isRequired: boolean
  example: unknown
  decides: string
}

/** The effect of each claim of a verified token. The server ignores all other claims. */
const claimDescriptions = {
  iss: {
    isRequired: true,
    example: 'https://login.example/realms/ssl',
    decides: 'The issuer whose keys verify the token: one of `TOKEN_ISSUERS`.'
  },
  aud: {
    isRequired: false,
    example: 'ssl-backend',
    decides: 'Must name `TOKEN_AUDIENCE`, if that is set. `preprod` and `prod` require it.'
  },
  exp: {
    isRequired: true,
    example: 1_792_000_000,
    decides: 'The end of its validity, in seconds since 1970.'
  },
  nbf: { isRequired: false, example: 1_791_999_700, decides: 'The start of its validity.' },
  user_type: {
    isRequired: true,
    example: 'MonitoringResponsible',
    decides: `The user type of the caller: ${userTypes.map((each) => `\`${each}\``).join(', ')}.`
  },
  'realm_access.roles': {
    isRequired: false,
    example: ['Order.*', 'OrderLine.*', 'Party.read'],
    decides: 'The permissions. Without them no operation is allowed.'
  },
  'context.organization_id': {
    isRequired: false,
    example: 'https://fhir.example/Organization/aarhus-kommune',
    decides:
      'The organization of the caller, as the URL of a clinical Organization. It limits what the caller sees and changes.'
  },
  user_id: {
    isRequired: false,
    example: '7f1c1f5e',
    decides: 'The user in the audit record. Default: `sub`. A token needs one of the two.'
  },
  sub: {
    isRequired: false,
    example: '7f1c1f5e',
    decides: 'As `user_id`, in tokens without `user_id`.'
  },
  name: { isRequired: false, example: 'Sofie Sygeplejerske', decides: 'The author of notes.' }
} as const satisfies Record<string, ClaimDescription>

/** The claims of a token. */
export const claimTable = (): string =>
  markdownTable(
    ['claim', 'required', 'example', 'decides'],
    Object.entries(claimDescriptions).map(([name, { isRequired, example, decides }]) => [
      codeList([name]),
      isRequired ? 'yes' : 'no',
      codeList([JSON.stringify(example)]),
      decides
    ])
  )

/** The permissions that users of each type usually have. */
export const permissionTable = (): string =>
  markdownTable(
    ['user type', 'permissions'],
    userTypes.map((userType) => [codeList([userType]), codeList([...usualPermissions[userType]])])
  )
