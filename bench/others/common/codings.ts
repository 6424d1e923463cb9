const valueSetBase = 'https://valuesets.example/vs'

const displays: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'order-status': {
    DRAFT: 'Draft',
    SUBMITTED: 'Submitted',
    ACCEPTED: 'Accepted',
    REJECTED: 'Rejected',
    FULFILLED: 'Fulfilled',
    CANCELLED: 'Cancelled'
  },
  'order-line-status': {
    UNFULFILLED: 'Unfulfilled',
    SUBMITTED: 'Submitted',
    FULFILLED: 'Fulfilled',
    CANCELLED: 'Cancelled'
  },
  'order-line-action': {
    DELIVER: 'Delivery',
    PICKUP: 'Pickup',
    INSTALL: 'Installation',
    TRAINING: 'Training',
    REPAIR: 'Repair',
    MAINTENANCE: 'Maintenance',
    REPLACE: 'Replacement',
    CALIBRATION: 'Calibration',
    SUPPORT: 'Support in usage'
  },
  'service-type': {
    DELIVER: 'Delivery',
    PICKUP: 'Pickup',
    INSTALL: 'Installation',
    TRAINING: 'Training',
    'RE-TRAINING': 'Re-training',
    REPAIR: 'Repair',
    MAINTENANCE: 'Maintenance',
    REPLACE: 'Replacement',
    CALIBRATION: 'Calibration',
    SUPPORT: 'Support in usage'
  }
}

/** The full coding of a code of one of the project's own sets. */
export const coding = (set: string, code: string) => ({
  system: `${valueSetBase}/${set}`,
  code,
  display: displays[set]?.[code] ?? null
})

/** A system as the database holds it: the project's own without their base. */
export const storedSystem = (system: string) =>
  system.startsWith(`${valueSetBase}/`) ? `~${system.slice(valueSetBase.length)}` : system

/** A stored system as it is answered. */
export const shownSystem = (system: string) =>
  system.startsWith('~/') ? `${valueSetBase}${system.slice(1)}` : system
