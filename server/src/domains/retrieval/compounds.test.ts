import { describe, expect, test } from 'vitest'
import { cpuMs } from '../../../test/support/cpu-time.ts'
import { type Language, termOf } from './language.ts'

const termsOf = (language: Language, words: string): string[] => words.split(' ').map((word) => termOf(word, language).text)
const partsOf = (language: Language, word: string): readonly string[] => termOf(word, language).parts

describe('parts of compounds', () => {
  test.each([
    ['de', 'Krankenversicherungsbeitrag', 'kranken versicherung beitrag'],
    ['de', 'Krankenversicherungsbeiträge', 'Kranken Versicherungen Beiträge'],
    ['de', 'Reisekostenabrechnungen', 'Reise Kosten Abrechnung'],
    ['de', 'Kündigungsfristen', 'Kündigung Frist'],
    ['de', 'Arbeitsunfähigkeitsbescheinigung', 'Arbeit Unfähigkeit Bescheinigung'],
    ['de', 'Mietverträge', 'Miete Vertrag'],
    ['de', 'Straßenverkehr', 'Strassen Verkehr'],
    ['de', 'Strassenverkehr', 'Straße Verkehr'],
    ['nl', 'zorgverzekering', 'zorg verzekering'],
    ['nl', 'Arbeidsovereenkomsten', 'arbeid overeenkomst'],
    ['nl', 'reiskostenvergoeding', 'reis kosten vergoeding'],
    ['sv', 'sjukförsäkring', 'sjuk försäkring'],
    ['sv', 'sjukförsäkringarna', 'sjuk försäkringar'],
    ['sv', 'anställningsavtal', 'anställning avtal'],
    ['sv', 'arbetsgivare', 'arbete givare'],
    ['sv', 'semesteransökan', 'semester ansökan'],
  ] as const)('%s: %s', (language, compound, parts) => {
    expect(partsOf(language, compound)).toEqual(termsOf(language, parts))
  })

  test.each([
    ['de', 'Versicherung Beitrag Verlagerung Vorstellung Mitarbeiter Unternehmen Gesellschaft Wirtschaft Freundschaft Bedienung'],
    ['de', 'International Interesse Parameter wahrscheinlich angeboten romantisch vereinbart beinhaltet traditionelles'],
    ['nl', 'verzekering verandering samenwerking bijeenkomst eigenlijk persoonlijk overeenkomst bestelling levering bestuur'],
    ['sv', 'försäkring förändring utveckling möjligheter säkerhet erfarenhet behandling naturligtvis information anställning'],
  ] as const)('%s: words that are no compounds have no parts: %s', (language, words) => {
    expect(words.split(' ').filter((word) => partsOf(language, word).length > 0)).toEqual([])
  })

  test.each(['en', 'fr', 'none', 'zh'] as const)('%s: compounds are not split', (language) => {
    expect(partsOf(language, 'Krankenversicherungsbeitrag')).toEqual([])
  })

  test('splitting long words takes little time', () => {
    const words = Array.from(
      { length: 200 },
      (_, at) => `${'kunden'.repeat(10)}${String.fromCharCode(97 + (at % 26), 97 + (at % 25))}ung`,
    )
    partsOf('de', 'Kundendienst')
    expect(cpuMs(() => words.forEach((word) => void partsOf('de', word)))).toBeLessThan(1_000)
  })
})
