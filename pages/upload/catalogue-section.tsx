import { useState } from 'preact/hooks'
import { idOf } from '../../clients/typescript/src/index.js'
import { DownloadButton } from '../parts/download.js'
import { ListEnd, readList } from '../parts/list.js'
import { Loaded } from '../parts/loaded.js'
import { DataTable } from '../parts/table.js'
import { useCall } from '../parts/use-call.js'
import { History } from './history.js'
import { catalogueApi, fetchWorkbook } from './requests.js'
import { uploadText, uploadTextsOf } from './upload-texts.js'

/** Items that are shown at first, and with each further step. */
const STEP = 200

/** A catalogue with its first items, and the history of its imports. */
export function CatalogueSection({ address }: { address: string }) {
  const [size, setSize] = useState(STEP)
  const call = useCall(
    async (signal) => ({
      catalogue: (await catalogueApi.getCatalogue(idOf(address), { signal })).data,
      items: await readList(
        (limit) => catalogueApi.listCatalogueItem({ catalogue: address, limit }, { signal }),
        size
      )
    }),
    [address],
    [size]
  )
  return (
    <section id="chosen" aria-label={uploadText('targetCatalogue')}>
      <Loaded call={call}>
        {({ catalogue: { name, status }, items }) => (
          <div class="items">
            <h3>{uploadText('catalogueNow', { name })}</h3>
            <p>{uploadText(`catalogue${status.code}`)}</p>
            <DownloadButton
              label={uploadText('export')}
              name={`${name}.xlsx`}
              fetchFile={() => fetchWorkbook(`catalogue/${idOf(address)}`)}
            />
            <DataTable
              isWide
              label={uploadText('itemsTable')}
              heads={uploadTextsOf('itemIdentifier', 'itemName', 'itemType', 'itemStatus')}
              rows={items.entries.map((item) => [
                item.identifiers[0]?.value ?? '',
                item.name,
                uploadText(`item${item.catalogueItemType}`),
                uploadText(`item${item.status}`)
              ])}
            />
            <ListEnd page={items} onMore={() => setSize(size + STEP)} />
          </div>
        )}
      </Loaded>
      <History address={address} onUndone={call.reload} />
    </section>
  )
}
