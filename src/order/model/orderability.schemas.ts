import { type Static, Type } from '@sinclair/typebox'
import { orderabilityCodes } from '../../catalogue/problems.js'
import { inputLimits } from '../../platform/json/input-limits.js'
import { Reference } from '../../platform/schemas/input-schemas.js'
import { CodeOf, Maybe, Strict } from '../../platform/schemas/schemas.js'
import { lineExample, partiesExample, receiverExample } from './order.examples.js'

const reasonExample = {
  code: 'not-white-listed',
  detail: 'The item is not on the buyer’s white list.'
}

export const OrderabilityInput = Strict(
  {
    buyer: Reference(
      'URL of the buying party. It belongs to the caller’s organization and has the role BUYER.',
      partiesExample.buyer
    ),
    seller: Maybe(
      Reference(
        'URL of the delivering party, which has the role SELLER. Default: for each item its own seller.',
        partiesExample.seller
      )
    ),
    patient: Reference('URL of the clinical Patient.', receiverExample.patient),
    items: Type.Array(Reference('URL of the catalogue item.', lineExample.item), {
      maxItems: inputLimits.list,
      description: 'Items to check.'
    })
  },
  'Items that a buyer would order for a patient.',
  'OrderabilityInput'
)
export type OrderabilityInput = Static<typeof OrderabilityInput>

export const ItemOrderability = Type.Object(
  {
    item: Type.String({ description: 'URL of the item, as in the body.', example: lineExample.item }),
    orderable: Type.Boolean({ description: 'Whether the item can be ordered today.', example: false }),
    reasons: Type.Array(
      Type.Object(
        {
          code: CodeOf(
            [...orderabilityCodes, 'dangling-reference'],
            'Code of the problem that an order line with the item would get.',
            reasonExample.code
          ),
          detail: Type.String({ description: 'The reason, for people.', example: reasonExample.detail })
        },
        { title: 'OrderabilityReason', description: 'A reason why an item cannot be ordered.' }
      ),
      { description: 'Every reason why the item cannot be ordered.', example: [reasonExample] }
    )
  },
  { title: 'ItemOrderability', description: 'Whether an item can be ordered, and every reason why not.' }
)
export type ItemOrderability = Static<typeof ItemOrderability>
