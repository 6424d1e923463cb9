import { userTypeNames } from '../../pages/parts/user-type-names.js'
import type { Language } from '../platform/errors/language.js'
import { pageHtml } from '../platform/page/page.js'
import type { Version } from '../platform/program/program.js'
import { demoOrganizations, peopleOf } from './demo-people.js'
import { homeTexts, stories } from './texts.js'

export interface HomePageOptions {
  version: Version
  /** Whether the documents of the APIs are served. */
  hasDocuments: boolean
  /** Whether unsigned tokens are accepted. */
  hasTokens: boolean
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
  const part = (title: keyof typeof homeTexts, content: string) => `<h3>${text(title)}</h3>${content}`
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
  const cards = stories.map(
    ({ title, person, organization, steps }) => `<article class="card">
      <div><h2>${title[language]}</h2><p class="soft">${person}, ${organization}</p></div>
      <ol class="story">${steps.map((step) => `<li>${step[language]}</li>`).join('')}</ol>
      <button type="button" data-page="desk/" data-person="${person}">${text('openAs')} ${person}</button>
    </article>`
  )
  const people = Object.values(demoOrganizations).flatMap((each) =>
    peopleOf(each).map(
      ({ name, userType }) =>
        `<option value="${name}">${name} – ${userTypeNames[userType][language]}, ${each.name}</option>`
    )
  )
  const buttons = [
    ...pages,
    ...(hasDocuments ? apis.map(([api, name]) => [`${api}/v1/docs/`, `API: ${text(name)}`] as const) : [])
  ].map(([url, label]) => `<button type="button" class="quiet" data-page="${url}">${label}</button>`)
  const start = `${isEmpty ? `<p class="banner amber">${text('noData')}</p>` : ''}
  <noscript><p>${text('needsScript')}</p></noscript>
  <p id="token-state" role="status" data-failed="${text('failed')}"></p>
  ${hasDesk ? `<div class="stories">${cards.join('')}</div>` : ''}`
  const tokens = `<p>${text('tokensHint')}</p>
    <label>${text('person')}<select id="person">${people.join('')}</select></label>
    <div class="row">${buttons.join('')}</div>`
  const body = `<header>
  <h1>${text('title')}</h1>
  <a href="?language=${other}" lang="${other}" hreflang="${other}">${text('otherLanguage')}</a>
</header>
<main>
  <p>${text('introduction')}</p>
  ${hasTokens ? start : ''}
  <section aria-labelledby="developers"><h2 id="developers">${text('developers')}</h2>
  ${hasTokens ? part('tokensTitle', tokens) : ''}
  ${part('documentsTitle', hasDocuments ? documents : `<p>${text('noDocuments')}</p>`)}
  ${part('pagesTitle', list(pages.map(([url, label]) => link(url, label))))}
  ${part('stateTitle', list([link('health/ready', text('health')), `${link('version', text('version'))} ${version} (${commit.slice(0, 12)})`]))}
  </section>
</main>`
  return pageHtml({
    language,
    title: text('title'),
    root: '',
    script: hasTokens ? 'home' : undefined,
    body
  })
}
