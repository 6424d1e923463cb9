import { idIn } from './api.js'
import { element } from './elements.js'
import { say } from './language.js'
import { wordsOf } from './words.js'

/** @typedef {import('./job.js').Report} Report */

const catalogueWords = /** @type {const} */ ({
  created: ['willCatalogueCreated', 'didCatalogueCreated'],
  changed: ['willCatalogueChanged', 'didCatalogueChanged'],
  unchanged: ['willCatalogueUnchanged', 'didCatalogueUnchanged']
})

/**
 * What a workbook does, or did, in words.
 * @param {Report} report
 * @param {(id: string) => unknown} download
 */
export function reportView(report, download) {
  const { dryRun, catalogueChange, created, changed, unchanged, annotations, catalogue } = report
  const lines = [
    say(catalogueWords[catalogueChange][dryRun ? 0 : 1]),
    say(dryRun ? 'willCreate' : 'didCreate', { count: created }),
    say(dryRun ? 'willChange' : 'didChange', { count: changed }),
    say('itemsSame', { count: unchanged })
  ]
  // A provider has no annotations.
  if (annotations.created + annotations.unchanged > 0)
    lines.push(
      say(dryRun ? 'willAnnotate' : 'didAnnotate', { count: annotations.created }),
      say('annotationsSame', { count: annotations.unchanged })
    )
  return element(
    'div',
    { class: 'result good' },
    element('h3', { tabindex: '-1' }, `✓ ${say(dryRun ? 'cleanTitle' : 'importedTitle')}`),
    element('p', {}, say(dryRun ? 'cleanIntroduction' : 'importedIntroduction')),
    element('ul', {}, ...lines.map((line) => element('li', {}, line))),
    ...(dryRun || catalogue === null ? [] : linkTo(catalogue, download))
  )
}

/**
 * The link is the catalogue's address, to be copied; a plain click could not bring the token along.
 * @param {string} address
 * @param {(id: string) => unknown} download
 */
function linkTo(address, download) {
  const link = element('a', { href: address }, say('catalogueLink'))
  link.addEventListener('click', (event) => {
    event.preventDefault()
    download(idIn(address))
  })
  return [element('p', {}, link), element('p', { role: 'status', class: 'download-state' })]
}

/**
 * Why nothing came of it.
 * @param {import('./api.js').Problem} problem
 */
export function refusalView(problem) {
  const { text, original } = wordsOf(problem)
  const more = original === undefined ? [] : [element('p', { class: 'hint', lang: 'en' }, original)]
  return element(
    'div',
    { class: 'result bad' },
    element('h3', { tabindex: '-1' }, `✗ ${say('refusedTitle')}`),
    element('p', {}, text),
    ...more
  )
}
