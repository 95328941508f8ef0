import { describe, expect, test } from 'vitest'
import { messenger } from './shared-messenger.ts'

describe('reactions', () => {
  const message = async () => (await messenger.say(await messenger.direct())).id
  const shown = async (id: string) => (await messenger.ann.get(`/messages/${id}`)).reactions

  test("PUT: replaces the caller's reactions without duplicates, and keeps those of other members [MSG-REACT-2, MSG-REACT-3]", async () => {
    const id = await message()
    await messenger.ben.put(`/messages/${id}`, { reactions: { heart: ['from ben', 'from ben'] } })
    await messenger.ann.put(`/messages/${id}`, { reactions: { star: ['a'], heart: ['from ann'] } })
    expect(await shown(id)).toEqual([{ heart: ['from ben', 'from ann'] }, { star: ['a'] }])
    await messenger.ann.put(`/messages/${id}`, { reactions: { moon: ['b'] } })
    expect(await shown(id)).toEqual([{ heart: ['from ben'] }, { moon: ['b'] }])
    await messenger.ann.put(`/messages/${id}`, { reactions: {} })
    expect(await shown(id)).toEqual([{ heart: ['from ben'] }])
  })
  test('PUT: the returned reactions plus a new one lose and duplicate nothing [MSG-REACT-3]', async () => {
    const id = await message()
    await messenger.ben.put(`/messages/${id}/reactions/heart`)
    const [first] = await shown(id)
    await messenger.ann.put(`/messages/${id}`, { reactions: [{ heart: [...first.heart, messenger.ann.id] }] })
    expect(await shown(id)).toEqual([{ heart: [messenger.ben.id, messenger.ann.id] }])
    await messenger.ann.put(`/messages/${id}`, { reactions: await shown(id) })
    expect(await shown(id)).toEqual([{ heart: [messenger.ben.id, messenger.ann.id] }])
  })
  test("PUT: 403 for a reaction in another member's name, and nothing changes [MSG-REACT-3]", async () => {
    const id = await message()
    await messenger.ann.put(`/messages/${id}`, { reactions: { heart: ['own'] } })
    const reactions = { heart: [messenger.ben.id] }
    await messenger.ann.expectError('FORBIDDEN', 'PUT', `/messages/${id}`, { reactions })
    expect(await shown(id)).toEqual([{ heart: ['own'] }])
  })
  test("PUT and DELETE …/reactions/:name: change the caller's reaction only, and can be repeated [MSG-REACT-4]", async () => {
    const id = await message()
    for (const person of [messenger.ann, messenger.ann, messenger.ben]) await person.put(`/messages/${id}/reactions/heart`)
    expect(await shown(id)).toEqual([{ heart: [messenger.ann.id, messenger.ben.id] }])
    await messenger.ann.remove(`/messages/${id}/reactions/heart`)
    expect(await shown(id)).toEqual([{ heart: [messenger.ben.id] }])
    await messenger.ann.expectError('NOT_FOUND', 'DELETE', `/messages/${id}/reactions/heart`)
    expect(await shown(id)).toEqual([{ heart: [messenger.ben.id] }])
  })
  test('PUT …/reactions/:name: does not change updated_at', async () => {
    const id = await message()
    expect((await messenger.ben.put(`/messages/${id}/reactions/heart`)).updated_at).toBeNull()
  })
  test('names: emoji, spaces and percent signs are kept', async () => {
    const id = await message()
    for (const name of ['🦊', 'two words', '100%', 'a/b']) {
      await messenger.ben.put(`/messages/${id}/reactions/${encodeURIComponent(name)}`)
    }
    expect((await shown(id)).flatMap(Object.keys)).toEqual(['🦊', 'two words', '100%', 'a/b'])
  })
  test('names: 400 above 64 characters and above 20 names of all members, and nothing changes [MSG-REACT-2]', async () => {
    const id = await message()
    const many = (n: number) => Object.fromEntries(Array.from({ length: n }, (_, index) => [`name ${index}`, ['x']]))
    await messenger.ann.expectError('VALIDATION_ERROR', 'PUT', `/messages/${id}`, { reactions: many(21) })
    await messenger.ann.expectError('VALIDATION_ERROR', 'PUT', `/messages/${id}`, { reactions: { ['x'.repeat(65)]: ['x'] } })
    await messenger.ann.put(`/messages/${id}`, { reactions: many(20) })
    await messenger.ben.expectError('VALIDATION_ERROR', 'PUT', `/messages/${id}/reactions/another`)
    await messenger.ben.expectError('VALIDATION_ERROR', 'PUT', `/messages/${id}`, { reactions: { another: ['x'] } })
    await messenger.ben.put(`/messages/${id}/reactions/${encodeURIComponent('name 3')}`)
    expect(await shown(id)).toHaveLength(20)
  })
})
