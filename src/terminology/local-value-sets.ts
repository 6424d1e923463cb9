/** Value sets whose codes affect the program. A terminology server never validates them. */
export const localValueSets = [
  'order-status',
  'order-line-status',
  'order-line-action',
  'order-status-reason',
  'order-attention',
  'device-end-reason',
  'subscription-status-reason',
  'service-type',
  'catalogue-status',
  'catalogue-item-status',
  'party-role'
] as const
export type LocalValueSet = (typeof localValueSets)[number]

/** Value sets of the reserved annotation names, by the suffix of the name. */
const reservedSets: Readonly<Record<string, string>> = {
  'device-type': 'device-type',
  'device-measurement-type': 'device-measurement-type',
  'device-measurement-unit': 'device-measurement-unit',
  'device-safety': 'device-safety',
  'device-calibration-type': 'device-calibration-type',
  'device-calibration-period': 'device-calibration-period',
  'device-calibration-actor': 'device-calibration-actor',
  'device-metric-measuring-quality-initial': 'device-measuring-quality',
  'device-metric-measuring-quality-degraded': 'device-measuring-quality',
  'device-metric-measuring-quality-overridden': 'device-measuring-quality',
  'device-metric-category': 'device-metric-category'
}

/** The union of all annotation sets, for annotations with any other name. */
export const ALL_ANNOTATIONS_SET = 'catalogue-item-annotations'

export const annotationSets: readonly string[] = [
  ...new Set(Object.values(reservedSets)),
  ALL_ANNOTATIONS_SET
]

/** The annotation names with their own value set. */
export const reservedAnnotationNames = (prefix: string): string[] =>
  Object.keys(reservedSets).map((suffix) => `${prefix}/${suffix}`)

/**
 * The value set of an annotation name: its own for a reserved name, the union for any other, also
 * with the platform's prefix.
 */
export function setOfAnnotation(name: string, prefix: string): string {
  const suffix = name.startsWith(`${prefix}/`) ? name.slice(prefix.length + 1) : ''
  return (Object.hasOwn(reservedSets, suffix) ? reservedSets[suffix] : undefined) ?? ALL_ANNOTATIONS_SET
}
