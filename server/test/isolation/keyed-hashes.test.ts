import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { AuditRecord } from '../../src/audit/record/record.ts'
import { canonicalJson } from '../../src/lib/canonical-json.ts'
import { fromId } from '../../src/lib/id.ts'
import { secretBox } from '../../src/lib/secret-box.ts'
import { contentOf, expectError, expectSuccess } from '../support/gateway-client.ts'
import type { Governed } from '../support/governed.ts'
import { sharedGoverned } from '../support/shared-server.ts'

let governed: Governed
beforeAll(async () => {
  governed = await sharedGoverned()
})
afterAll(() => governed.close())

const HEX = /\b[0-9a-f]{64}\b/g
const hmac = (key: Buffer, text: string): string => createHmac('sha256', key).update(text).digest('hex')
const MALLORY = { user: { id: 'mallory' }, session_id: 'afternoon' }

/** The text of the request hash of a review item (review/request-hash.ts), built from values that the client knows. */
async function bindingText(held: { id: string; prompt: string }): Promise<string> {
  const item = expectSuccess(await governed.admin('GET', `/reviews/${held.id}`))
  const { parameters } = item.content as { parameters: unknown }
  return canonicalJson({
    purpose: 'review-request-1',
    applicationId: item.application_id,
    userId: 'mallory',
    sessionId: 'afternoon',
    asked: { model: 'scripted', messages: [{ role: 'user', content: held.prompt }], parameters },
  })
}

const workspaceOf = async (id: string): Promise<string> =>
  String(expectSuccess(await governed.admin('GET', `/reviews/${id}`)).workspace_id)

/** The secret from which all keys of a Workspace are derived. */
async function workspaceSecret(workspaceId: string): Promise<Buffer> {
  const { db, secrets } = governed.server.context
  const row = await db
    .selectFrom('workspace')
    .select('hash_key')
    .where('id', '=', fromId('ws', workspaceId) ?? '')
    .executeTakeFirstOrThrow()
  return Buffer.from(secretBox(secrets.secretKey, 'workspace').open(row.hash_key, workspaceId), 'base64')
}

test('request hash: cannot be computed with hashes of records that a client can read', async () => {
  const held = await governed.holdPrompt('juniper-hold', { more: { governance: MALLORY } })
  const { token } = await governed.application({ settings: { memory: { enabled: true, capture: 'explicit' } } })
  // In older versions the hash of this text was the key. A memory may contain a space.
  const memory = { content: 'review binding', scope: 'session', kind: 'fact', classification: 'internal', governance: MALLORY }
  const captured = expectSuccess(await governed.post('/v1/memory/capture', memory, { token }))
  const record = JSON.stringify(expectSuccess(await governed.api('GET', `/v1/audit/${captured.governance.audit_id}`, { token })))
  const { request_hash } = expectSuccess(await governed.admin('GET', `/reviews/${held.id}`))
  const keys = record.match(HEX) ?? []
  expect(keys.length).toBeGreaterThan(2)
  const text = await bindingText(held)
  expect(keys.map((key) => hmac(Buffer.from(key, 'hex'), text))).not.toContain(request_hash)
})

