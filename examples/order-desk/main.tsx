import { AccessSection } from '../../pages/parts/access.js'
import { PageHeader, renderPage } from '../../pages/parts/page.js'
import { givenToken } from '../../pages/parts/token-source.js'
import { deskText } from './desk-texts.js'

const source = givenToken()

function Desk() {
  return (
    <>
      <PageHeader title={deskText('title')} />
      <main>
        <p>{deskText('introduction')}</p>
        <AccessSection source={source} />
      </main>
    </>
  )
}

renderPage(Desk)
