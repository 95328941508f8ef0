import { describe, expect, test } from 'vitest'
import { assertNoContent } from '../../support/audit.ts'
import { dumpTables } from '../../support/dump-tables.ts'
import { expectError, expectSuccess, type GatewayResponse } from '../../support/gateway-client.ts'
import { createMemoryFixture, type MemoryRequestOptions } from '../../support/memory-fixture.ts'
import { word } from '../../support/scripted-provider.ts'
import { clock, governed } from '../shared-server.ts'
import { INJECTION, MAIL, MARA, NOOR, recordOf, reviewsOf, SECRET, tokenOf, usedStages } from './retrieval-client.ts'

describe('memory: the memory decision', () => {
  test.each([
    ['damson-escalate', 'escalate'],
    ['damson-hold', 'require_approval'],
    ['juniper-escalate', 'escalate'],
    ['juniper-hold', 'require_approval'],
  ])('%s: stores audit_only and opens an escalation [GW-MEMC-8]', async (mark, verdict) => {
    const memoryFixture = await createMemoryFixture(governed)
    const topic = word()
    const body = expectSuccess(await memoryFixture.capture(`${topic} ${mark}`, {}, MARA))
    expect(body).toMatchObject({ stored: true, mode: 'audit_only' })
    expect(body.governance.decision.verdict).toBe(verdict)
    expect(await memoryFixture.texts(topic, {}, MARA)).toEqual([])
    expect(await reviewsOf(memoryFixture, 'escalation')).toHaveLength(1)
    expect(await reviewsOf(memoryFixture, 'hold')).toEqual([])
  })
  test.each([
    ['in the content', { content: `The key is ${SECRET}` }],
    ['in the summary', { content: 'A key', summary: `It is ${SECRET}` }],
  ])('secrets are never stored: %s [GW-MEMC-10]', async (_, { content, ...more }) => {
    const memoryFixture = await createMemoryFixture(governed)
    const response = await memoryFixture.capture(content, more)
    expect([response.status, response.body.stored ?? response.body.error?.code]).toEqual([200, false])
    const tables = await dumpTables(governed.server.context.database.pool)
    expect(tables.filter(({ text }) => text.includes(SECRET)).map(({ table, column }) => `${table}.${column}`)).toEqual([])
    expect((await recordOf(memoryFixture, response)).remembered).toEqual([])
  })
  test('secrets: a redacted secret is not stored', async () => {
    const memoryFixture = await createMemoryFixture(governed)
    const topic = word()
    await memoryFixture.store(`${topic} ${MAIL} juniper-redact`)
    const [text] = await memoryFixture.texts(topic, {}, { userToken: tokenOf('carol') })
    expect(text).toBe(`${topic} [EMAIL] juniper-redact`)
  })
  test.each([
    ['redact', (text: string) => expect(text).toContain('[EMAIL]')],
    ['mask', (text: string) => expect(text).not.toContain(MAIL)],
    ['pseudonymize', (text: string) => expect(text).not.toContain(MAIL)],
  ])('%s at remember: changes the stored content and is listed', async (name, check) => {
    const memoryFixture = await createMemoryFixture(governed)
    const topic = word()
    const { governance, memory_id } = expectSuccess(await memoryFixture.capture(`${topic} ${MAIL} damson-${name}`))
    expect(governance.decision.transforms).toEqual([`${name}:pii`])
    check(String(expectSuccess(await governed.admin('GET', `/memories/${memory_id}`)).content))
  })
  test('condition: denies the capture when it fails', async () => {
    const memoryFixture = await createMemoryFixture(governed)
    expectError(await memoryFixture.capture('damson-broken'), 'POLICY_DENIED')
  })
  test('rules: can deny instructions in a memory', async () => {
    const memoryFixture = await createMemoryFixture(governed)
    expectError(await memoryFixture.capture(`damson-orders ${INJECTION}`), 'POLICY_DENIED')
    expectSuccess(await memoryFixture.capture('damson-orders and nothing else'))
  })
  test('rules: read every variable of `memory`, at remember and recall [GW-POL-17]', async () => {
    const memoryFixture = await createMemoryFixture(governed)
    const more = {
      scope: 'project',
      scope_id: 'atlas',
      kind: 'decision',
      regulations: ['gdpr'],
      expires_at: new Date(clock.now().getTime() + 3_600_000).toISOString(),
    }
    const user = { user: { id: 'mara', attributes: { projects: ['atlas'] } } }
    const verdict = async (pendingResponse: Promise<GatewayResponse>) =>
      expectSuccess(await pendingResponse).governance.decision.verdict
    expect(await verdict(memoryFixture.capture(`${word()} damson-facts`, more, user))).toBe('escalate')
    expect(await verdict(memoryFixture.capture(`${word()} damson-facts`, { ...more, kind: 'fact' }, user))).toBe('allow')
    const topic = word()
    await memoryFixture.store(`${topic} medlar-facts`, more, user)
    expect(await verdict(memoryFixture.search(topic, {}, user))).toBe('escalate')
    await memoryFixture.store(`${topic} medlar-facts`, { ...more, scope: 'user' }, NOOR)
    expect(await verdict(memoryFixture.search(topic, {}, NOOR))).toBe('allow')
  })
  test('kind decision: two captures of one subject are both kept', async () => {
    const memoryFixture = await createMemoryFixture(governed)
    await memoryFixture.store('The deadline is in May.', { kind: 'decision' })
    await memoryFixture.store('The deadline is in June.', { kind: 'decision' })
    expect(await memoryFixture.texts('deadline')).toHaveLength(2)
  })
})

describe('memory: the record of a capture', () => {
  test.each([
    ['active', ''],
    ['audit_only', 'damson-audit'],
  ])('record: has id, mode %s, keyed hash and used stages, and no content [GW-PIPE-7, GW-AUD-2]', async (mode, mark) => {
    const memoryFixture = await createMemoryFixture(governed)
    const content = `${word()} ${word()} ${mark}`.trim()
    const response = await memoryFixture.capture(content, { summary: word() }, { user: { id: word() }, session: word() })
    const { memory_id } = expectSuccess(response)
    const record = await recordOf(memoryFixture, response)
    expect(record.remembered).toEqual([{ id: memory_id, mode, hash: expect.stringMatching(/^[0-9a-f]{64}$/) }])
    assertNoContent(record as never, content.split(' ').slice(0, 2))
    expect(usedStages(record)).toBe('authenticate admit identify classify authorize remember record')
  })
  test('record: equal content has equal hashes within the Workspace [GW-AUD-4]', async () => {
    const memoryFixture = await createMemoryFixture(governed)
    const content = word()
    const hash = async (asking: MemoryRequestOptions) => {
      const { remembered } = await recordOf(memoryFixture, await memoryFixture.capture(content, { scope: 'user' }, asking))
      return (remembered as { hash: string }[])[0]?.hash
    }
    expect(await hash(MARA)).toBe(await hash(NOOR))
  })
})
