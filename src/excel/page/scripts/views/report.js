import { lastSegment } from '../api.js'
import { button, element } from '../elements.js'
import { currentLanguage, translate } from '../language.js'
import { describeProblem } from '../problem-text.js'
import { changesView } from './changes.js'

/**
 * @typedef {import('../upload.js').Report} Report
 * @typedef {{ choose: (id: string) => unknown, confirm: () => unknown }} Choices
 */

const catalogueWords = /** @type {const} */ ({
  created: ['willCatalogueCreated', 'didCatalogueCreated'],
  changed: ['willCatalogueChanged', 'didCatalogueChanged'],
  unchanged: ['willCatalogueUnchanged', 'didCatalogueUnchanged']
})

/**
 * Describes what an import did, or would do.
 * @param {Report} report
 * @param {(id: string) => unknown} download
 */
export function reportView(report, download) {
  const { dryRun, catalogueChange, created, changed, unchanged, annotations, whiteList, catalogue } = report
  const lines = [
    translate(catalogueWords[catalogueChange][dryRun ? 0 : 1]),
    translate(dryRun ? 'willCreate' : 'didCreate', { count: created }),
    translate(dryRun ? 'willChange' : 'didChange', { count: changed }),
    translate('itemsSame', { count: unchanged })
  ]
  // A provider has no annotations.
  if (annotations.created + annotations.unchanged > 0)
    lines.push(
      translate(dryRun ? 'willAnnotate' : 'didAnnotate', { count: annotations.created }),
      translate('annotationsSame', { count: annotations.unchanged })
    )
  if (whiteList.created + whiteList.unchanged > 0)
    lines.push(
      translate(dryRun ? 'willList' : 'didList', { count: whiteList.created }),
      translate('listedSame', { count: whiteList.unchanged })
    )
  return element(
    'div',
    { class: 'result good' },
    element('h3', { tabindex: '-1' }, `✓ ${translate(dryRun ? 'cleanTitle' : 'importedTitle')}`),
    element('p', {}, translate(dryRun ? 'cleanIntroduction' : 'importedIntroduction')),
    element('ul', {}, ...lines.map((line) => element('li', {}, line))),
    ...changesView(report),
    ...(dryRun || catalogue === null ? [] : linkTo(catalogue, download))
  )
}

/**
 * A link with the URL of the catalogue, for copying. A click downloads with the token, which a
 * plain link cannot send.
 * @param {string} address
 * @param {(id: string) => unknown} download
 */
function linkTo(address, download) {
  const link = element('a', { href: address }, translate('catalogueLink'))
  link.addEventListener('click', (event) => {
    event.preventDefault()
    download(lastSegment(address))
  })
  return [element('p', {}, link), element('p', { role: 'status', class: 'download-state' })]
}

/**
 * Shows the problem of a failed check or import. If another catalogue may be meant, the user can
 * choose that one, or confirm the chosen one.
 * @param {import('../api.js').Problem} problem
 * @param {Choices} choices
 */
export function problemView(problem, { choose, confirm }) {
  return element(
    'div',
    { class: 'result bad' },
    element('h3', { tabindex: '-1' }, `✗ ${translate('refusedTitle')}`),
    element('p', { lang: problem.language ?? currentLanguage() }, describeProblem(problem)),
    ...(problem.catalogue === undefined
      ? []
      : [
          button(translate('chooseOther', { name: problem.name ?? '' }), 'second', () =>
            choose(lastSegment(problem.catalogue ?? null))
          )
        ]),
    ...(problem.code === 'other-catalogue' ? [button(translate('confirmChosen'), 'second', confirm)] : [])
  )
}
