/** What the pages of the documents add to Swagger UI. */

/** Small screens and dark mode. */
const css = `
.swagger-ui .wrapper { padding: 0 12px; }
.swagger-ui .markdown table { display: block; overflow-x: auto; }
.swagger-ui .info { overflow-wrap: anywhere; }
@media (max-width: 640px) {
  .swagger-ui .opblock .opblock-summary { flex-wrap: wrap; }
  .swagger-ui .opblock .opblock-summary-path { max-width: 100%; }
  .swagger-ui .opblock .opblock-summary-description { text-align: left; }
  .swagger-ui .parameters-container, .swagger-ui .responses-inner { overflow-x: auto; }
  .swagger-ui table.parameters > tbody > tr > td { display: block; max-width: 100%; padding: 5px 0; }
}
@media (prefers-color-scheme: dark) {
  html { background: #fff; filter: invert(0.9) hue-rotate(180deg); }
}
`

/** Moves the errors from the introduction behind the operations, once both are there. */
const script = `
new MutationObserver((_changes, observer) => {
  const operations = document.querySelector('.swagger-ui .opblock-tag-section')?.closest('section')
  const heading = [...document.querySelectorAll('.swagger-ui .info h2')].find((each) => each.textContent === 'Errors')
  if (!operations || !heading) return
  observer.disconnect()
  const errors = document.createElement('section')
  errors.className = 'info errors'
  const markdown = document.createElement('div')
  markdown.className = 'markdown'
  errors.append(markdown)
  for (let next = heading; next; ) {
    const following = next.nextElementSibling
    markdown.append(next)
    next = following
  }
  operations.after(errors)
}).observe(document.documentElement, { childList: true, subtree: true })
`

/** The theme of the pages. */
export const pageTheme = (title: string) => ({
  title,
  css: [{ filename: 'page.css', content: css }],
  js: [{ filename: 'page.js', content: script }]
})
