import { PageHeader, renderPage } from '../../pages/parts/page.js'
import { pageAccess } from '../../pages/parts/page-access.js'
import { deskText } from './desk-texts.js'

const access = pageAccess(['MonitoringResponsible', 'Provider'])

function Desk() {
  return (
    <>
      <PageHeader title={deskText('title')} />
      <main>
        <p>{deskText('introduction')}</p>
        <access.Section />
      </main>
    </>
  )
}

renderPage(Desk)
