import { expect, test } from 'vitest'
import { fromId, newId, newUuid, toId } from './id.ts'

test('ids: fromId returns the UUID that toId encoded', () => {
  for (let i = 0; i < 100; i++) {
    const uuid = newUuid()
    expect(fromId('aud', toId('aud', uuid))).toBe(uuid)
  }
})

test('ids: sort in the order of their creation', () => {
  const ids = Array.from({ length: 1_000 }, () => newId('rev'))
  expect(ids.toSorted()).toEqual(ids)
})

test.each([
  '',
  'aud_',
  'rev_01h455vb4pex5vsknk084sn02q',
  'aud_01H455VB4PEX5VSKNK084SN02Q',
  `aud_${'z'.repeat(26)}`,
  `aud_${'i'.repeat(26)}`,
])('fromId: undefined for the invalid id %j', (id) => expect(fromId('aud', id)).toBeUndefined())

test('ids: equal the examples of the TypeID specification', () => {
  expect(toId('user', '01890a5d-ac96-774b-bcce-b302099a8057')).toBe('user_01h455vb4pex5vsknk084sn02q')
  expect(toId('x', 'ffffffff-ffff-ffff-ffff-ffffffffffff')).toBe('x_7zzzzzzzzzzzzzzzzzzzzzzzzz')
  expect(fromId('x', 'x_7zzzzzzzzzzzzzzzzzzzzzzzzz')).toBe('ffffffff-ffff-ffff-ffff-ffffffffffff')
})
