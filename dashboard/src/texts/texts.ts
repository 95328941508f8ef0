import i18next from 'i18next'
import { initReactI18next } from 'react-i18next'
import app from './en/app.json'
import ui from './en/ui.json'

/** The catalogues of the features. Each is loaded with the feature's first page. */
const catalogues = import.meta.glob<Record<string, unknown>>('../features/*/en.json', { import: 'default' })

const LANGUAGE = 'en'

void i18next.use(initReactI18next).init({
  lng: LANGUAGE,
  resources: { [LANGUAGE]: { app, ui } },
  defaultNS: 'ui',
  // React escapes texts.
  interpolation: { escapeValue: false },
})

/** Loads the catalogue of a feature, which has its folder's name. Rejects if the file cannot be loaded. */
export async function loadTexts(feature: string): Promise<void> {
  if (i18next.hasResourceBundle(LANGUAGE, feature)) return
  const catalogue = await catalogues[`../features/${feature}/${LANGUAGE}.json`]?.()
  if (catalogue) i18next.addResourceBundle(LANGUAGE, feature, catalogue)
}
