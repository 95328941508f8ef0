import { expect, inject, test } from 'vitest'
import { createMembers } from '../messaging/client.ts'
import { closeAfterAll } from '../support/close-after-all.ts'
import { sharedMessagingServer } from '../support/shared-server.ts'

const CROWD = inject('isFull') ? 50 : 15

const messenger = await closeAfterAll(sharedMessagingServer())
const crowd = Object.values(
  await createMembers(
    messenger.server,
    Array.from({ length: CROWD }, (_, index) => `member${index}`),
  ),
)
const { conversation } = await messenger.group(messenger.ann, ...crowd)

test('reactions: no reaction is lost when many members react to one message at the same time', async () => {
  const { id } = await messenger.say(conversation)
  const listener = await messenger.listen(messenger.ann)
  await Promise.all(
    crowd.flatMap((member, index) => [
      index % 2
        ? member.put(`/messages/${id}/reactions/heart`)
        : member.put(`/messages/${id}`, { reactions: { heart: [member.id], star: ['twice', `of ${index}`] } }),
    ]),
  )
  const { reactions } = await messenger.ann.get(`/messages/${id}`)
  const [hearts, stars] = ['heart', 'star'].map((name) => reactions.find((one: object) => name in one)?.[name].toSorted())
  expect(hearts).toEqual(crowd.map((member) => member.id).toSorted())
  expect(stars).toEqual([...crowd.flatMap((_, index) => (index % 2 ? [] : [`of ${index}`])), 'twice'].toSorted())
  // Each change has one event, and the last event has all reactions.
  const { id: last } = await messenger.say(conversation)
  await listener.until(({ data }) => data.includes(last))
  const updates = listener.events.filter(({ type }) => type === 'message.updated')
  expect(updates).toHaveLength(CROWD)
  expect(JSON.parse(updates.at(-1)?.data ?? '').reactions).toEqual(reactions)
  listener.close()
})

test('reactions: each member has the last state when members add and remove reactions at the same time', async () => {
  const { id } = await messenger.say(conversation)
  const half = crowd.filter((_, index) => index % 2 === 0)
  await Promise.all(half.map((member) => member.put(`/messages/${id}/reactions/heart`)))
  await Promise.all(
    crowd.map((member, index) =>
      index % 2 ? member.put(`/messages/${id}/reactions/heart`) : member.remove(`/messages/${id}/reactions/heart`),
    ),
  )
  const { reactions } = await messenger.ann.get(`/messages/${id}`)
  expect(reactions[0].heart.toSorted()).toEqual(
    crowd.flatMap(({ id: memberId }, index) => (index % 2 ? [memberId] : [])).toSorted(),
  )
})

test('read markers: each marker is correct when many members mark at the same time', async () => {
  const messages = await messenger.sayAll(conversation, ['1', '2', '3'])
  const [first, , third] = messages
  await Promise.all(
    crowd.map((member, index) =>
      member.post(`/conversations/${conversation}/read`, { message_id: index === 7 ? first.id : third.id }),
    ),
  )
  const readAt = async ({ id }: { id: string }) => (await messenger.ann.get(`/messages/${id}`)).read_at
  expect(await Promise.all(messages.map(readAt))).toEqual([expect.any(Number), null, null])
  const unread = await Promise.all(crowd.map(async (member) => (await member.get(`/conversations/${conversation}`)).unread_count))
  expect(unread).toEqual(crowd.map((_, index) => (index === 7 ? 2 : 0)))
  // The last member and all others mark at the same time.
  await Promise.all(crowd.map((member) => member.post(`/conversations/${conversation}/read`, {})))
  expect(await Promise.all(messages.map(readAt))).toEqual([expect.any(Number), expect.any(Number), expect.any(Number)])
})

test('read markers: no message is unread at the end when members mark while messages arrive', async () => {
  const writers = crowd.slice(0, 5)
  await Promise.all([
    ...writers.map((writer) => messenger.sayAll(conversation, ['a', 'b', 'c', 'd'], writer)),
    ...crowd.map(async (member) => {
      for (let times = 0; times < 3; times++) await member.post(`/conversations/${conversation}/read`, {})
    }),
  ])
  await Promise.all([...crowd, messenger.ann].map((member) => member.post(`/conversations/${conversation}/read`, {})))
  for (const member of crowd) expect((await member.get(`/conversations/${conversation}`)).unread_count).toBe(0)
  const { data } = await messenger.ann.get(`/messages?conversation_id=${conversation}&limit=100`)
  expect(data.length).toBeGreaterThanOrEqual(20)
  expect(data.filter(({ read_at }: { read_at: number | null }) => read_at === null)).toEqual([])
})

test('messages: all members see one order without gap or duplicate when many members send at the same time', async () => {
  const { conversation: quiet } = await messenger.group(messenger.ann, ...crowd)
  const sent = await Promise.all(crowd.map((member) => messenger.say(quiet, `from ${member.id}`, member)))
  const read = await messenger.texts(quiet)
  expect(read.toSorted()).toEqual(sent.map(({ message }) => message).toSorted())
  for (const member of crowd.slice(0, 3)) expect(await messenger.texts(quiet, member)).toEqual(read)
})
