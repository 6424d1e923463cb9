import type { ValueSetDocument } from './fhir.js'
import type { FolderResources } from './files.js'
import { ALL_ANNOTATIONS_SET, annotationSets } from './local-value-sets.js'

/** Codes with their displays in English and Danish. For some codes the project has no display. */
type Codes = readonly (readonly [code: string, english?: string, danish?: string])[]

/** The sets whose codes are of the project, by name. */
const ownSets: Readonly<Record<string, Codes>> = {
  'catalogue-item-status': [
    ['AVAILABLE', 'Available', 'Kan bestilles'],
    ['UNAVAILABLE', 'Unavailable', 'Kan ikke bestilles'],
    ['DISCONTINUED', 'Discontinued', 'Udgået']
  ],
  'catalogue-status': [
    ['DRAFT', 'Draft', 'Kladde'],
    ['ACTIVE', 'Active', 'Aktivt'],
    ['INACTIVE', 'Inactive', 'Inaktivt']
  ],
  'device-calibration-actor': [
    ['PATIENT', 'Patient', 'Borgeren'],
    ['SSLPATIENT', 'Patient with the provider', 'Borgeren sammen med leverandøren'],
    ['SSL', 'Provider', 'Leverandøren']
  ],
  'device-calibration-period': [
    ['7D', 'Every 7 days', 'Hver 7. dag'],
    ['30D', 'Every 30 days', 'Hver 30. dag'],
    ['1Y', 'Every year', 'Hvert år']
  ],
  'device-end-reason': [
    ['RETURNED', 'Returned', 'Returneret'],
    ['REPLACED', 'Replaced', 'Udskiftet'],
    ['LOST', 'Lost', 'Bortkommet'],
    ['DISCARDED', 'Discarded', 'Kasseret'],
    ['KEPT', 'Kept by the patient', 'Beholdt af borgeren'],
    ['ENTERED_IN_ERROR', 'Registered by mistake', 'Registreret ved en fejl']
  ],
  'device-measuring-quality': [
    ['none', 'None', 'Ingen'],
    ['unknown', 'Unknown', 'Ukendt'],
    ['derivation-error', 'Derivation error', 'Afledningsfejl'],
    ['normal', 'Normal', 'Normal'],
    ['low-precision', 'Low precision', 'Lav præcision'],
    ['low-precision-degraded', 'Low precision, degraded', 'Lav præcision, forringet'],
    ['low-precision-normal', 'Low precision, normal', 'Lav præcision, normal'],
    ['low-precision-uncalibrated', 'Low precision, uncalibrated', 'Lav præcision, ikke kalibreret'],
    ['low-precision-calibrated', 'Low precision, calibrated', 'Lav præcision, kalibreret'],
    ['high-precision', 'High precision', 'Høj præcision'],
    ['high-precision-degraded', 'High precision, degraded', 'Høj præcision, forringet'],
    ['high-precision-normal', 'High precision, normal', 'Høj præcision, normal'],
    ['high-precision-uncalibrated', 'High precision, uncalibrated', 'Høj præcision, ikke kalibreret'],
    ['high-precision-calibrated', 'High precision, calibrated', 'Høj præcision, kalibreret']
  ],
  'device-safety': [['TBD', 'To be determined', 'Ikke fastlagt']],
  'order-attention': [
    ['UNANSWERED', 'Not answered in time', 'Ikke besvaret i tide'],
    ['LATE', 'Delivery is late', 'Leveringen er forsinket'],
    ['RETURNED', 'A line was not fulfilled', 'En ordrelinje blev ikke opfyldt'],
    ['QUESTION', 'Awaits an answer', 'Afventer svar']
  ],
  'order-line-action': [
    ['DELIVER', 'Delivery', 'Levering'],
    ['PICKUP', 'Pickup', 'Afhentning'],
    ['INSTALL', 'Installation', 'Installation'],
    ['TRAINING', 'Training', 'Oplæring'],
    ['REPAIR', 'Repair', 'Reparation'],
    ['MAINTENANCE', 'Maintenance', 'Vedligeholdelse'],
    ['REPLACE', 'Replacement', 'Ombytning'],
    ['CALIBRATION', 'Calibration', 'Kalibrering'],
    ['SUPPORT', 'Support in usage', 'Hjælp til brug']
  ],
  'order-line-status': [
    ['UNFULFILLED', 'Unfulfilled', 'Ikke udført'],
    ['SUBMITTED', 'Submitted', 'Bestilt'],
    ['FULFILLED', 'Fulfilled', 'Udført'],
    ['CANCELLED', 'Cancelled', 'Annulleret']
  ],
  'order-status-reason': [
    ['OUT_OF_STOCK', 'Out of stock', 'Ikke på lager'],
    ['DISCONTINUED', 'Discontinued', 'Udgået'],
    ['NOT_DELIVERABLE', 'Not deliverable', 'Kan ikke leveres'],
    ['WRONG_ITEM', 'Wrong item', 'Forkert vare'],
    ['DUPLICATE', 'Duplicate', 'Dublet'],
    ['DECLINED_BY_PATIENT', 'Declined by the patient', 'Afslået af borgeren'],
    ['NO_ANSWER', 'No answer', 'Intet svar'],
    ['OTHER', 'Other', 'Andet']
  ],
  'order-status': [
    ['DRAFT', 'Draft', 'Kladde'],
    ['SUBMITTED', 'Submitted', 'Bestilt'],
    ['ACCEPTED', 'Accepted', 'Accepteret'],
    ['REJECTED', 'Rejected', 'Afvist'],
    ['FULFILLED', 'Fulfilled', 'Udført'],
    ['CANCELLED', 'Cancelled', 'Annulleret']
  ],
  'party-role': [
    ['BUYER', 'Buyer', 'Køber'],
    ['SELLER', 'Seller', 'Leverandør'],
    ['ACCOUNTING', 'Accounting', 'Betaler']
  ],
  'service-type': [
    ['DELIVER', 'Delivery', 'Levering'],
    ['PICKUP', 'Pickup', 'Afhentning'],
    ['INSTALL', 'Installation', 'Installation'],
    ['TRAINING', 'Training', 'Oplæring'],
    ['RE-TRAINING', 'Re-training', 'Fornyet oplæring'],
    ['REPAIR', 'Repair', 'Reparation'],
    ['MAINTENANCE', 'Maintenance', 'Vedligeholdelse'],
    ['REPLACE', 'Replacement', 'Ombytning'],
    ['CALIBRATION', 'Calibration', 'Kalibrering'],
    ['SUPPORT', 'Support in usage', 'Hjælp til brug']
  ],
  'subscription-status-reason': [
    ['attempts-exhausted', 'Deliveries failed too often', 'Leveringerne mislykkedes for mange gange'],
    [
      'cursor-too-old',
      'Events that were not delivered are no longer kept',
      'Hændelser, der ikke er leveret, gemmes ikke længere'
    ],
    ['gone', 'The target no longer exists', 'Modtageren findes ikke længere'],
    [
      'ORGANIZATION_REPLACED',
      'The organization was replaced by another one',
      'Organisationen er afløst af en anden'
    ]
  ]
}

