/** Names of the user types as shown to users, also on the first page of the server. */
export const userTypeNames = {
  AdministrativeClerk: { en: 'Administrative clerk', da: 'Administrativ medarbejder' },
  MonitoringResponsible: { en: 'Monitoring responsible', da: 'Monitoreringsansvarlig' },
  Provider: { en: 'Provider', da: 'Leverandør' }
} as const

export type UserType = keyof typeof userTypeNames
