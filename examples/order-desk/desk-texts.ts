import { type PageTexts, translatorOf } from '../../pages/parts/texts.js'

/** Texts of the order desk. */
export const deskTexts = {
  title: { en: 'Order desk', da: 'Bestillinger' },
  introduction: {
    en: 'Order devices and services for patients at home, and follow the orders.',
    da: 'Bestil udstyr og ydelser til borgere i hjemmet, og følg bestillingerne.'
  }
} as const satisfies PageTexts

export const deskText = translatorOf(deskTexts)
