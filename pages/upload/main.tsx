import { access } from '../parts/access/access.js'
import { AccessSection } from '../parts/access/access-section.js'
import { personOf } from '../parts/access/person.js'
import { PageHeader, renderPage } from '../parts/page.js'
import { useStore } from '../parts/store.js'
import { useCall } from '../parts/use-call.js'
import { uploadText } from './upload-texts.js'
import { UploadView } from './upload-view.js'

/** The page for applications and for users without another view. */
function UploadPage() {
  const token = useStore(access.current)
  // The page works without the permission to read parties.
  const call = useCall(token === undefined ? undefined : () => personOf(token), [token])
  const { data: person, isStale, error } = call
  // The server has not named the user of a new token yet.
  const isOwnerStale = isStale && token !== undefined && error === undefined
  document.title = uploadText('title')
  return (
    <>
      <PageHeader person={person && !isStale ? [person.name, person.organization] : undefined}>
        <h1 tabindex={-1}>{uploadText('title')}</h1>
      </PageHeader>
      <main tabindex={-1}>
        <AccessSection />
        <UploadView owner={(error ? token : person?.group) ?? null} isOwnerStale={isOwnerStale} />
      </main>
    </>
  )
}

renderPage(UploadPage)
