import { userTypes } from '../../src/platform/auth/caller.js'
import { claimDescriptions } from '../../src/platform/auth/tokens/claims.js'
import { usualPermissions } from '../../src/platform/auth/tokens/unsigned-token.js'
import { markdownTable } from '../../src/platform/openapi/text.js'
import { codeList } from './markdown.js'

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

/** The payload of a token with all claims. */
export function tokenPayload(): string {
  const payload: Record<string, unknown> = {}
  for (const [name, { example }] of Object.entries(claimDescriptions)) {
    const [outer = '', inner] = name.split('.')
    payload[outer] = inner === undefined ? example : { [inner]: example }
  }
  return `\`\`\`json\n${JSON.stringify(payload, null, 2)}\n\`\`\``
}

/** The permissions that users of each type usually have. */
export const permissionTable = (): string =>
  markdownTable(
    ['user type', 'permissions'],
    userTypes.map((userType) => [codeList([userType]), codeList([...usualPermissions[userType]])])
  )
