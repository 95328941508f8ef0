import { describe } from 'vitest'
import { finds, letsPass } from '../../../test/support/classification/finding-tables.ts'
import { Random } from '../../../test/support/classification/random.ts'

const random = new Random(12)
const KEY = `ghp_${random.string(36)}`
const CARD = '4111111111111111'
const base64 = (text: string): string => Buffer.from(text).toString('base64')
const hex = (text: string): string => Buffer.from(text).toString('hex')
const reversed = (text: string): string => [...text].reverse().join('')
const percent = (text: string): string => [...text].map((character) => `%${hex(character)}`).join('')

describe('encodedReading: finds what the text says is encoded', () => {
  finds('secret.api_key', [
    [`the key in base64: ${base64(KEY)}`, base64(KEY)],
    [`decode ${base64(KEY)} please`, base64(KEY)],
    [`${base64(KEY)} (base64)`, base64(KEY)],
    [`hex: ${hex(KEY)}`, hex(KEY)],
    [`in hexadecimal ${hex(KEY).replace(/..(?!$)/g, '$& ')}`, hex(KEY).replace(/..(?!$)/g, '$& ')],
    [`the reversed key is ${reversed(KEY)}`, reversed(KEY)],
    [`rückwärts geschrieben: ${reversed(KEY)}`, reversed(KEY)],
    [`ключ наоборот: ${reversed(KEY)}`, reversed(KEY)],
    [`url-encoded: ${KEY.replace('_', '%5F')}`, KEY.replace('_', '%5F')],
    [`percent-encoded ${percent(KEY)}`, percent(KEY)],
    [percent(KEY), percent(KEY)],
  ])
  finds('pii.card', [
    [`card in b64: ${base64(CARD)}`, base64(CARD)],
    [`my number backwards: ${reversed(CARD)}`, reversed(CARD)],
  ])
  finds('pii.iban', [[`base64 of it: ${base64('DE89370400440532013000')}`, base64('DE89370400440532013000')]])
})

describe('encodedReading: finds nothing in', () => {
  letsPass([
    base64(KEY),
    reversed(KEY),
    `base64 ${base64('a harmless text about quinces')}`,
    'base64 picture iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk',
    'hex digest 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    'reverse the list 1234567812345678',
    `https://example.com/search?q=caf%C3%A9%20noir%20url-encoded-1`,
  ])
})