/** The sets with codes of other systems, by name and URL of the system. */
const otherSets: Readonly<Record<string, Readonly<Record<string, Codes>>>> = {
  'device-calibration-type': {
    'http://hl7.org/fhir/metric-calibration-type': [
      ['unspecified', 'Unspecified', 'Ikke angivet'],
      ['offset', 'Offset', 'Nulpunkt'],
      ['gain', 'Gain', 'Forstærkning'],
      ['two-point', 'Two Point', 'To punkter']
    ]
  },
  'device-measurement-type': {
    'urn:oid:1.2.208.176.2.1': [
      ['DNK05472', 'Systolic blood pressure;Arm', 'Systolisk blodtryk;Arm'],
      ['DNK05473', 'Diastolic blood pressure;Arm', 'Diastolisk blodtryk;Arm'],
      ['NPU03011', 'O2 saturation;Hb(aB)', 'O2-mætning;Hb(aB)'],
      ['NPU21692', 'Pulse;Heart', 'Puls;Hjerte'],
      ['NPU03804', 'Body mass;Patient', 'Legemsvægt;Patient'],
      ['NPU27281', 'Body mass index;Patient', 'Body mass index;Patient'],
      ['NPU03794', 'Body height;Patient', 'Legemshøjde;Patient'],
      ['NPU08676', 'Body temperature;Patient', 'Legemstemperatur;Patient']
    ],
    'urn:oid:1.2.208.184.100.8': [
      ['MCS88015'],
      ['MCS88016'],
      ['MCS88017'],
      ['MCS88021'],
      ['MCS88023'],
      ['MCS88137']
    ],
    'http://loinc.org': [
      ['72287-6'],
      ['39126-8', 'Length of Wound', 'Sårets længde'],
      ['39125-0', 'Width of Wound', 'Sårets bredde'],
      ['39127-6', 'Depth of Wound', 'Sårets dybde'],
      ['89260-4', 'Area of Wound', 'Sårets areal']
    ]
  },
  'device-measurement-unit': {
    'urn:oid:1.2.208.176.2.1': [
      ['NPU03011', 'O2 saturation;Hb(aB)', 'O2-mætning;Hb(aB)'],
      ['NPU21692', 'Pulse;Heart', 'Puls;Hjerte'],
      ['NPU03804', 'Body mass;Patient', 'Legemsvægt;Patient']
    ]
  },
  'device-metric-category': {
    'http://hl7.org/fhir/metric-category': [
      ['measurement', 'Measurement', 'Måling'],
      ['setting', 'Setting', 'Indstilling'],
      ['calculation', 'Calculation', 'Beregning'],
      ['unspecified', 'Unspecified', 'Ikke angivet']
    ]
  },
  'device-type': {
    'http://snomed.info/sct': [
      ['59181002', 'Oxygen analyser', 'Iltmåler'],
      ['258057004', 'Non-invasive blood pressure monitor', 'Non-invasiv blodtryksmåler'],
      ['19892000', 'Scale', 'Vægt'],
      ['1187059002', 'Smartphone', 'Smartphone']
    ]
  }
}

