import type { Catalogue } from '../../clients/typescript/src/index.js'
import { Loaded } from '../parts/loaded.js'
import type { CallState } from '../parts/use-call.js'
import { useDownload, workbookName } from './download.js'
import { fetchWorkbook } from './requests.js'
import { uploadText } from './upload-texts.js'

/** What a workbook is for: a new catalogue, or an update of the one with this id. */
export interface Target {
  isNew: boolean
  /** Empty if none is chosen. */
  id: string
}

/** Lets the user choose a new catalogue or one of their own, and downloads the workbook for it. */
export function TargetSection({
  target,
  catalogues,
  hasToken,
  isLocked,
  onChange
}: {
  target: Target
  catalogues: CallState<Catalogue[]>
  hasToken: boolean
  isLocked: boolean
  onChange(target: Target): void
}) {
  const [downloadState, download] = useDownload()
  const chosen = catalogues.data?.find(({ id }) => id === target.id)
  const radio = (id: string, isNew: boolean, key: 'targetNew' | 'targetOld') => (
    <label>
      <input
        {...{ type: 'radio', name: 'target', id, checked: target.isNew === isNew }}
        onChange={() => onChange({ ...target, isNew })}
      />
      {uploadText(key)}
    </label>
  )
  return (
    <section aria-labelledby="target-title">
      <h2 id="target-title">{uploadText('targetTitle')}</h2>
      <fieldset id="target" disabled={isLocked}>
        <legend>{uploadText('targetLegend')}</legend>
        {radio('target-new', true, 'targetNew')}
        {radio('target-old', false, 'targetOld')}
        {target.isNew ? (
          <button
            type="button"
            id="template"
            class="quiet"
            onClick={() =>
              download(workbookName(uploadText('templateName')), () => fetchWorkbook('template'))
            }
          >
            {uploadText('template')}
          </button>
        ) : (
          <>
            <label for="catalogue">{uploadText('catalogueLabel')}</label>
            <select
              id="catalogue"
              value={chosen ? target.id : ''}
              onChange={({ currentTarget }) => onChange({ isNew: false, id: currentTarget.value })}
            >
              <option value="">{uploadText('catalogueChoose')}</option>
              {catalogues.data?.map(({ id, name, identifiers, status }) => (
                <option key={id} value={id}>
                  {[name, identifiers[0]?.value, uploadText(`status${status.code}`)]
                    .filter(Boolean)
                    .join(' – ')}
                </option>
              ))}
            </select>
            {hasToken ? (
              <Loaded call={catalogues}>
                {({ length: count }) => (
                  <p role="status">
                    {uploadText(count === 0 ? 'cataloguesNone' : 'cataloguesThere', { count })}
                  </p>
                )}
              </Loaded>
            ) : (
              <p role="status">{uploadText('cataloguesNeedAccess')}</p>
            )}
            <button
              type="button"
              id="export"
              class="quiet"
              onClick={() =>
                download(
                  workbookName(chosen?.name ?? ''),
                  async () => chosen && fetchWorkbook(`catalogue/${chosen.id}`),
                  ['exportWhich']
                )
              }
            >
              {uploadText('export')}
            </button>
          </>
        )}
      </fieldset>
      <p id="download-state" role="status">
        {downloadState}
      </p>
    </section>
  )
}