test('record hashes: hashes differ when one text is sent in several fields', async () => {
  const text = 'swordfish'
  const app = await governed.application({ settings: { memory: { enabled: true, capture: 'explicit' } } })
  const options = { token: app.token }
  const governance = { user: { id: text }, session_id: text }
  const capture = { content: text, scope: 'session', kind: 'fact', classification: 'internal', governance }
  const captured = expectSuccess(await governed.post('/v1/memory/capture', capture, options))
  const found = expectSuccess(await governed.post('/v1/memory/search', { query: text, governance }, options))
  const ids = [captured.governance.audit_id, found.governance.audit_id]
  const records = await Promise.all(ids.map(async (id) => expectSuccess(await governed.api('GET', `/v1/audit/${id}`, options))))
  const [stored] = records as unknown as { remembered: { hash: string }[] }[]
  const [, searched] = records as unknown as { memory: { hash: string }[] }[]
  const { features, user } = records[0] as unknown as Pick<AuditRecord, 'features' | 'user'>
  const row = await governed.server.context.db
    .selectFrom('memory_item')
    .select(['content_hash', 'signature'])
    .where('content', '=', text)
    .executeTakeFirstOrThrow()
  const memory = stored?.remembered[0]?.hash
  expect(searched?.memory[0]?.hash).toBe(memory)
  const hashes = [features?.['request.session'], user?.id, memory, row.content_hash, row.signature]
  expect(hashes.every((hash) => /^[0-9a-f]{64}$/.test(String(hash)))).toBe(true)
  expect(new Set(hashes.slice(0, 4)).size).toBe(4)
})

describe('data of versions that used one key for everything', () => {
  test('older hashes: pending hold is found and released when the identical request is sent', async () => {
    const held = await governed.holdPrompt('juniper-hold', { more: { governance: MALLORY } })
    const secret = await workspaceSecret(await workspaceOf(held.id))
    const earlier = hmac(Buffer.from(hmac(secret, 'text\0review binding'), 'hex'), await bindingText(held))
    await governed.server.context.db
      .updateTable('review_item')
      .set({ request_hash: Buffer.from(earlier, 'hex') })
      .where('id', '=', fromId('rev', held.id) ?? '')
      .execute()
    const again = expectError(await governed.chat(held.prompt, { governance: MALLORY }), 'POLICY_REVIEW_PENDING')
    expect(again.review_item_id).toBe(held.id)
    await governed.decide(held.id, 'approve')
    const other = await governed.resubmit({ ...held, prompt: `${held.prompt}!` }, MALLORY)
    expect(expectError(other, 'VALIDATION_ERROR').details).toEqual({ reason: 'review_request_mismatch' })
    expect(contentOf(await governed.resubmit(held, MALLORY))).toBe(held.answer)
  })

  test("older hashes: list of a user's records holds old and new records", async () => {
    const user = { id: 'old-timer' }
    const ids: string[] = []
    for (let i = 0; i < 2; i++) {
      const sentPrompt = await governed.sendPrompt('', { more: { governance: { user } } })
      ids.push(expectSuccess(sentPrompt.response).governance.audit_id)
    }
    const { workspace_id } = await governed.record(ids[0] ?? '')
    const secret = await workspaceSecret(String(workspace_id))
    await governed.server.context.db
      .updateTable('audit_record')
      .set({ user_hash: hmac(secret, `user\0${user.id}`) })
      .where('id', '=', fromId('aud', ids[0] ?? '') ?? '')
      .execute()
    const listed = expectSuccess(await governed.admin('GET', `/audit?user=${user.id}`))
    expect(listed.data.map(({ id }) => id)).toEqual(ids.toReversed())
  })

  test('older hashes: duplicate memory is recognised when the stored hash is of an older version', async () => {
    const memory = { enabled: true, capture: 'explicit', assertion_scopes: ['application'] }
    const { token } = await governed.application({ settings: { memory } })
    const json = { content: 'Ferns are watered on Mondays', scope: 'application', kind: 'fact', classification: 'internal' }
    const capture = async () => expectSuccess(await governed.post('/v1/memory/capture', json, { token }))
    const first = await capture()
    const { workspace_id } = expectSuccess(await governed.api('GET', `/v1/audit/${first.governance.audit_id}`, { token }))
    const secret = await workspaceSecret(String(workspace_id))
    await governed.server.context.db
      .updateTable('memory_item')
      .set({ content_hash: hmac(secret, 'text\0ferns are watered on Mondays'), signature: 'gone' })
      .where('content', '=', json.content)
      .execute()
    expect((await capture()).memory_id).toBe(first.memory_id)
  })
})
