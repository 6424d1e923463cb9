import { idOf } from '../../clients/typescript/src/index.js'
import { Loaded } from '../parts/loaded.js'
import { DataTable } from '../parts/table.js'
import { useCall } from '../parts/use-call.js'
import { DownloadButton } from './download.js'
import { History } from './history.js'
import { catalogueApi, fetchWorkbook } from './requests.js'
import { uploadText, uploadTextsOf } from './upload-texts.js'

/** Items that are shown. */
const MAX_ITEMS = 200

/** A catalogue with its first items, and the history of its imports. */
export function CatalogueSection({ address }: { address: string }) {
  const call = useCall(
    async (signal) => ({
      catalogue: (await catalogueApi.getCatalogue(idOf(address), { signal })).data,
      items: await catalogueApi
        .listCatalogueItem({ catalogue: address, limit: MAX_ITEMS }, { signal })
        .first()
    }),
    [address]
  )
  return (
    <section id="chosen" aria-label={uploadText('targetCatalogue')}>
      <Loaded call={call}>
        {({ catalogue: { name, status }, items: { entries, next } }) => (
          <div class="items">
            <h3>{uploadText('catalogueNow', { name })}</h3>
            <p>{uploadText(`catalogue${status.code}`)}</p>
            <DownloadButton
              label={uploadText('export')}
              name={name}
              fetchFile={() => fetchWorkbook(`catalogue/${idOf(address)}`)}
            />
            {next && <p>{uploadText('itemsSome', { shown: entries.length })}</p>}
            <DataTable
              label={uploadText('itemsTable')}
              heads={uploadTextsOf('itemIdentifier', 'itemName', 'itemType', 'itemStatus')}
              rows={entries.map((item) => [
                item.identifiers[0]?.value ?? '',
                item.name,
                uploadText(`item${item.catalogueItemType}`),
                uploadText(`item${item.status}`)
              ])}
            />
          </div>
        )}
      </Loaded>
      <History address={address} onUndone={call.reload} />
    </section>
  )
}
