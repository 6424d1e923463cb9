import type { ReceiverKey, SellerKey } from './data.js'

/*
 * The catalogues of the providers: device models and the services for them.
 */

export const catalogues = [
  { key: 'maaneskaer', seller: 'maaneskaer', name: 'Måleudstyr til hjemmet', number: 'MM-KATALOG-1' },
  { key: 'birkelund', seller: 'birkelund', name: 'Smartphones og support', number: 'BH-KATALOG-1' }
] as const satisfies readonly { key: SellerKey; seller: SellerKey; name: string; number: string }[]

interface DeviceRow {
  key: string
  catalogue: SellerKey
  number: string
  name: string
  description: string
  manufacturer: string
  model: string
  version: string
}

interface ServiceRow {
  key: string
  catalogue: SellerKey
  number: string
  serviceType: string
  name: string
  /** Key of the device model that the service is for. */
  relatedTo?: string
}

// biome-ignore format: a table
export const devices = [
  { key: 'monitor', catalogue: 'maaneskaer', number: 'MM-101', name: 'Blodtryksmåler til overarm', manufacturer: 'A&D Medical', model: 'UA-767', version: '2', description: 'Automatisk måler med Bluetooth og manchet 22-32 cm' },
  { key: 'scale', catalogue: 'maaneskaer', number: 'MM-102', name: 'Personvægt', manufacturer: 'A&D Medical', model: 'UC-352', version: '1', description: 'Digital vægt med Bluetooth, op til 200 kg' },
  { key: 'oximeter', catalogue: 'maaneskaer', number: 'MM-103', name: 'Pulsoximeter til finger', manufacturer: 'Nonin', model: '3230', version: '1', description: 'Måler iltmætning og puls, med Bluetooth' },
  { key: 'smartphone', catalogue: 'birkelund', number: 'BH-201', name: 'Smartphone med SIM-kort', manufacturer: 'Samsung', model: 'Galaxy A', version: '14', description: 'Klargjort med appen til hjemmemonitorering' }
] as const satisfies readonly DeviceRow[]

// biome-ignore format: a table
export const services = [
  { key: 'delivery', catalogue: 'maaneskaer', number: 'MM-901', serviceType: 'DELIVER', name: 'Levering i hjemmet inden for to hverdage' },
  { key: 'training', catalogue: 'maaneskaer', number: 'MM-902', serviceType: 'TRAINING', name: 'Oplæring af borger i hjemmet' },
  { key: 'repair', catalogue: 'maaneskaer', number: 'MM-903', serviceType: 'REPAIR', name: 'Reparation af blodtryksmåler', relatedTo: 'monitor' },
  { key: 'maintenance', catalogue: 'maaneskaer', number: 'MM-904', serviceType: 'MAINTENANCE', name: 'Årligt eftersyn af personvægt', relatedTo: 'scale' },
  { key: 'replacement', catalogue: 'maaneskaer', number: 'MM-905', serviceType: 'REPLACE', name: 'Ombytning af pulsoximeter', relatedTo: 'oximeter' },
  { key: 'phone-delivery', catalogue: 'birkelund', number: 'BH-901', serviceType: 'DELIVER', name: 'Levering med pakkepost' },
  { key: 'phone-pickup', catalogue: 'birkelund', number: 'BH-902', serviceType: 'PICKUP', name: 'Afhentning af brugt udstyr' },
  { key: 'phone-support', catalogue: 'birkelund', number: 'BH-903', serviceType: 'SUPPORT', name: 'Telefonisk hjælp til smartphone', relatedTo: 'smartphone' }
] as const satisfies readonly ServiceRow[]

export type DeviceKey = (typeof devices)[number]['key']
export type ItemKey = DeviceKey | (typeof services)[number]['key']

const snomed = 'http://snomed.info/sct'
const measures = 'urn:oid:1.2.208.176.2.1'
const category = { system: 'http://hl7.org/fhir/metric-category', code: 'measurement' }
const calibration = 'http://hl7.org/fhir/metric-calibration-type'

const pulse = { name: 'ehealth/device-measurement-type', value: { system: measures, code: 'NPU21692' } }
const measurement = { name: 'ehealth/device-metric-category', value: category }

const type = (code: string) => ({ name: 'ehealth/device-type', value: { system: snomed, code } })
const measuring = (code: string) => ({ ...pulse, value: { system: measures, code } })
const unit = (code: string) => ({
  name: 'ehealth/device-measurement-unit',
  value: { system: measures, code }
})
const calibrated = (code: string) => ({
  name: 'ehealth/device-calibration-type',
  value: { system: calibration, code }
})

/** The device model of a service, if it has one. */
export function relatedTo(item: ItemKey): DeviceKey | undefined {
  const service = services.find(({ key }) => key === item)
  return service && 'relatedTo' in service ? service.relatedTo : undefined
}

/** The name of a catalogue item. */
export function nameOf(item: ItemKey): string {
  return [...devices, ...services].find(({ key }) => key === item)?.name ?? item
}

/** The annotations of every buyer. Each value is from the value set of its reserved name. */
export const annotations = {
  monitor: [type('258057004'), measuring('DNK05472'), measuring('DNK05473'), pulse, measurement],
  scale: [type('19892000'), measuring('NPU03804'), unit('NPU03804'), calibrated('offset'), measurement],
  oximeter: [type('59181002'), measuring('NPU03011'), unit('NPU03011'), pulse, measurement],
  smartphone: [type('1187059002')]
} as const satisfies Record<DeviceKey, readonly object[]>

/** An item that must not be ordered for a patient. */
export const blackList: { patient: ReceiverKey; item: ItemKey } = { patient: 'clara', item: 'oximeter' }

/** The search: items that have both annotations. */
export const searchExample = {
  description: 'measuring devices for the pulse',
  annotations: [pulse, measurement]
}
