import { idOf } from '../../clients/typescript/src/index.js'
import { errorText } from '../parts/errors.js'
import { Status } from '../parts/status.js'
import { DataTable } from '../parts/table.js'
import { useCall } from '../parts/use-call.js'
import { History } from './history.js'
import { catalogueApi } from './requests.js'
import { uploadText } from './upload-texts.js'

/** Items that are shown. */
const MAX_ITEMS = 200

const itemStatuses = {
  AVAILABLE: 'itemAvailable',
  UNAVAILABLE: 'itemUnavailable',
  DISCONTINUED: 'itemDiscontinued'
} as const
const catalogueStatuses: Readonly<
  Record<string, 'catalogueDraft' | 'catalogueActive' | 'catalogueInactive'>
> = {
  DRAFT: 'catalogueDraft',
  ACTIVE: 'catalogueActive',
  INACTIVE: 'catalogueInactive'
}

/** A catalogue with its first items, and the history of its imports. */
export function CatalogueSection({ address }: { address: string }) {
  const { data, error, reload } = useCall(
    async (signal) => ({
      catalogue: (await catalogueApi.getCatalogue(idOf(address), { signal })).data,
      items: await catalogueApi
        .listCatalogueItem({ catalogue: address, limit: MAX_ITEMS }, { signal })
        .first()
    }),
    [address]
  )
  const statusText = catalogueStatuses[data?.catalogue.status.code ?? '']
  const heads = (['itemIdentifier', 'itemName', 'itemType', 'itemStatus'] as const).map((key) =>
    uploadText(key)
  )
  return (
    <section id="chosen" aria-label={uploadText('targetCatalogue')}>
      {!data && (
        <Status>
          {error === undefined
            ? uploadText('catalogueLoading')
            : uploadText('catalogueFailed', { why: errorText(error) })}
        </Status>
      )}
      {data && (
        <div class="items">
          <h3>{uploadText('catalogueNow', { name: data.catalogue.name })}</h3>
          {statusText && <p>{uploadText(statusText)}</p>}
          {data.items.next && <p>{uploadText('itemsSome', { shown: data.items.entries.length })}</p>}
          <DataTable
            label={uploadText('itemsTable')}
            heads={heads}
            rows={data.items.entries.map(({ identifiers, name, catalogueItemType, status }) => [
              identifiers[0]?.value ?? '',
              name,
              uploadText(catalogueItemType === 'Service' ? 'itemService' : 'itemDevice'),
              uploadText(itemStatuses[status])
            ])}
          />
        </div>
      )}
      <History address={address} onUndone={reload} />
    </section>
  )
}
