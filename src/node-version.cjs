// Ends the process with a clear message on Node versions that package.json does not support. There
// the program would fail with `require() of ES Module`. Loaded first, in syntax of old versions.
const { engines } = require('../package.json')

/** Whether `engines.node` includes a version. Its ranges have the forms `^20.19.0` and `>=24`. */
function isSupported([major, minor]) {
  return engines.node.split('||').some((range) => {
    const [, operator, minMajor, minMinor] = /^(\^|>=)(\d+)(?:\.(\d+))?/.exec(range.trim())
    if (operator === '>=' && major > Number(minMajor)) return true
    return major === Number(minMajor) && minor >= Number(minMinor || 0)
  })
}

if (!isSupported(process.versions.node.split('.').map(Number))) {
  const found = process.versions.node
  console.error(
    `This is Node ${found}. Install Node ${engines.node} from https://nodejs.org and start again.`
  )
  process.exit(1)
}
