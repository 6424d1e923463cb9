import './node-version.cjs'

// Imported only after the check above: a static import would be loaded before it.
void import('./main.js')
