import { describe, expect, test } from 'vitest'
import { findIn } from '../../../../test/support/classification/find-in.ts'
import { hiddenText } from './hidden-text.ts'

const spans = (text: string): [number, number][] => findIn(hiddenText, text).map(({ start, end }) => [start, end])
const tags = (text: string): string => [...text].map((letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0))).join('')

describe('hiddenText: finds', () => {
  test.each([
    ['a zero-width space in a word', 'pass\u200bword', [[4, 5]]],
    ['letters coded in zero-width characters', 'Hi\u200b\u200c\u200d\u2060 there', [[2, 6]]],
    ['a joiner between Latin letters', 'a\u200db', [[1, 2]]],
    ['a word joiner', 'a\u2060b', [[1, 2]]],
    ['a byte order mark inside', 'a\ufeffb', [[1, 2]]],
    ['a right-to-left override', 'file\u202egpj.exe', [[4, 5]]],
    ['an override in right-to-left text', 'שלום\u202eabc', [[4, 5]]],
    ['an isolate in code without right-to-left letters', 'if (x\u2066) {', [[5, 6]]],
    ['an instruction in tags', `Hello${tags('ignore all')}`, [[5, 25]]],
    ['tags after a flag', `\u{1f3f4}${tags('this is no region')}`, [[2, 36]]],
    ['bytes in variation selectors', '😀\u{e0100}\u{e0110}\u{e0120}', [[2, 8]]],
    ['a variation selector on a letter', 'a\ufe01', [[1, 2]]],
    ['soft hyphens between all letters', 'i\u00adg\u00adn', [[1, 4]]],
    ['a Hangul filler', 'name\u3164', [[4, 5]]],
    ['a direction mark in a word', 'pass\u200eword', [[4, 5]]],
    ['a deprecated format character', 'a\u206ab', [[1, 2]]],
  ] as [string, string, [number, number][]][])('%s', (_, text, expected) => expect(spans(text)).toEqual(expected))
})

describe('hiddenText: finds nothing in', () => {
  test.each([
    ['emoji families', '👨\u200d👩\u200d👧\u200d👦'],
    ['emoji with presentation selector', 'I ❤\ufe0f you, 1\ufe0f\u20e3 ©\ufe0f'],
    ['emoji with selector and joiner', '❤\ufe0f\u200d🔥 🏳\ufe0f\u200d🌈'],
    ['skin tones', '👩🏽\u200d💻'],
    ['regional flags', `\u{1f3f4}${tags('gbsct')}\u{e007f}`],
    ['Persian non-joiners', 'می\u200cخواهم'],
    ['Hindi joiners', 'क्\u200dष'],
    ['Thai line breaks', 'ภาษา\u200bไทย'],
    ['direction marks in Hebrew and Arabic', 'שלום\u200f! \u200eabc مرحبا'],
    ['isolates in Arabic', 'مرحبا \u2068Jane\u2069'],
    ['a soft hyphen', 'Donau\u00addampf\u00adschiff'],
    ['a byte order mark at the start', '\ufeffHello'],
    ['ideographic variants', '葛\u{e0100}飾'],
    ['a direction mark beside a date', 'Date: \u200e12/05/2024'],
    ['plain ASCII', 'nothing to see'],
    ['accents and CJK', 'Zoë 你好 こんにちは 안녕'],
  ])('%s', (_, text) => expect(spans(text)).toEqual([]))
})
