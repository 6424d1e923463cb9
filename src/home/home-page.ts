import { userTypeNames } from '../../pages/parts/user-type-names.js'
import type { Language } from '../platform/errors/language.js'
import { pageHtml } from '../platform/page/page-html.js'
import type { Version } from '../platform/util/version.js'
import { demoOrganizations, peopleOf } from './demo-people.js'
import { homeTexts } from './home-texts.js'

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
        `${link(`${api}/v1/docs/`, text(name))} (${link(`${api}/v1/openapi.json`, `<span class="hidden">${text(name)}: </span>${text('document')}`)})`
    ),
    `${text('events')} (${link('asyncapi.json', text('eventDocument'))})`
  ])
  const pages = [
    ...(hasDesk ? [link('desk/', text('desk'))] : []),
    link('ssl-catalogue-excel/v1/upload', text('upload'))
  ]
  const everybody = Object.values(demoOrganizations).map((each) => ({
    organization: each.name,
    people: peopleOf(each).map(({ name, userType }) => ({ name, role: userTypeNames[userType][language] }))
  }))
  const organizations = everybody.map(({ organization, people }) => {
    const buttons = people.map(
      ({ name, role }) =>
        `<button type="button" data-person="${name}">${name}<br><small>${role}</small></button>`
    )
    return `<div><h3>${organization}</h3><div class="row">${buttons.join('')}</div></div>`
  })
  const options = everybody.map(({ organization, people }) => {
    const names = people.map(({ name, role }) => `<option value="${name}">${name}, ${role}</option>`)
    return `<optgroup label="${organization}">${names.join('')}</optgroup>`
  })
  const others = [
    ['ssl-catalogue-excel/v1/upload', text('upload')],
    ...(hasDocuments ? apis.map(([api, name]) => [`${api}/v1/docs/`, `API: ${text(name)}`]) : [])
  ].map(([url, label]) => `<button type="button" data-page="${url}">${label}</button>`)
  const tokens = `${isEmpty ? `<p><strong>${text('noData')}</strong></p>` : ''}
    <p>${text('tokensHint')}</p><noscript><p>${text('needsScript')}</p></noscript>
    <div class="columns">${organizations.join('')}</div>
    <h3>${text('otherPages')}</h3>
    <label for="person">${text('person')}</label><select id="person">${options.join('')}</select>
    <div class="row">${others.join('')}</div>
    <p id="token-state" role="status" data-failed="${text('failed')}"></p>`
  const body = `<header>
  <h1>${text('title')}</h1>
  <a href="?language=${other}" lang="${other}" hreflang="${other}">${text('otherLanguage')}</a>
</header>
<main>
  <p>${text('introduction')}</p>
  ${hasTokens ? section('tokensTitle', tokens) : ''}
  ${section('documentsTitle', hasDocuments ? documents : `<p>${text('noDocuments')}</p>`)}
  ${section('pagesTitle', list(pages))}
  ${section('stateTitle', list([link('health/ready', text('health')), `${link('version', text('version'))} ${version} (${commit.slice(0, 12)})`]))}
</main>`
  return pageHtml({
    language,
    title: text('title'),
    files: 'home/',
    hasScript: hasTokens,
    body
  })
}
