import { describe, expect, test } from 'vitest'
import { neutralize } from './neutralize.ts'

describe('neutralize', () => {
  test.each([
    ['https://evil.example/a?b', 'https[:]//evil[.]example/a?b'],
    ['slack://open', 'slack[:]//open'],
    ['see www.evil.example or evil.co', 'see www[.]evil[.]example or evil[.]co'],
    ['evil\u3002example', 'evil[.]example'],
    ['[x](https://evil.example)', '[x] (https[:]//evil[.]example)'],
    ['@channel @here <@U123> jane@example.com', '[@]channel [@]here ‹[@]U123› jane[@]example[.]com'],
    ['<!channel> <https://evil.example|click>', '‹!channel› ‹https[:]//evil[.]example|click›'],
    ['http://10.0.0.5/', 'http[:]//10.0.0.5/'],
    ['//evil.example http:\\\\evil', '//evil[.]example http[:][\\\\]evil'],
    ['mailto:jane tel:+4912345 skype:bob?call', 'mailto[:]jane tel[:]+4912345 skype[:]bob?call'],
    ['\\\\evil\\share', '[\\\\]evil\\share'],
    ['cafe\u0301.example i❤.example 💩.example', 'cafe\u0301[.]example i❤[.]example 💩[.]example'],
    ['evil.\u200bexample evil\u200b.example a\u00ad.example', 'evil[.]\u200bexample evil\u200b[.]example a\u00ad[.]example'],
    ['evil\u2024example evil.①example', 'evil[.]example evil[.]①example'],
    ['\uFF20channel', '[@]channel'],
  ])('a link or mention is broken in %j', (text, safe) => expect(neutralize(text)).toBe(safe))

  test.each([
    'Budget Q3 of app_01m8 has reached 80 %',
    '$12.50 of $20.00 used',
    'Rule payments-need-approval · high risk',
    'gpt-4.1',
    'Resets at 12:30: all of it (see "Q3".)',
  ])('other text stays as it is: %s', (text) => expect(neutralize(text)).toBe(text))
})
