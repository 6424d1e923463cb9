// Ends the process with one sentence where Node is none of the versions in package.json: with others, loading the program
// fails with `require() of ES Module`. Runs before anything else is loaded, in syntax that old versions can read.
const { engines } = require('../package.json')

/** Whether `engines.node` admits a version. Its ranges are of the forms `^20.19.0` and `>=24`. */
function isSupported([major, minor]) {
  return engines.node.split('||').some((range) => {
    const [, operator, leastMajor, leastMinor] = /^(\^|>=)(\d+)(?:\.(\d+))?/.exec(range.trim())
    if (operator === '>=' && major > Number(leastMajor)) return true
    return major === Number(leastMajor) && minor >= Number(leastMinor || 0)
  })
}

if (!isSupported(process.versions.node.split('.').map(Number))) {
  const found = process.versions.node
  console.error(
    `This is Node ${found}. Install Node ${engines.node} from https://nodejs.org and start again.`
  )
  process.exit(1)
}
