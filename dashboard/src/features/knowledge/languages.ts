import { useTranslation } from 'react-i18next'
import type { Collection } from '../../api/schema.d.ts'

type Language = Collection['language']

/** Languages that the index knows. */
const CODES: readonly Exclude<Language, 'none'>[] = [
  ...(['ar', 'bg', 'da', 'de', 'el', 'en', 'es', 'fi', 'fr', 'ga', 'hi', 'hu', 'hy', 'id'] as const),
  ...(['it', 'lt', 'ne', 'nl', 'no', 'pt', 'ro', 'ru', 'sa', 'sr', 'sv', 'ta', 'tr', 'uk'] as const),
  ...(['ja', 'ko', 'th', 'zh'] as const),
]

/** Options of a select input, by name. */
export function useLanguageChoices(): { value: Language; label: string }[] {
  const { t, i18n } = useTranslation('knowledge')
  const names = new Intl.DisplayNames(i18n.language, { type: 'language' })
  const known = CODES.map((code) => ({ value: code, label: names.of(code) ?? code }))
  return [...known.sort((one, other) => one.label.localeCompare(other.label)), { value: 'none', label: t('form.otherLanguage') }]
}
