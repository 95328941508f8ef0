import { expect, test } from 'vitest'
import { countTerms } from './entries.ts'
import { compoundLanguageOf, compoundLanguagesOf, writtenLanguageOf } from './written-language.ts'

test.each([
  ['Kündigungsfrist beträgt drei Monate', 'de'],
  ['Der Mietvertrag endet im Mai', 'de'],
  ['Opzegtermijn is drie maanden voor het einde van het jaar', 'nl'],
  ['De arbeidsovereenkomst van Anna', 'nl'],
  ['Uppsägningstiden är tre månader', 'sv'],
  ['Anställningsavtalet gäller för alla', 'sv'],
  ['The notice period is three months', undefined],
  ['I understand that the background check is outstanding', undefined],
  ['Opsigelsesfristen er tre måneder for alle ansatte', undefined],
  ['Oppsigelsestiden er tre måneder, og den gjelder ikke før mai', undefined],
  ['Le délai de préavis est de trois mois pour les employés de la société', undefined],
  ['El plazo de preaviso es de tres meses para el contrato de alquiler', undefined],
  ['Il periodo di preavviso è di tre mesi', undefined],
  ['O prazo de aviso prévio é de três meses', undefined],
  ['Irtisanomisaika on kolme kuukautta ja se alkaa heti', undefined],
  ['Felmondási idő három hónap, és az ügyfél nem kap értesítést', undefined],
  ['Kira sözleşmesi ile ilgili süre üç aydır ve bir gün', undefined],
  ['Preferences: dark mode, Berlin', undefined],
  ['Budget is 500', undefined],
  ['He was in Rome', undefined],
  ['解約通知期間は3か月です', undefined],
  ['', undefined],
])('compoundLanguageOf: %s', (text, language) => {
  expect(compoundLanguageOf(text)).toBe(language)
})

test.each([
  ['Reisekostenabrechnung', ['de', 'nl', 'sv']],
  ['Abrechnung der Reisekosten', ['de', 'nl']],
  ['Wo ist die Reisekostenabrechnung?', ['de']],
  ['Reisekosten in Berlin', ['de', 'nl']],
  ['the travel expenses', []],
  ['', ['de', 'nl', 'sv']],
])('compoundLanguagesOf: %s', (query, languages) => {
  expect(compoundLanguagesOf(query)).toEqual(languages)
})

const PROSE = {
  de: 'Der Mieter muss die Kündigung schriftlich erklären, und für die Rückgabe gilt, dass die Wohnung in dem Zustand sein muss, in dem sie war.',
  nl: 'De huurder moet de opzegging schriftelijk doen. Voor de woning geldt dat deze schoon moet zijn en in de staat waarin zij was.',
  fr: 'Le locataire doit donner le congé par écrit. Pour la restitution, il faut que le logement soit propre et dans le même état.',
  en: 'The tenant must give notice in writing. The flat must be clean and in the condition in which it was when it was handed over.',
} as const

test.each(Object.entries(PROSE))('writtenLanguageOf: prose in %s shows its language', (language, text) => {
  for (const expected of ['en', 'de', 'sv'] as const) expect(writtenLanguageOf(text, expected)).toBe(language)
  for (const expected of ['none', 'ru', 'ja', 'id'] as const) expect(writtenLanguageOf(text, expected)).toBeUndefined()
})

test.each([
  '',
  'Der Mietvertrag endet im Mai',
  'e.s === t; o[e] = d.a.y; '.repeat(40),
  `${'Baker, E. D. and Ortega y Gasset, J. de la\n'.repeat(5)}Solution of equations`,
  `${PROSE.de} ${PROSE.en}`,
])('writtenLanguageOf: %j shows no language clearly', (text) => {
  expect(writtenLanguageOf(text, 'en')).toBeUndefined()
})

test('countTerms: a German text in an English partition has the parts of its compounds as English terms', () => {
  const entry = { id: '', title: '', text: 'Die Kündigungsfrist beträgt drei Monate.', inAnyLanguage: true }
  expect([...countTerms(entry, 'en').terms.keys()]).toEqual(
    expect.arrayContaining(['kündigungsfrist', 'kündigung', 'frist', 'beträgt', 'drei']),
  )
  expect(countTerms({ ...entry, inAnyLanguage: false }, 'en').terms.has('frist')).toBe(false)
  const english = { ...entry, text: 'The handbook of the network is a masterpiece for newcomers.' }
  expect(countTerms(english, 'en')).toEqual(countTerms({ ...english, inAnyLanguage: false }, 'en'))
})
