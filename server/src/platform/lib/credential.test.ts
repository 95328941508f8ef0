import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { cpuMs } from '../../../test/support/cpu-time.ts'
import { newCredential, readBearer } from './credential.ts'

const { secret, hash, hint } = newCredential('gk_')

test('newCredential: has 256 random bits, their SHA-256 and a hint of seven characters', () => {
  expect(secret).toMatch(/^gk_[A-Za-z0-9_-]{43}$/)
  expect(hash).toEqual(createHash('sha256').update(secret).digest())
  expect(hint).toBe(secret.slice(0, 7))
  expect(new Set(Array.from({ length: 1_000 }, () => newCredential('ga_').secret)).size).toBe(1_000)
})

test.each([`Bearer ${secret}`, `bearer ${secret}`, `BEARER   ${secret}`])('readBearer: accepts %s', (header) => {
  expect(readBearer(header, 'gk_')).toBe(hash.toString('hex'))
})

describe('readBearer: refuses headers that cannot contain a key', () => {
  const INVALID: (string | undefined)[] = [
    undefined,
    '',
    'Bearer',
    'Bearer ',
    secret,
    `Basic ${secret}`,
    `Bearer${secret}`,
    `Bearer ${secret} extra`,
    `Bearer ${secret}, Bearer ${secret}`,
    `Bearer ${secret}x`,
    `Bearer ${secret.slice(0, -1)}`,
    `Bearer "${secret}"`,
    `Bearer\t${secret}`,
    `Bearer\n${secret}`,
    ` Bearer ${secret}`,
    `Bearer ${secret.toUpperCase()}`,
    `Bearer ${secret.replace('gk_', 'ga_')}`,
    `Bearer gk_${'é'.repeat(43)}`,
    `Bearer gk_${'\0'.repeat(43)}`,
    `Bearer gk_${'%41'.repeat(43)}`,
    `Token ${secret}`,
    `Bearer ${'a'.repeat(1_000_000)}`,
    `Bearer${' '.repeat(1_000_000)}`,
  ]
  test.each(INVALID.map((header) => [header?.slice(0, 60), header]))('%j', (_, header) => {
    expect(cpuMs(() => expect(readBearer(header, 'gk_')).toBeUndefined())).toBeLessThan(1_000)
  })
})
