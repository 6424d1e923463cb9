import type { Language } from '../errors/language.js'

/** What the HTML of a page says. */
export interface PageHtml {
  language: Language
  title: string
  /** Relative URL of the first page. */
  root: string
  /** The name of its script, if it has one. */
  script?: string | undefined
  /** What the script reads from `meta` elements, by their names. */
  meta?: Readonly<Record<string, string>>
  /** HTML of the content. Default: that of a page that its script renders. */
  body?: string
}

/** The HTML of a page. All its URLs are relative, so it names no address. */
export const pageHtml = ({ language, title, root, script, meta = {}, body }: PageHtml): string =>
  `<!doctype html>
<html lang="${language}">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
${Object.entries(meta)
  .map(([name, content]) => `    <meta name="${name}" content="${escapeHtml(content)}">\n`)
  .join('')}    <title>${escapeHtml(title)}</title>
    <link rel="icon" href="${root}pages/icon.svg" type="image/svg+xml">
    <link rel="stylesheet" href="${root}pages/style.css">
${script ? `    <script type="module" src="${root}pages/${script}.js"></script>\n` : ''}  </head>
  <body>
${body ?? '    <noscript><p lang="da">Siden har brug for JavaScript.</p><p lang="en">This page needs JavaScript.</p></noscript>'}
  </body>
</html>
`

/** A text as HTML, also within an attribute. */
export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)
