import './node-version.cjs'

// A static import would be loaded before the check above.
void import('./operator.js')
