/** Sets whose codes the program acts on. They are always local. */
export const localValueSets = [
  'order-status',
  'order-line-status',
  'order-line-action',
  'service-type',
  'catalogue-status',
  'catalogue-item-status',
  'party-role'
] as const
export type LocalValueSet = (typeof localValueSets)[number]

/** Reserved annotation names by their suffix, each with the value set that its values come from. */
const reserved: Readonly<Record<string, string>> = {
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

/** The union of the others, for annotations with a free name. */
const anyAnnotation = 'catalogue-item-annotations'

/** Sets that the values of annotations come from. */
export const annotationSets: readonly string[] = [...new Set(Object.values(reserved)), anyAnnotation]

/** The annotation names that have a value set of their own. */
export const reservedNames = (prefix: string): string[] =>
  Object.keys(reserved).map((suffix) => `${prefix}/${suffix}`)

/** The value set of an annotation name: its own for a reserved name; the union for every other name, also one with the platform's prefix. */
export function setOfAnnotation(name: string, prefix: string): string {
  const suffix = name.startsWith(`${prefix}/`) ? name.slice(prefix.length + 1) : ''
  return (Object.hasOwn(reserved, suffix) ? reserved[suffix] : undefined) ?? anyAnnotation
}
