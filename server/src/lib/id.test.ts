import { expect, test } from 'vitest'
import { fromId, newId, newUuid, toId } from './id.ts'

test('an id and its UUID are two writings of one value', () => {
  for (let i = 0; i < 100; i++) {
    const uuid = newUuid()
    expect(fromId('aud', toId('aud', uuid))).toBe(uuid)
  }
})

test('ids sort in the order they were made', () => {
  const made = Array.from({ length: 1_000 }, () => newId('rev'))
  expect(made.toSorted()).toEqual(made)
})

test.each([
  '',
  'aud_',
  'rev_01h455vb4pex5vsknk084sn02q',
  'aud_01H455VB4PEX5VSKNK084SN02Q',
  `aud_${'z'.repeat(26)}`,
  `aud_${'i'.repeat(26)}`,
])('%j is no audit id', (id) => expect(fromId('aud', id)).toBeUndefined())
