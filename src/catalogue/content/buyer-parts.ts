import type { Call } from '../../platform/auth/call.js'
import { isAuthorized } from '../../platform/auth/scope.js'
import { annotationAccess } from '../annotation/annotation.access.js'
import { whiteListAccess } from '../white-list/white-list.access.js'

/** The parts of a catalogue's content that belong to buyers, not to its seller. */
export const buyerParts = ['annotations', 'whiteList'] as const
export type BuyerPart = (typeof buyerParts)[number]

/** What each part requires of its caller. */
export const buyerPartRules = { annotations: annotationAccess.create, whiteList: whiteListAccess.create }

/** The buyers' parts that the caller may import. */
export const importableParts = (call: Call): ReadonlySet<BuyerPart> =>
  new Set(buyerParts.filter((part) => isAuthorized(call.caller, buyerPartRules[part])))