/** The base of the URLs of built-in sets. In responses the base of the settings replaces it. */
export const BUILT_IN_BASE = 'https://valuesets.example/vs'

const urlOf = (name: string) => `${BUILT_IN_BASE}/${name}`

/** The built-in value sets, as FHIR resources. */
export function builtInResources(): FolderResources {
  const codes = [
    ...Object.entries(ownSets).map(([name, own]) => ({ name, systems: { [urlOf(name)]: own } })),
    ...Object.entries(otherSets).map(([name, systems]) => ({ name, systems }))
  ].map(({ name, systems }) => valueSetOf(name, Object.entries(systems).map(includeOf)))
  const union = annotationSets.filter((name) => name !== ALL_ANNOTATIONS_SET)
  const unionSet = valueSetOf(
    ALL_ANNOTATIONS_SET,
    union.map((name) => ({ valueSet: [urlOf(name)] }))
  )
  return {
    sets: [...codes, unionSet].map((document) => ({ location: 'built-in', document })),
    systems: []
  }
}

const valueSetOf = (
  name: string,
  include: NonNullable<ValueSetDocument['compose']>['include']
): ValueSetDocument => ({
  resourceType: 'ValueSet',
  url: urlOf(name),
  language: 'en',
  compose: { include }
})

const includeOf = ([system, codes]: [string, Codes]) => ({
  system,
  concept: codes.map(([code, display, danish]) => ({
    code,
    ...(display === undefined ? {} : { display }),
    ...(danish === undefined ? {} : { designation: [{ language: 'da', value: danish }] })
  }))
})
