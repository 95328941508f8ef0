import { beforeEach, describe, expect, test } from 'vitest'
import { fromId } from '../../src/platform/lib/id.ts'
import { assertNoContent } from '../support/audit.ts'
import { closeAfterAll } from '../support/close-after-all.ts'
import { sharedServer } from '../support/shared-server.ts'
import { adminClient, expectError, type Json } from './client.ts'
import type { Send } from './recorded-change.ts'
import { apply, CHANGES, filled, prepare } from './recorded-changes.ts'

let workspace: string
const server = await closeAfterAll(sharedServer())
const admin = adminClient(server)
beforeEach(async () => {
  workspace = await admin.workspace()
})

describe.each(CHANGES)('$action ($fields)', (change) => {
  const { action, recordedId, fields, hidden, listPath } = change
  const send: Send = async (method, path, json) => {
    const { status, text, body } = await admin.send(method, path, json, { workspace })
    expect(status, text).toBeLessThan(300)
    return body
  }

  test('recorded with operator and fields, and without values', async () => {
    const given = await prepare(change, send, workspace)
    const count = (await recordsOf(action)).length
    const result = await apply(change, given, send)
    const records = await recordsOf(action)
    expect(records).toHaveLength(count + 1)
    const [record] = records
    const objectId = result?.id ?? result?.data?.[0]?.document_id ?? given?.id ?? workspace
    expect(record).toMatchObject({ endpoint: 'admin', application_id: null, status: 200, stages: [], decision: null })
    // A roll back also names the earlier version (policy-sets.test.ts), and a failed upload its code (document-uploads.test.ts).
    const { restores: _, failure: __, ...facts } = record.change
    expect(facts).toEqual({
      action,
      object_type: action.split('.')[0],
      object_id: recordedId instanceof RegExp ? expect.stringMatching(recordedId) : filled(recordedId ?? objectId, given),
      fields,
    })
    expect(record.user.id).toBe(await operatorHash())
    assertNoContent(record, [...hidden, server.demo.admin_token, ...[result?.key, result?.token].filter(Boolean)])
  })

  test('503 without effect when it cannot be recorded', async () => {
    const given = await prepare(change, send, workspace)
    const list = () => admin.get(filled(listPath, given), { workspace })
    const before = await list()
    await breakChain(workspace)
    await apply(change, given, async (method, path, json) => {
      expectError(await admin.send(method, path, json, { workspace }), 'UNAVAILABLE')
    })
    expect(await list()).toEqual(before)
  })
})

/** Without failures of uploads that a retry queued: they are read in the background. */
const recordsOf = async (action: string): Promise<Json[]> =>
  (await admin.records(100, { workspace })).filter(({ change }) => change.action === action || change.action !== 'document.fail')

/** Removes the head of the Workspace's audit log, so that no record can be appended. */
const breakChain = async (workspaceId: string): Promise<void> => {
  await server.context.db
    .deleteFrom('audit_head')
    .where('workspace_id', '=', fromId('ws', workspaceId) ?? '')
    .execute()
}

async function operatorHash(): Promise<string | null> {
  const tokens = await admin.get('/tokens?limit=100')
  const { hasher } = await server.context.workspaceKeys.get(workspace)
  return hasher.user(tokens.data[0].id)
}

test('audit log: starts with the creation of the Workspace', async () => {
  const [record, ...others] = await admin.records(100, { workspace })
  expect(others).toEqual([])
  expect(record.integrity.sequence).toBe(1)
  expect(record.change).toEqual({ action: 'workspace.create', object_type: 'workspace', object_id: workspace, fields: ['name'] })
})

test('audit log: refused changes are not recorded', async () => {
  const count = (await admin.records(100)).length
  expectError(await admin.send('POST', '/applications', { name: 'support' }), 'CONFLICT', 'name')
  expectError(await admin.send('POST', '/users', { id: 'alice', username: 'another' }), 'CONFLICT', 'id')
  expectError(await admin.send('POST', '/users', { id: 'another', username: 'alice' }), 'CONFLICT', 'username')
  expectError(await admin.send('POST', '/providers', { id: 'demo', kind: 'stub' }), 'CONFLICT', 'id')
  expectError(await admin.send('PATCH', '/providers/unknown', {}), 'NOT_FOUND')
  expectError(await admin.send('POST', '/keys/key_01h455vb4pex5vsknk084sn02q/revoke'), 'NOT_FOUND')
  expect(await admin.records(100)).toHaveLength(count)
})

test('audit log: lists are not recorded', async () => {
  const count = (await admin.records(100)).length
  for (const path of ['/applications', '/users', '/providers', '/policy-sets', '/audit', '/tokens']) await admin.get(path)
  expect(await admin.records(100)).toHaveLength(count)
})

test('audit log: concurrent changes are all recorded in one unbroken chain', async () => {
  const names = Array.from({ length: 20 }, (_, index) => `at once ${index}`)
  await Promise.all(names.map((name) => admin.create('/applications', { name }, { workspace })))
  const records = await admin.records(100, { workspace })
  expect(records.map(({ integrity }) => integrity.sequence)).toEqual(Array.from({ length: 21 }, (_, index) => 21 - index))
  expect((await admin.post('/audit/verify', {}, { workspace })).ok).toBe(true)
})
