/*
 * The catalogues of the providers: device models, the services for them, and the annotations of
 * buyers.
 */

export const catalogues = {
  maaneskaer: { name: 'Måleudstyr til hjemmet', number: 'MM-KATALOG-1' },
  birkelund: { name: 'Smartphones og support', number: 'BH-KATALOG-1' }
} as const

// biome-ignore format: a table
export const devices = [
  { key: 'monitor', seller: 'maaneskaer', number: 'MM-101', name: 'Blodtryksmåler til overarm', manufacturer: 'A&D Medical', model: 'UA-767', version: '2', description: 'Automatisk måler med Bluetooth og manchet 22-32 cm' },
  { key: 'scale', seller: 'maaneskaer', number: 'MM-102', name: 'Personvægt', manufacturer: 'A&D Medical', model: 'UC-352', version: '1', description: 'Digital vægt med Bluetooth, op til 200 kg' },
  { key: 'oximeter', seller: 'maaneskaer', number: 'MM-103', name: 'Pulsoximeter til finger', manufacturer: 'Nonin', model: '3230', version: '1', description: 'Måler iltmætning og puls, med Bluetooth' },
  { key: 'thermometer', seller: 'maaneskaer', number: 'MM-104', name: 'Øretermometer', manufacturer: 'Braun', model: 'ThermoScan 7', version: '1', description: 'Måler temperaturen på få sekunder' },
  { key: 'smartphone', seller: 'birkelund', number: 'BH-201', name: 'Smartphone med SIM-kort', manufacturer: 'Samsung', model: 'Galaxy A', version: '14', description: 'Klargjort med appen til hjemmemonitorering' }
] as const

/** `device` is the key of the device model that the service is for. */
// biome-ignore format: a table
export const services = [
  { key: 'delivery', seller: 'maaneskaer', number: 'MM-901', serviceType: 'DELIVER', name: 'Levering i hjemmet inden for to hverdage', device: null },
  { key: 'training', seller: 'maaneskaer', number: 'MM-902', serviceType: 'TRAINING', name: 'Oplæring af borger i hjemmet', device: null },
  { key: 'repair', seller: 'maaneskaer', number: 'MM-903', serviceType: 'REPAIR', name: 'Reparation af blodtryksmåler', device: 'monitor' },
  { key: 'maintenance', seller: 'maaneskaer', number: 'MM-904', serviceType: 'MAINTENANCE', name: 'Årligt eftersyn af personvægt', device: 'scale' },
  { key: 'replacement', seller: 'maaneskaer', number: 'MM-905', serviceType: 'REPLACE', name: 'Ombytning af pulsoximeter', device: 'oximeter' },
  { key: 'phone-delivery', seller: 'birkelund', number: 'BH-901', serviceType: 'DELIVER', name: 'Levering med pakkepost', device: null },
  { key: 'phone-pickup', seller: 'birkelund', number: 'BH-902', serviceType: 'PICKUP', name: 'Afhentning af brugt udstyr', device: null },
  { key: 'phone-support', seller: 'birkelund', number: 'BH-903', serviceType: 'SUPPORT', name: 'Telefonisk hjælp til smartphone', device: 'smartphone' }
] as const

type DeviceKey = (typeof devices)[number]['key']
export type ItemKey = DeviceKey | (typeof services)[number]['key']

/** The name of a catalogue item. */
export const nameOf = (item: ItemKey): string =>
  [...devices, ...services].find(({ key }) => key === item)?.name ?? item

const annotation = (name: string, system: string, code: string) => ({
  name: `ehealth/${name}`,
  value: { system, code }
})
const measures = 'urn:oid:1.2.208.176.2.1'
const type = (code: string) => annotation('device-type', 'http://snomed.info/sct', code)
const measuring = (code: string) => annotation('device-measurement-type', measures, code)
const unit = (code: string) => annotation('device-measurement-unit', measures, code)
const category = annotation('device-metric-category', 'http://hl7.org/fhir/metric-category', 'measurement')
const pulse = measuring('NPU21692')

/** The annotations of every buyer. Each value is from the value set of its reserved name. */
export const annotations = {
  monitor: [type('258057004'), measuring('DNK05472'), measuring('DNK05473'), pulse, category],
  scale: [type('19892000'), measuring('NPU03804'), unit('NPU03804'), category],
  oximeter: [type('59181002'), measuring('NPU03011'), unit('NPU03011'), pulse, category],
  thermometer: [],
  smartphone: [type('1187059002')]
} as const satisfies Record<DeviceKey, readonly object[]>

/** A new item, which no clerk has put on a white list yet. */
export const undecided: ItemKey = 'thermometer'

/** The items of a search have both annotations: measuring devices for the pulse. */
export const searched = [pulse, category]
