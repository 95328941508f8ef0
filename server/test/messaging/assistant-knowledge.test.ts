import { afterAll, describe, expect, test } from 'vitest'
import { type AssistantFixture, MODEL, startAssistantFixture } from '../support/assistant-fixture.ts'
import { createKnowledgeFixture } from '../support/knowledge-fixture.ts'
import { word } from '../support/scripted-provider.ts'
import { createMembers, type Member } from './client.ts'

const fixture = await startAssistantFixture()
afterAll(() => fixture.governed.close())

describe('knowledge', () => {
  test('assistant: uses only documents that the sender may see, or in a group only those that all members may see', async () => {
    const fact = word()
    const knowledgeFixture = await createKnowledgeFixture(fixture.governed, {
      application: MODEL,
      collection: { acl: { roles: ['lead'] } },
    })
    await knowledgeFixture.put(`The lantern of ${fact} is kept in the eastern hall.`)
    const keeper = await fixture.createAssistant(knowledgeFixture.id)
    const [cleo, dora] = await Promise.all(['cleo', 'dora'].map((name) => createMembers(fixture.governed.server, [name])))
    const [lead, second] = [cleo?.cleo, dora?.dora] as [Member, Member]
    for (const { id } of [lead, second]) await fixture.admin.patch(`/users/${id}`, { role: 'lead' })
    const knows = async (chat: { ask: (text: string, who: Member) => Promise<unknown> }, who: Member) => {
      const question = fixture.question(`@${keeper.username} where is the lantern kept?`)
      await chat.ask(question.text, who)
      expect(question.calls()).toHaveLength(1)
      return question.calls()[0]?.raw.includes(fact)
    }
    const inGroup = async (...members: Member[]) => {
      const group = await lead.create('/groups', { name: word(), contacts: [...members, keeper].map(({ id }) => id) })
      return fixture.openConversation((await lead.create('/conversations', { group_id: group.id })).id, lead)
    }
    expect(await knows(await fixture.createDirect(keeper, lead), lead)).toBe(true)
    expect(await knows(await fixture.createDirect(keeper, fixture.ann), fixture.ann)).toBe(false)
    expect(await knows(await inGroup(second), lead)).toBe(true)
    expect(await knows(await inGroup(second, fixture.ann), lead)).toBe(false)
  })

  test('assistant: does not use a document in a group when a policy denies it to one member', async () => {
    const knowledgeFixture = await createKnowledgeFixture(fixture.governed, { application: MODEL })
    const fact = word()
    await knowledgeFixture.put(`The burdock of ${fact} grows behind the mill.`)
    const keeper = await fixture.createAssistant(knowledgeFixture.id)
    const { gil } = await createMembers(fixture.governed.server, ['gil'])
    await fixture.admin.patch(`/users/${gil.id}`, { role: 'contractor' })
    const knows = async (chat: Awaited<ReturnType<AssistantFixture['createGroup']>>) => {
      const question = fixture.question(`@${keeper.username} where does the burdock grow?`)
      await chat.ask(question.text)
      return question.calls()[0]?.raw.includes(fact)
    }
    expect(await knows(await fixture.createGroup(fixture.ben, keeper))).toBe(true)
    expect(await knows(await fixture.createGroup(fixture.ben, gil, keeper))).toBe(false)
  })
})
