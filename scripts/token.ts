import { type UserType, userTypes } from '../src/platform/auth/caller.js'
import { unsignedToken } from '../src/platform/auth/tokens/unsigned-token.js'
import { failWithUsage, readArguments } from './arguments.js'

const usage = `npm run --silent token -- --as <user type> [--organization <URL>] [--name <text>] [--permissions <a,b>] [--lifetime <seconds>]

Prints an unsigned token, which is accepted only in the environment devtest.
  --as            ${userTypes.join(', ')}
  --organization  URL of the caller's clinical Organization
  --name          name of the caller, shown in notes
  --permissions   comma-separated; default: the usual ones of the user type
  --lifetime      seconds until it expires; default: 28800`

const { values } = readArguments(usage, {
  options: {
    as: { type: 'string' },
    organization: { type: 'string' },
    name: { type: 'string' },
    permissions: { type: 'string' },
    lifetime: { type: 'string' }
  }
})
if (!(userTypes as readonly (string | undefined)[]).includes(values.as))
  failWithUsage(`--as must be one of ${userTypes.join(', ')}.`, usage)
const token = unsignedToken({
  userType: values.as as UserType,
  organization: values.organization,
  name: values.name,
  permissions: values.permissions?.split(','),
  lifetime: values.lifetime === undefined ? undefined : Number(values.lifetime)
})
process.stdout.write(`${token}\n`)
