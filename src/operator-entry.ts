import './node-version.cjs'

// Imported only after the check above, as in entry.ts.
void import('./operator.js')
