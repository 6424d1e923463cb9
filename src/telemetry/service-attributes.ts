import { ATTR_SERVICE_NAME, ATTR_SERVICE_VERSION } from '@opentelemetry/semantic-conventions'
import { programVersion } from '../platform/program/program.js'

/** Names this program and its version to collectors. */
export function serviceAttributes(): Record<string, string> {
  const { version, commit } = programVersion()
  return {
    [ATTR_SERVICE_NAME]: 'ssl-backend',
    [ATTR_SERVICE_VERSION]: version,
    'vcs.ref.head.revision': commit
  }
}
