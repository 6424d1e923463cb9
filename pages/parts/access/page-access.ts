import { metaContent } from '../page.js'
import { type UserType, userTypeNames } from '../user-type-names.js'
import { createAccess } from './access.js'

const userTypes = metaContent('user-types') || Object.keys(userTypeNames).join(' ')

/** The access to this page. The server names the user types that it is for; by default all. */
export const access = createAccess(
  userTypes.split(' ') as UserType[],
  metaContent('token-origins').split(' ')
)
