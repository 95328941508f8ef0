import { describe, expect, test } from 'vitest'
import { Random } from '../../../../test/support/classification/random.ts'
import {
  makeApiKeys,
  makeConnectionStrings,
  makeDecoys,
  makePrivateKeys,
  makeTokens,
} from '../../../../test/support/classification/secret-texts.ts'
import { SECRETS } from '../detectors.ts'
import { scan } from '../scan.ts'

const find = (text: string) => scan([text], { detectors: SECRETS, budgetMs: 60_000 }).findings[0] ?? []
const random = new Random(7)

describe('secret.api_key: finds', () => {
  test.each(Object.entries(makeApiKeys(random)))('%s', (_, key) => {
    for (const text of [key, `The key is ${key}.`, `KEY="${key}"`, `curl https://api.example.com/?key=${key}&x=1`, `(${key})`]) {
      const [finding, ...more] = find(text)
      expect(more).toEqual([])
      expect(finding).toMatchObject({ type: 'secret.api_key' })
      expect(text.slice(finding?.start, finding?.end)).toContain(key)
    }
  })

  test('a key that contains a zero-width space', () => {
    const [key] = Object.values(makeApiKeys(random))
    const text = `use ${key?.slice(0, 9)}\u200b${key?.slice(9)} today`
    expect(find(text)).toEqual([{ type: 'secret.api_key', start: 4, end: text.length - 6 }])
  })
})

describe('secret.token: finds', () => {
  test.each(Object.entries(makeTokens(random)))('%s', (_, text) => {
    expect(find(`Please use ${text}`).map(({ type }) => type)).toEqual(['secret.token'])
  })

  test('the value only, without its label', () => {
    const text = 'password = hunter2, user = jane'
    expect(find(text).map(({ start, end }) => text.slice(start, end))).toEqual(['hunter2'])
  })

  test.each([
    'DB_PASSWORD=Sup3r!',
    'das Passwort lautet geheim123!',
    'mot de passe : S3same!',
    'contraseña: abre7e',
    '{\\"password\\": \\"hunter2x\\"}',
    "config['clientSecret'] = 'a8f5f167f44f4964'",
    'export GITHUB_TOKEN=a8f5f167f44f4964e6c998de',
  ])('%s', (text) => expect(find(text)).toMatchObject([{ type: 'secret.token' }]))
})

describe('secret.connection_string: finds', () => {
  test.each(Object.entries(makeConnectionStrings(random)))('%s', (_, text) => {
    expect(find(`Connect with ${text} please`)).toMatchObject([{ type: 'secret.connection_string' }])
  })
})

describe('secret.private_key: finds', () => {
  test.each(Object.entries(makePrivateKeys(random)))('%s', (_, key) => {
    const text = `Here:\n${key}`
    expect(find(text)).toEqual([{ type: 'secret.private_key', start: 6, end: text.length }])
  })
})

test.each(Object.entries(makeDecoys(random)))('secrets: finds nothing in %s', (_, text) => expect(find(text)).toEqual([]))

test('secrets: finds nothing in ten thousand random words', () => {
  const syllables = ['ba', 'fo', 'ki', 'le', 'vu', 'ra', 'so', 'ti', 'mu', 'ze']
  const word = () => Array.from({ length: 5 }, () => random.pick(syllables)).join('')
  for (let i = 0; i < 1_000; i++) expect(find(Array.from({ length: 10 }, word).join(' '))).toEqual([])
})
