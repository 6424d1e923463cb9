/** The row counts of a national year. */
export interface Size {
  buyers: number
  sellers: number
  accounts: number
  catalogues: number
  items: number
  blackListEntries: number
  patients: number
  orders: number
}

const whole: Size = {
  buyers: 100,
  sellers: 90,
  accounts: 10,
  catalogues: 200,
  items: 50_000,
  blackListEntries: 20_000,
  patients: 50_000,
  orders: 200_000
}

/** A fraction of a year, with fewer parties too, so that each has as much as in the whole. */
export const sizeAt = (scale: number): Size =>
  Object.fromEntries(
    Object.entries(whole).map(([name, count]) => [name, Math.max(1, Math.round(count * scale))])
  ) as unknown as Size

export const yearBegins = Date.UTC(2025, 0, 1)
export const day = 86_400_000
export const yearEnds = yearBegins + 365 * day

/** Random numbers that repeat from a seed. */
export interface Random {
  /** From 0 to less than 1. */
  next(): number
  /** A whole number from 0 to less than `end`. */
  below(end: number): number
  pick<T>(from: readonly T[]): T
  /** Prefers the first: of a hundred the first comes up five times as often as the average. */
  pickSkewed<T>(from: readonly T[]): T
  chance(probability: number): boolean
}

/** Mulberry32: fast, and the same on every machine. */
export function seeded(seed: number): Random {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const at = <T>(from: readonly T[], share: number): T => {
    const found = from[Math.floor(share * from.length)]
    if (found === undefined) throw new Error('There is nothing to pick from.')
    return found
  }
  return {
    next,
    below: (end) => Math.floor(next() * end),
    pick: (from) => at(from, next()),
    pickSkewed: (from) => at(from, next() ** 1.5),
    chance: (probability) => next() < probability
  }
}

const hex = (value: number, digits: number) => value.toString(16).padStart(digits, '0')

/** A UUID version 7 of a moment, like the ids of the product. */
export function idAt(random: Random, milliseconds: number): string {
  const time = hex(Math.floor(milliseconds), 12)
  const a = hex(0x7000 + random.below(0x1000), 4)
  const b = hex(0x8000 + random.below(0x4000), 4)
  const c = hex(random.below(0x1000000), 6) + hex(random.below(0x1000000), 6)
  return `${time.slice(0, 8)}-${time.slice(8)}-${a}-${b}-${c}`
}

const first =
  'Alma Bo Clara Dagmar Emil Frida Gorm Helle Ivan Jytte Kaj Lise Magnus Nanna Otto Pia Rasmus Signe Tove Viggo'
const last =
  'Askov Bækgaard Dalby Elsted Fjordsen Grønlund Havbjerg Ibsager Kærholt Lundsted Mosebak Nørby Overgård Skovsen'
const streets =
  'Birkevej Egealle Fyrrevænget Havnegade Kirkestien Lærkevej Møllegade Rosenhaven Skolevej Åvænget'
const towns = 'Åstrup Bøgeby Egelund Fjordby Granslev Højmark Kildebro Lindø Nøddebo Skovkær'
const devices =
  'Blodtryksmåler Iltmåler Personvægt Termometer Spirometer Blodsukkermåler EKG-optager Tablet Sensor Nødkald'
const services = 'Levering Afhentning Oplæring Reparation Vedligehold Ombytning Kalibrering Support'
const makers =
  'Ålborg Medico|Bøgh Instruments|Nordlys Teknik|Fjord Sensorik|Kværn Medical|Solskær|Havørn Systems|Tindur'

const words = (text: string, separator = ' ') => text.split(separator)
const pools = {
  first: words(first),
  last: words(last),
  streets: words(streets),
  towns: words(towns),
  devices: words(devices),
  services: words(services),
  makers: words(makers, '|')
}

export const personName = (random: Random) => `${random.pick(pools.first)} ${random.pick(pools.last)}`
export const townName = (random: Random) => random.pick(pools.towns)
export const deviceName = (random: Random) => random.pick(pools.devices)
export const serviceName = (random: Random) => random.pick(pools.services)
export const makerName = (random: Random) => random.pick(pools.makers)
export const streetAddress = (random: Random) => `${random.pick(pools.streets)} ${1 + random.below(180)}`

export const patientUrl = (number: number) => `https://fhir.example/Patient/p${number}`
