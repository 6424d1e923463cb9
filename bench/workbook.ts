import ExcelJS from 'exceljs'

/** A workbook of a catalogue with this many devices, 15 columns each. */
export async function devicesWorkbook(size: number, seller: string): Promise<Buffer> {
  const book = new ExcelJS.Workbook()
  book.addWorksheet('Catalogue').addRows([
    ['Name', 'Seller', 'Status'],
    ['bench', seller, 'ACTIVE']
  ])
  const systems = ['urn:item', 'urn:gtin', 'urn:other']
  const headers = [1, 2, 3].flatMap((nth) => [
    `Identifier system ${nth}`,
    `Identifier ${nth}`,
    `Identifier assigner ${nth}`
  ])
  const devices = book.addWorksheet('Devices')
  devices.addRow([...headers, 'Name', 'Manufacturer', 'Model', 'Version', 'Description', 'Status'])
  for (let at = 0; at < size; at++)
    devices.addRow([
      ...systems.flatMap((system) => [system, `057${at}`, '']),
      ...[`Device ${at}`, `Maker ${at % 40}`, `Model ${at % 900}`, `${at % 9}.0`],
      ...[`What device ${at} is good for`, 'AVAILABLE']
    ])
  return Buffer.from(await book.xlsx.writeBuffer())
}
