/** The texts as inline code, separated by spaces. */
export const codeList = (texts: readonly string[]): string => texts.map((text) => `\`${text}\``).join(' ')

/** The comments around a generated section. */
export const markersOf = (name: string) => ({
  begin: `<!-- generated: ${name} (npm run docs) -->`,
  end: `<!-- end of ${name} -->`
})

/**
 * Replaces the content between the markers of a section.
 * @throws Error if the document does not have each marker once, in order.
 */
export function replaceSection(document: string, name: string, content: string): string {
  const { begin, end } = markersOf(name)
  const [before, rest = '', ...more] = document.split(begin)
  const [, after, ...others] = rest.split(end)
  if (before === undefined || after === undefined || more.length > 0 || others.length > 0)
    throw new Error(`A document needs these markers once each, in this order: ${begin} ${end}`)
  return `${before}${begin}\n${content}\n${end}${after}`
}
