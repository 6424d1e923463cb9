import type { Random } from './random.js'

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
