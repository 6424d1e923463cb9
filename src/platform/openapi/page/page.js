// Additions to Swagger UI: a bar with the caller and the way back, code samples, and errors in one
// line each.

/**
 * What is used of React and of Swagger UI, which have no types here.
 * @typedef {(initial: boolean) => [boolean, (next: boolean) => void]} UseState
 * @typedef {{ createElement: Function, useState: UseState }} React
 * @typedef {{ get: (name: string) => string }} Response
 * @typedef {{ toJS: () => { label: string, source: string }[] } | undefined} Samples
 * @typedef {{ specJson: () => { getIn: (path: string[]) => Samples } }} SpecSelectors
 * @typedef {{ getIn: (path: string[]) => string | undefined }} Authorized
 * @typedef {{
 *   authSelectors: { authorized: () => Authorized | undefined },
 *   getStore: () => { subscribe: (listener: () => void) => void }
 * }} SwaggerUi
 * @typedef {{ plugins: object[] }} Options
 */

/**
 * Shows an error of an operation as a line, which opens it.
 * @param {unknown} Original
 * @param {{ React: React }} system
 */
const shortErrors = (Original, { React }) =>
  /** @param {{ code: string, response: Response }} props */
  function ShortError(props) {
    const [isOpen, open] = React.useState(false)
    if (isOpen || props.code < '400') return React.createElement(Original, props)
    const text = props.response.get('description').replaceAll('`', '')
    const button = {
      className: 'ssl-error',
      type: 'button',
      'aria-expanded': false,
      onClick: () => open(true)
    }
    return React.createElement(
      'tr',
      { className: 'response', 'data-code': props.code },
      React.createElement('td', { className: 'response-col_status' }, props.code),
      React.createElement('td', { colSpan: 2 }, React.createElement('button', button, text))
    )
  }

/**
 * Shows the code samples of an operation above its responses.
 * @param {unknown} Original
 * @param {{ React: React, specSelectors: SpecSelectors }} system
 */
const withSamples = (Original, { React, specSelectors }) =>
  /** @param {{ path: string, method: string }} props */
  function WithSamples(props) {
    const samples = specSelectors.specJson().getIn(['paths', props.path, props.method, 'x-codeSamples'])
    const details = samples
      ?.toJS()
      .map(({ label, source }) =>
        React.createElement(
          'details',
          { key: label, className: 'ssl-sample' },
          React.createElement('summary', null, `Example: ${label}`),
          React.createElement('pre', null, source)
        )
      )
    return React.createElement('div', null, details, React.createElement(Original, props))
  }

/**
 * The caller in a token.
 * @param {string} token
 */
function callerIn(token) {
  try {
    const [, claims = ''] = token.replace(/^bearer +/i, '').split('.')
    const bytes = Uint8Array.from(atob(claims.replaceAll('-', '+').replaceAll('_', '/')), (each) =>
      each.charCodeAt(0)
    )
    const { name, user_type: userType, context, exp } = JSON.parse(new TextDecoder().decode(bytes))
    const organization = context?.organization_id?.split('/').at(-1)
    const until = exp && `until ${new Date(exp * 1000).toLocaleTimeString([], { timeStyle: 'short' })}`
    return [...new Set([name, userType, organization, until])].filter(Boolean).join(', ')
  } catch {
    return 'The token cannot be read.'
  }
}

const bar = document.createElement('header')
bar.className = 'ssl-bar'
bar.innerHTML = '<a href="../../../">SSL backend</a><span role="status"></span>'
document.body.prepend(bar)

/** @param {SwaggerUi} ui */
function showCaller(ui) {
  const token = ui.authSelectors.authorized()?.getIn(['token', 'value'])
  const text = token
    ? `You are ${callerIn(token)}`
    : 'No token: choose “Authorize”, or a user on the first page.'
  const status = bar.querySelector('span')
  if (status && status.textContent !== text) status.textContent = text
}

// The file is loaded before Swagger UI starts, which takes no other plugins.
/** @type {{ SwaggerUIBundle: (options: Options) => SwaggerUi }} */
const page = Object(window)
const start = page.SwaggerUIBundle
page.SwaggerUIBundle = Object.assign(
  /** @param {Options} options */
  (options) => {
    const plugins = [
      ...options.plugins,
      { wrapComponents: { response: shortErrors, responses: withSamples } }
    ]
    const ui = start({ ...options, plugins })
    ui.getStore().subscribe(() => showCaller(ui))
    showCaller(ui)
    return ui
  },
  start
)
