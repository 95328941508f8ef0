import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import type { AuditRecord } from '../../src/domains/audit/record/record.ts'
import { canonicalJson } from '../../src/platform/lib/canonical-json.ts'
import { closeAfterAll } from '../support/close-after-all.ts'
import { expectSuccess } from '../support/gateway-client.ts'
import { sharedGoverned } from '../support/shared-server.ts'

const governed = await closeAfterAll(sharedGoverned())

const HEX = /\b[0-9a-f]{64}\b/g
const hmac = (key: Buffer, text: string): string => createHmac('sha256', key).update(text).digest('hex')
const MALLORY = { user: { id: 'mallory' }, session_id: 'afternoon' }

/** The text of the request hash of a review item (domains/review/request-hash.ts), built from values that the client knows. */
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

test('request hash: cannot be computed with hashes of records that a client can read', async () => {
  const held = await governed.holdPrompt('juniper-hold', { more: { governance: MALLORY } })
  const { token } = await governed.application({ settings: { memory: { enabled: true, capture: 'explicit' } } })
  // The text names the purpose of the key. A memory may contain a space.
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
