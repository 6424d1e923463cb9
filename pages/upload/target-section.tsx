import { DownloadButton } from '../parts/download.js'
import { Loaded } from '../parts/loaded.js'
import type { CallState } from '../parts/use-call.js'
import { fetchWorkbook, type ImportTargets } from './requests.js'
import { uploadText } from './upload-texts.js'

interface TargetSectionProps {
  /** The id of the catalogue to update; empty for a new catalogue. */
  id: string
  targets: CallState<ImportTargets>
  hasToken: boolean
  isLocked: boolean
  onChoose(id: string): void
}

/** Lets the user choose a new catalogue or one of their own, and downloads an empty workbook. */
export const TargetSection = ({ id, targets, hasToken, isLocked, onChoose }: TargetSectionProps) => {
  const canCreate = targets.data?.canCreate !== false
  return (
    <section class="card step" aria-labelledby="target-title">
      <h2 id="target-title">{uploadText('targetTitle')}</h2>
      <label>
        {uploadText('targetLabel')}
        <select
          id="target"
          value={id}
          disabled={isLocked}
          onChange={({ currentTarget }) => onChoose(currentTarget.value)}
        >
          <option value="">{uploadText(canCreate ? 'targetNew' : 'targetNone')}</option>
          <optgroup label={uploadText('targetOld')}>
            {targets.data?.catalogues.map(({ id, name, identifiers, status }) => (
              <option key={id} value={id}>
                {[name, identifiers[0]?.value, uploadText(`status${status.code}`)]
                  .filter(Boolean)
                  .join(' – ')}
              </option>
            ))}
          </optgroup>
        </select>
      </label>
      {hasToken ? (
        <Loaded call={targets}>
          {({ catalogues: { length: count }, sellers }) => (
            <p role="status">
              {uploadText('cataloguesThere', { count })}{' '}
              {!canCreate
                ? uploadText('noSellers')
                : sellers.length > 0 && uploadText('sellersThere', { sellers: sellers.join('; ') })}
            </p>
          )}
        </Loaded>
      ) : (
        <p role="status">{uploadText('cataloguesNeedAccess')}</p>
      )}
      {id === '' && canCreate && (
        <DownloadButton
          label={uploadText('template')}
          name={`${uploadText('templateName')}.xlsx`}
          fetchFile={() => fetchWorkbook('template')}
        />
      )}
    </section>
  )
}
