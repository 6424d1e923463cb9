import type { Words } from '../errors/language.js'
import type { UserType } from './caller.js'

/** What people call the user types. */
export const userTypeNames = {
  AdministrativeClerk: { en: 'Administrative clerk', da: 'Administrativ medarbejder' },
  MonitoringResponsible: { en: 'Monitoring responsible', da: 'Monitoreringsansvarlig' },
  Provider: { en: 'Provider', da: 'Leverandør' }
} as const satisfies Readonly<Record<UserType, Words>>
