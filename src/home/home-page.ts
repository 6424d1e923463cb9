import { userTypeNames } from '../../pages/parts/user-type-names.js'
import type { Language } from '../platform/errors/language.js'
import { pageHtml } from '../platform/page/page.js'
import type { Version } from '../platform/program/program.js'
import { demoOrganizations, peopleOf } from './demo-people.js'
import { homeTexts } from './texts.js'

/** What the page depends on. */
export interface HomePageOptions {
  version: Version
  /** Whether the documents of the APIs are served. */
  hasDocuments: boolean
  /** Whether unsigned tokens are accepted. */
  hasTokens: boolean
  /** Whether the order desk is served. */
  hasDesk: boolean
}

const apis = [
  ['ssl-order', 'orders'],
  ['ssl-catalogue', 'catalogues'],
  ['ssl-catalogue-excel', 'workbooks']
] as const

/**
 * The HTML of the first page. Its URLs are relative, so it names no address.
 * @param isEmpty whether the server has no data yet.
 */
export function homePage(
  language: Language,
  {
    version: { version, commit },
    hasDocuments,
    hasTokens,
    hasDesk,
    isEmpty
  }: HomePageOptions & { isEmpty: boolean }
): string {
  const text = (key: keyof typeof homeTexts) => homeTexts[key][language]
  const other = language === 'da' ? 'en' : 'da'
  const section = (title: keyof typeof homeTexts, content: string) =>
    `<section aria-labelledby="${title}"><h2 id="${title}">${text(title)}</h2>${content}</section>`
  const list = (entries: readonly string[]) =>
    `<ul>${entries.map((each) => `<li>${each}</li>`).join('')}</ul>`
  const link = (url: string, label: string) => `<a href="${url}">${label}</a>`

  const documents = list([
    ...apis.map(
      ([api, name]) =>
        `${link(`${api}/v1/docs/`, text(name))} (<a href="${api}/v1/openapi.json" aria-label="${text('document')}: ${text(name)}">${text('document')}</a>)`
    ),
    `${text('events')} (${link('asyncapi.json', text('eventDocument'))})`
  ])
  const pages = [
    ...(hasDesk ? [['desk/', text('desk')] as const] : []),
    ['ssl-catalogue-excel/v1/upload', text('upload')] as const
  ]
  const people = Object.values(demoOrganizations).map((each) => {
    const options = peopleOf(each).map(
      ({ name, userType }) => `<option value="${name}">${name}, ${userTypeNames[userType][language]}</option>`
    )
    return `<optgroup label="${each.name}">${options.join('')}</optgroup>`
  })
  const buttons = [
    ...pages,
    ...(hasDocuments ? apis.map(([api, name]) => [`${api}/v1/docs/`, `API: ${text(name)}`] as const) : [])
  ].map(([url, label]) => `<button type="button" data-page="${url}">${label}</button>`)
  const tokens = `${isEmpty ? `<p><strong>${text('noData')}</strong></p>` : ''}
    <p>${text('tokensHint')}</p><noscript><p>${text('needsScript')}</p></noscript>
    <label>${text('person')}<select id="person">${people.join('')}</select></label>
    <div class="row">${buttons.join('')}</div>
    <p id="token-state" role="status" data-failed="${text('failed')}"></p>`
  const body = `<header>
  <h1>${text('title')}</h1>
  <a href="?language=${other}" lang="${other}" hreflang="${other}">${text('otherLanguage')}</a>
</header>
<main>
  <p>${text('introduction')}</p>
  ${hasTokens ? section('tokensTitle', tokens) : ''}
  ${section('documentsTitle', hasDocuments ? documents : `<p>${text('noDocuments')}</p>`)}
  ${section('pagesTitle', list(pages.map(([url, label]) => link(url, label))))}
  ${section('stateTitle', list([link('health/ready', text('health')), `${link('version', text('version'))} ${version} (${commit.slice(0, 12)})`]))}
</main>`
  return pageHtml({
    language,
    title: text('title'),
    root: '',
    script: hasTokens ? 'home' : undefined,
    body
  })
}
