import { type Static, Type } from '@sinclair/typebox'
import { userTypes } from '../../platform/auth/caller.js'
import { Expanded } from '../../platform/rest/expand.js'
import { exampleClinicalUrl, exampleUrl } from '../../platform/schemas/examples.js'
import { CodeOf, Nullable, Url } from '../../platform/schemas/schemas.js'
import { partyResource } from '../resources.js'

const partyUrls = (description: string, example: string) =>
  Type.Array(Url('URL of a party.', exampleUrl(partyResource, example)), { description })

export const Me = Type.Object(
  {
    userType: CodeOf(
      userTypes,
      'AdministrativeClerk, MonitoringResponsible or Provider.',
      'MonitoringResponsible'
    ),
    organization: Nullable(
      Url(
        'URL of the clinical Organization of the caller.',
        exampleClinicalUrl('Organization', 'aarhus-kommune')
      )
    ),
    permissions: Type.Array(Type.String({ description: '`<Resource>.<verb>`.', example: 'Order.read' }), {
      description: 'Permissions of the token.'
    }),
    parties: partyUrls('The parties of the organization, first those that it registered.', 'buyer'),
    sellers: partyUrls('Sellers that have a contract in force with one of them.', 'seller'),
    buyers: partyUrls('Buyers that have a contract in force with one of them as the seller.', 'buyer'),
    administeredSellers: Nullable(
      partyUrls(
        'Sellers whose catalogues the caller can change as an AdministrativeClerk. Null: all sellers.',
        'seller'
      )
    ),
    administeredBuyers: partyUrls(
      'Buyers whose annotations and white lists the caller can change as an AdministrativeClerk.',
      'buyer'
    ),
    expanded: Type.Optional(Expanded)
  },
  { title: 'Me', description: 'The caller, according to its token and the contracts of its organization.' }
)
export type Me = Static<typeof Me>
