import type { OrderLine } from '../../clients/typescript/src/index.js'
import { deskText } from './desk-texts.js'
import { numbersText } from './resource-texts.js'

/** The numbers of the device that a line delivered, and whether one is probably wrong. */
export const DeviceNumbers = ({ device }: Pick<OrderLine, 'device'>) => (
  <>
    {numbersText(device)}
    {device?.alsoInUse && <small class="late">! {deskText('alsoInUse')}</small>}
  </>
)
