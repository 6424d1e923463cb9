import ExcelJS from 'exceljs'

/**
 * A workbook of a catalogue with this many devices, 15 columns each.
 * @param statusOf the status of a device, by its number.
 */
export async function devicesWorkbook(
  size: number,
  name: string,
  statusOf: (at: number) => string = () => 'AVAILABLE'
): Promise<Buffer> {
  const book = new ExcelJS.Workbook()
  book.addWorksheet('Catalogue').addRows([
    ['Name', 'Seller', 'Status'],
    [name, 'provider', 'ACTIVE']
  ])
  const identifier = (nth: number) => [
    `Identifier system ${nth}`,
    `Identifier ${nth}`,
    `Identifier assigner ${nth}`
  ]
  const devices = book.addWorksheet('Devices')
  devices.addRow([
    ...identifier(1),
    ...identifier(2),
    ...identifier(3),
    'Name',
    'Manufacturer',
    'Model',
    'Version',
    'Description',
    'Status'
  ])
  for (let at = 0; at < size; at++)
    devices.addRow([
      ...['urn:item', `${name}-${at}`, 'provider'],
      ...['urn:gtin', `${name}-057${at}`, ''],
      ...['urn:other', `${name}-o${at}`, ''],
      ...[
        `Device ${at}`,
        `Maker ${at % 40}`,
        `Model ${at % 900}`,
        `${at % 9}.0`,
        `What device ${at} is good for`,
        statusOf(at)
      ]
    ])
  return Buffer.from(await book.xlsx.writeBuffer())
}
