import { describe, expect, test } from 'vitest'
import type { Json } from '../../admin/client.ts'
import { createMembers, type Member } from '../../messaging/client.ts'
import { word } from '../../support/scripted-provider.ts'
import { messenger, unknown } from './shared-messenger.ts'

interface List {
  readonly name: string
  /** Creates 25 objects; returns the path of their list, and their ids in the order of the list. */
  readonly fill: (reader: Member, other: Member) => Promise<{ path: string; ids: string[] }>
  /** Creates one more object, which is first in the list. */
  readonly add: (reader: Member, other: Member, path: string) => Promise<string>
  /** The id of an object of the same kind that is not in the reader's list. */
  readonly foreign: () => Promise<string>
}

const N = 25
const createAll = async (make: (index: number) => Promise<Json>): Promise<string[]> => {
  const ids: string[] = []
  for (let index = 0; index < N; index++) ids.unshift((await make(index)).id)
  return ids
}
const conversationIn = (path: string) => /conversation_id=(\w+)/.exec(path)?.[1] ?? ''

const LISTS: readonly List[] = [
  {
    name: 'conversations',
    fill: async (reader, other) => ({
      path: '/conversations?muted=false',
      ids: await createAll(() => reader.create('/conversations', { contact_id: other.id })),
    }),
    add: (reader, other) => messenger.direct(reader, other),
    foreign: () => messenger.direct(),
  },
  {
    name: 'messages of one conversation',
    fill: async (reader, other) => {
      const id = await messenger.direct(reader, other)
      return { path: `/messages?conversation_id=${id}`, ids: await createAll(() => messenger.say(id, word(), reader)) }
    },
    add: async (reader, _, path) => (await messenger.say(conversationIn(path), word(), reader)).id,
    foreign: async () => (await messenger.say(await messenger.direct())).id,
  },
  {
    name: 'messages of all conversations',
    fill: async (reader, other) => {
      const conversations = [
        await messenger.direct(reader, other),
        await messenger.direct(reader, other),
        await messenger.direct(reader, other),
      ]
      return {
        path: '/messages?',
        ids: await createAll((index) => messenger.say(conversations[index % 3] ?? '', word(), reader)),
      }
    },
    add: async (reader, other) => (await messenger.say(await messenger.direct(reader, other), word(), reader)).id,
    foreign: async () => (await messenger.say(await messenger.direct())).id,
  },
  {
    name: 'messages found by their words',
    fill: async (reader, other) => {
      const id = await messenger.direct(reader, other)
      const key = word()
      return { path: `/messages/search?q=${key}`, ids: await createAll(() => messenger.say(id, `${word()} ${key}`, reader)) }
    },
    add: async (reader, other, path) =>
      (await messenger.say(await messenger.direct(reader, other), path.split('=')[1] ?? '', reader)).id,
    foreign: async () => (await messenger.say(await messenger.direct())).id,
  },
  {
    name: 'groups',
    fill: async (reader) => ({ path: '/groups?', ids: await createAll(() => reader.create('/groups', { name: word() })) }),
    add: async (reader) => (await reader.create('/groups', { name: word() })).id,
    foreign: async () => (await messenger.group(messenger.ann)).group,
  },
]

describe.each(LISTS)('paging: $name', async ({ fill, add, foreign }) => {
  const { reader, other } = await createMembers(messenger.server, ['reader', 'other'])
  const { path, ids } = await fill(reader, other)
  const page = async (query = '') => {
    const { data, has_more } = await reader.get(`${path}${query && `&${query}`}`)
    return { ids: data.map(({ id }: { id: string }) => id), has_more }
  }

  test('page: ten objects by default, newest first, with has_more [MSG-LIST-1, MSG-LIST-2]', async () => {
    expect(await page()).toEqual({ ids: ids.slice(0, 10), has_more: true })
  })
  test('limit 1 to 100 [MSG-LIST-2]', async () => {
    for (const limit of [1, 7, N - 1, N, N + 1, 100]) {
      expect(await page(`limit=${limit}`)).toEqual({ ids: ids.slice(0, limit), has_more: limit < N })
    }
  })
  test.each([0, 101, -1, 'ten', 1.5, '', '1e1', '0x5', '%20', 'NaN', '9'.repeat(30)])(
    'limit %s is 400 [MSG-LIST-2]',
    async (limit) => {
      const { param } = await reader.expectError('VALIDATION_ERROR', 'GET', `${path}&limit=${limit}`)
      expect(param).toBe('limit')
    },
  )
  test('starting_after: reads each object once [MSG-LIST-3]', async () => {
    const read: string[] = []
    let more = true
    while (more) {
      const next = await page(`limit=4${read.length > 0 ? `&starting_after=${read.at(-1)}` : ''}`)
      read.push(...next.ids)
      more = next.has_more
    }
    expect(read).toEqual(ids)
    expect(await page(`starting_after=${ids.at(-1)}`)).toEqual({ ids: [], has_more: false })
  })
  test('ending_before: reads each object once, backwards [MSG-LIST-3]', async () => {
    let read = [ids.at(-1)]
    let more = true
    while (more) {
      const next = await page(`limit=4&ending_before=${read[0]}`)
      read = [...next.ids, ...read]
      more = next.has_more
    }
    expect(read).toEqual(ids)
    expect(await page(`ending_before=${ids[0]}`)).toEqual({ ids: [], has_more: false })
    expect(await page(`limit=3&ending_before=${ids[7]}`)).toEqual({ ids: ids.slice(4, 7), has_more: true })
  })
  test('cursor: 400 when both are given, or one is unknown, foreign or of another kind [MSG-LIST-3]', async () => {
    await reader.expectError('VALIDATION_ERROR', 'GET', `${path}&starting_after=${ids[3]}&ending_before=${ids[9]}`)
    const wrong = [await foreign(), unknown('conv'), unknown('msg'), unknown('grp'), 'nothing', '', '%00', '%F0%9F%A6%8A']
    for (const param of ['starting_after', 'ending_before']) {
      for (const id of wrong) {
        const error = await reader.expectError('VALIDATION_ERROR', 'GET', `${path}&${param}=${id}`)
        expect(error.param).toBe(param)
      }
    }
  })
  test('cursor: foreign and unknown cursors get the same response', async () => {
    const bytes = async (id: string) => (await reader.send('GET', `${path}&starting_after=${id}`)).text
    const [foreignId, unknownId] = [await foreign(), unknown('msg')]
    expect((await bytes(foreignId)).replaceAll(foreignId, unknownId)).toBe(await bytes(unknownId))
  })
  test('page: new objects do not disturb the following pages [MSG-LIST-4]', async () => {
    const first = await page('limit=10')
    const added = await add(reader, other, path)
    expect(await page(`limit=100&starting_after=${first.ids.at(-1)}`)).toEqual({ ids: ids.slice(10), has_more: false })
    const { ids: newer } = await page(`limit=100&ending_before=${ids[0]}`)
    expect(newer).toContain(added)
  })
})
