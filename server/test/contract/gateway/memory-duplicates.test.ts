import { describe, expect, test } from 'vitest'
import { expectSuccess } from '../../support/gateway-client.ts'
import { createMemoryFixture } from '../../support/memory-fixture.ts'
import { word } from '../../support/scripted-provider.ts'
import { clock, governed } from '../shared-server.ts'
import { MARA, NOOR, tokenOf } from './retrieval-client.ts'

describe('memory: duplicates and superseded memories', async () => {
  const memoryFixture = await createMemoryFixture(governed)
  test.each([
    ['the same', (text: string) => text],
    ['case', (text: string) => text.toUpperCase()],
    ['white space', (text: string) => `  ${text.replaceAll(' ', ' \n\t ')} `],
    ['punctuation at the ends', (text: string) => `"${text}!"`],
    ['another encoding of a character', (text: string) => text.replace('é', 'e\u0301')],
  ])('duplicates: the same owner and normalised content (%s) return the existing memory_id [GW-MEMC-9]', async (_, again) => {
    const content = `The café is ${word()}`
    const id = await memoryFixture.store(content, {}, MARA)
    const body = expectSuccess(await memoryFixture.capture(again(content), {}, MARA))
    expect(body).toMatchObject({ stored: true, memory_id: id, mode: 'active' })
    expect(await memoryFixture.hits(content.split(' ').at(-1) ?? '')).toHaveLength(1)
  })
  test('duplicates: another owner gets another memory [GW-MEMC-9]', async () => {
    const content = `likes ${word()}`
    const ids = [
      await memoryFixture.store(content, { scope: 'user' }, MARA),
      await memoryFixture.store(content, { scope: 'user' }, NOOR),
      await memoryFixture.store(content, { scope: 'session' }, { ...MARA, session: 'morning' }),
      await memoryFixture.store(content, {}, MARA),
    ]
    expect(new Set(ids).size).toBe(4)
  })
  test('duplicates: one more name, number or “not” makes another memory', async () => {
    const subject = word()
    const contents = [
      `${subject} costs 5 euros`,
      `${subject} costs 6 euros`,
      `${subject} does not cost 5 euros`,
      `${subject} costs 5 dollars`,
    ]
    const ids = await Promise.all(contents.map((content) => memoryFixture.store(content)))
    expect(new Set(ids).size).toBe(4)
    expect((await memoryFixture.texts(subject)).toSorted()).toEqual(contents.toSorted())
  })
  test('duplicates: a stricter classification replaces the stored one', async () => {
    const subject = word()
    const id = await memoryFixture.store(`about ${subject}`, { classification: 'public' })
    expect(await memoryFixture.store(`About ${subject}.`, { classification: 'confidential' })).toBe(id)
    expect(await memoryFixture.texts(subject)).toEqual([])
    expect(await memoryFixture.store(`about ${subject}`, { classification: 'public' })).toBe(id)
    expect(await memoryFixture.hits(subject, {}, { userToken: tokenOf('carol') })).toMatchObject([
      { classification: 'confidential' },
    ])
  })
  test.each([
    ['The price of the train from Berlin to Paris is 100 euro', 'The price of the train from Paris to Berlin is 140 euro'],
    ['The fee of plan A is 10 euro', 'The fee of the plan is 20 euro'],
    ['My budget is 100 euro', 'Our budget is 900 euro'],
    ['The version of C++ is 20', 'The version of C# is 12'],
    ['Server A is down', 'The server is down'],
    ['Send all invoices to US', 'Send all invoices to us'],
  ])('superseded: %j is kept beside %j [GW-MEMC-15]', async (one, other) => {
    const user = { user: { id: word() } }
    await memoryFixture.store(one, { scope: 'user' }, user)
    await memoryFixture.store(other, { scope: 'user' }, user)
    const hits = (await memoryFixture.hits(`${one} ${other}`, {}, user)).filter(({ scope }) => scope === 'user')
    expect(hits.map(({ content }) => content).toSorted()).toEqual([one, other].toSorted())
  })
  test('superseded: a new value of the same subject replaces the old memory', async () => {
    const user = { user: { id: word() } }
    const first = await memoryFixture.store('My favourite tea is Assam.', { scope: 'user', kind: 'preference' }, user)
    const second = await memoryFixture.store('My favourite tea is Darjeeling.', { scope: 'user', kind: 'preference' }, user)
    expect(second).not.toBe(first)
    expect(await memoryFixture.texts('favourite tea', {}, user)).toEqual(['My favourite tea is Darjeeling.'])
    expect(await memoryFixture.texts('Assam', {}, user)).toEqual([])
    const old = expectSuccess(await governed.admin('GET', `/memories/${first}`))
    expect(old).toMatchObject({ content: 'My favourite tea is Assam.', superseded_by: second })
  })
  test("superseded: another owner's memory of the same subject stays", async () => {
    const [one, other] = [{ user: { id: word() } }, { user: { id: word() } }]
    await memoryFixture.store('My favourite tea is Assam.', { scope: 'user' }, one)
    await memoryFixture.store('My favourite tea is Darjeeling.', { scope: 'user' }, other)
    expect(await memoryFixture.texts('favourite tea', {}, one)).toEqual(['My favourite tea is Assam.'])
  })
  test('superseded: an audit_only memory replaces no active one', async () => {
    const user = { user: { id: word() } }
    await memoryFixture.store('My favourite tea is Assam.', { scope: 'user' }, user)
    expectSuccess(await memoryFixture.capture('My favourite tea is Darjeeling. juniper-memory-audit', { scope: 'user' }, user))
    expect(await memoryFixture.texts('favourite tea', {}, user)).toEqual(['My favourite tea is Assam.'])
  })
  test('duplicates: audit_only and active memories of the same content are both kept', async () => {
    const subject = word()
    const id = await memoryFixture.store(`about ${subject}`)
    expectSuccess(await memoryFixture.capture(`about ${subject}`, { summary: 'juniper-memory-audit' }))
    expect((await memoryFixture.hits(subject)).map(({ memory_id }) => memory_id)).toEqual([id])
  })
  test('duplicates: an expired memory is stored again', async () => {
    const subject = word()
    const expires_at = new Date(clock.now().getTime() + 60_000).toISOString()
    const first = await memoryFixture.store(`about ${subject}`, { expires_at })
    clock.advance(61_000)
    expect(await memoryFixture.store(`about ${subject}`)).not.toBe(first)
    expect(await memoryFixture.texts(subject)).toEqual([`about ${subject}`])
  })
})
