import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { fromId } from '../../src/lib/id.ts'
import { assertNoContent } from '../support/audit.ts'
import type { TestServer } from '../support/server.ts'
import { sharedServer } from '../support/shared-server.ts'
import { type Admin, adminClient, type Json, refused } from './client.ts'

let server: TestServer
let admin: Admin
let workspace: string
beforeAll(async () => {
  server = await sharedServer()
  admin = adminClient(server)
})
afterAll(() => server.close())
beforeEach(async () => {
  workspace = await admin.workspace()
})

const POLICY = 'name: confidential-title\nrules: []\n'
const PROVIDER = { id: 'acme', base_url: 'https://llm.secret-host.example', api_key: 'sk-verysecret' }

interface Change {
  readonly action: string
  /** What must be there before; answers what `make` needs of it. */
  readonly given?: (send: Send) => Promise<Json>
  readonly make: (send: Send, given: Json) => Promise<Json>
  /** Id that the record tells, from what `make` has answered. */
  readonly id?: (made: Json) => string
  readonly fields: readonly string[]
  /** What the record must not tell. */
  readonly values: readonly string[]
  /** Something that shows whether the change was made. */
  readonly look: string
}

type Send = (method: string, path: string, json?: unknown) => Promise<Json>

const application = (send: Send) => send('POST', '/applications', { name: 'given' })
const provider = (send: Send) => send('POST', '/providers', PROVIDER)

const collection = (send: Send) => send('POST', '/collections', { name: 'given' })
const ingested = async (send: Send, collectionId: string, body: object): Promise<Json> => {
  const answer = await send('POST', `/collections/${collectionId}/documents`, body)
  return answer && { id: answer.data[0].document_id }
}
const document = async (send: Send) => {
  const { id: collection_id } = await collection(send)
  return {
    collection_id,
    ...(await ingested(send, collection_id, { documents: [{ key: 'plan.md', content: 'Attack at dawn.' }] })),
  }
}

const CHANGES: readonly Change[] = [
  {
    action: 'application.create',
    make: (send) =>
      send('POST', '/applications', {
        name: 'the hidden name',
        limits: { burst: 7 },
        settings: { knowledge: { enabled: true }, motto: 'be silent' },
      }),
    fields: ['name', 'limits.burst', 'settings.knowledge.enabled', 'settings'],
    values: ['the hidden name', 'motto', 'be silent'],
    look: '/applications',
  },
  {
    action: 'application.update',
    given: application,
    make: (send, { id }) => send('PATCH', `/applications/${id}`, { default_model: 'model-of-choice', ceiling: 'public' }),
    fields: ['default_model', 'ceiling'],
    values: ['model-of-choice'],
    look: '/applications',
  },
  {
    action: 'key.issue',
    given: application,
    make: (send, { id }) => send('POST', `/applications/${id}/keys`, { name: 'the nightly job' }),
    fields: ['name'],
    values: ['the nightly job'],
    look: '/applications',
  },
  {
    action: 'key.revoke',
    given: async (send) => send('POST', `/applications/${(await application(send)).id}/keys`, { name: 'the nightly job' }),
    make: (send, { id }) => send('POST', `/keys/${id}/revoke`),
    fields: ['revoked_at'],
    values: ['the nightly job'],
    look: '/applications',
  },
  {
    action: 'user.create',
    make: (send) => send('POST', '/users', { id: 'jane.roe', username: 'Jane Roe', attributes: { salary: 'enormous' } }),
    id: () => '',
    fields: ['id', 'username', 'attributes'],
    values: ['jane.roe', 'Jane Roe', 'salary', 'enormous'],
    look: '/users',
  },
  {
    action: 'user.update',
    given: (send) => send('POST', '/users', { id: 'john.doe', username: 'John Doe' }),
    make: (send) => send('PATCH', '/users/john.doe', { role: 'commander' }),
    id: () => '',
    fields: ['role'],
    values: ['john.doe', 'commander'],
    look: '/users',
  },
  {
    action: 'provider.create',
    make: provider,
    fields: ['id', 'base_url', 'api_key'],
    values: ['secret-host', 'sk-verysecret'],
    look: '/providers',
  },
  {
    action: 'provider.update',
    given: provider,
    make: (send) => send('PATCH', '/providers/acme', { headers: { 'x-team': 'research-team' }, timeout_ms: 4321 }),
    fields: ['headers', 'timeout_ms'],
    values: ['x-team', 'research-team', '4321'],
    look: '/providers',
  },
  {
    action: 'provider.delete',
    given: provider,
    make: (send) => send('DELETE', '/providers/acme'),
    id: () => 'acme',
    fields: [],
    values: ['secret-host'],
    look: '/providers',
  },
  {
    action: 'model.put',
    given: provider,
    make: (send) => send('PUT', '/providers/acme/models/org%2Fsmall', { upstream_name: 'internal-name' }),
    id: () => 'acme/org/small',
    fields: ['upstream_name'],
    values: ['internal-name'],
    look: '/providers/acme/models',
  },
  {
    action: 'model.put',
    given: provider,
    make: (send) => send('POST', '/providers/acme/models', { models: [{ id: 'small' }, { id: 'large', input_price: 12.25 }] }),
    id: () => 'acme',
    fields: ['models.small', 'models.large'],
    values: ['12.25'],
    look: '/providers/acme/models',
  },
  {
    action: 'model.delete',
    given: async (send) => {
      await provider(send)
      await send('PUT', '/providers/acme/models/small', {})
    },
    make: (send) => send('DELETE', '/providers/acme/models/small'),
    id: () => 'acme/small',
    fields: [],
    values: [],
    look: '/providers/acme/models',
  },
  {
    action: 'policy_set.publish',
    make: (send) => send('POST', '/policy-sets', { source: POLICY }),
    fields: ['source'],
    values: ['confidential-title'],
    look: '/policy-sets',
  },
  {
    action: 'policy_set.publish',
    given: async (send) => {
      const first = await send('POST', '/policy-sets', { source: POLICY })
      await send('POST', '/policy-sets', { source: POLICY })
      return first
    },
    make: (send, { id }) => send('POST', `/policy-sets/${id}/publish`),
    fields: ['active'],
    values: ['confidential-title'],
    look: '/policy-sets',
  },
  {
    action: 'admin_token.issue',
    make: (send) => send('POST', '/tokens', { name: 'the second admin' }),
    fields: ['name', 'scopes'],
    values: ['the second admin'],
    look: '/tokens?limit=100',
  },
  {
    action: 'admin_token.revoke',
    given: (send) => send('POST', '/tokens', { name: 'the third admin' }),
    make: (send, { id }) => send('POST', `/tokens/${id}/revoke`),
    fields: ['revoked_at'],
    values: ['the third admin'],
    look: '/tokens?limit=100',
  },
  {
    action: 'collection.create',
    make: (send) =>
      send('POST', '/collections', { name: 'the secret plans', classification: 'internal', acl: { users: ['jane.roe'] } }),
    fields: ['name', 'classification', 'acl.users'],
    values: ['secret plans', 'jane.roe'],
    look: '/collections',
  },
  {
    action: 'collection.update',
    given: collection,
    make: (send, { id }) =>
      send('PATCH', `/collections/${id}`, { description: 'for insiders', acl: 'everyone', applications: [] }),
    fields: ['description', 'acl', 'applications'],
    values: ['insiders', 'everyone'],
    look: '/collections',
  },
  {
    action: 'collection.delete',
    given: collection,
    make: async (send, { id }) => {
      await send('DELETE', `/collections/${id}`)
      return { id }
    },
    fields: [],
    values: [],
    look: '/collections',
  },
  {
    action: 'document.create',
    given: collection,
    make: (send, { id }) => ingested(send, id, { documents: [{ key: 'plan.md', content: 'Attack at dawn.' }], acl: 'everyone' }),
    fields: ['content', 'acl'],
    values: ['plan.md', 'Attack at dawn', 'everyone'],
    look: '/documents',
  },
  {
    action: 'document.update',
    given: document,
    make: (send, { collection_id }) =>
      ingested(send, collection_id, { documents: [{ key: 'plan.md', content: 'Attack at noon.' }] }),
    fields: ['content'],
    values: ['plan.md', 'noon'],
    look: '/documents',
  },
  {
    action: 'document.update',
    given: document,
    make: (send, { id }) => send('PATCH', `/documents/${id}`, { acl: { roles: ['general'] }, source: 'the headquarters' }),
    fields: ['acl.roles', 'source'],
    values: ['general', 'headquarters'],
    look: '/documents',
  },
  {
    action: 'document.clear_flags',
    given: document,
    make: (send, { id }) => send('POST', `/documents/${id}/clear-flags`),
    fields: ['flags'],
    values: ['plan.md'],
    look: '/documents',
  },
  {
    action: 'document.read',
    given: document,
    make: async (send, { id }) => {
      await send('GET', `/documents/${id}/chunks`)
      return { id }
    },
    fields: ['content'],
    values: ['plan.md', 'dawn'],
    look: '/documents',
  },
  {
    action: 'document.delete',
    given: document,
    make: async (send, { id }) => {
      await send('DELETE', `/documents/${id}`)
      return { id }
    },
    fields: [],
    values: ['plan.md', 'dawn'],
    look: '/documents',
  },
  {
    action: 'workspace.update',
    make: (send) =>
      send('PATCH', `/workspaces/${workspace}`, { settings: { issuer: 'https://id.example', claims: { id: 'uid' } } }),
    fields: ['settings.issuer', 'settings.claims.id'],
    values: ['id.example'],
    look: '/workspaces?limit=100',
  },
]

describe.each(CHANGES)('$action ($fields)', ({ action, given, make, id, fields, values, look }) => {
  const send: Send = async (method, path, json) => {
    const reply = await admin.send(method, path, json, { workspace })
    expect(reply.status, reply.text).toBeLessThan(300)
    return reply.body
  }

  test('is recorded with its fields and who made it, and tells no value', async () => {
    const before = await given?.(send)
    const count = (await admin.records(100, { workspace })).length
    const made = await make(send, before)
    const records = await admin.records(100, { workspace })
    expect(records).toHaveLength(count + 1)
    const [record] = records
    const objectId = id?.(made) ?? made.id
    expect(record).toMatchObject({ endpoint: 'admin', application_id: null, status: 200, stages: [], decision: null })
    expect(record.change).toEqual({
      action,
      object_type: action.split('.')[0],
      object_id: objectId || expect.stringMatching(/^[0-9a-f]{64}$/),
      fields,
    })
    expect(record.user.id).toBe(await operatorHash())
    assertNoContent(record, [
      ...values,
      server.demo.admin_token,
      ...(made?.key ? [made.key] : []),
      ...(made?.token ? [made.token] : []),
    ])
  })

  test('is not made when it cannot be recorded', async () => {
    const before = await given?.(send)
    const seen = await admin.get(look, { workspace })
    await breakChain(workspace)
    const attempt = make(async (method, path, json) => {
      refused(await admin.send(method, path, json, { workspace }), 'UNAVAILABLE')
    }, before)
    await attempt
    expect(await admin.get(look, { workspace })).toEqual(seen)
  })
})

/** The Workspace's chain has no end to append to any more. */
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

test('a Workspace begins with the record of its creation', async () => {
  const [record, ...others] = await admin.records(100, { workspace })
  expect(others).toEqual([])
  expect(record.integrity.sequence).toBe(1)
  expect(record.change).toEqual({ action: 'workspace.create', object_type: 'workspace', object_id: workspace, fields: ['name'] })
})

test('what is refused is not recorded', async () => {
  const count = (await admin.records(100)).length
  refused(await admin.send('POST', '/applications', { name: 'support' }), 'CONFLICT', 'name')
  refused(await admin.send('POST', '/users', { id: 'alice', username: 'another' }), 'CONFLICT', 'id')
  refused(await admin.send('POST', '/users', { id: 'another', username: 'alice' }), 'CONFLICT', 'username')
  refused(await admin.send('POST', '/providers', { id: 'demo', kind: 'stub' }), 'CONFLICT', 'id')
  refused(await admin.send('PATCH', '/providers/nobody', {}), 'NOT_FOUND')
  refused(await admin.send('POST', '/keys/key_01h455vb4pex5vsknk084sn02q/revoke'), 'NOT_FOUND')
  expect(await admin.records(100)).toHaveLength(count)
})

test('reading is not recorded', async () => {
  const count = (await admin.records(100)).length
  for (const path of ['/applications', '/users', '/providers', '/policy-sets', '/audit', '/tokens']) await admin.get(path)
  expect(await admin.records(100)).toHaveLength(count)
})

test('many changes at once are all made, and recorded in one unbroken chain', async () => {
  const names = Array.from({ length: 20 }, (_, index) => `at once ${index}`)
  await Promise.all(names.map((name) => admin.create('/applications', { name }, { workspace })))
  const records = await admin.records(100, { workspace })
  expect(records.map(({ integrity }) => integrity.sequence)).toEqual(Array.from({ length: 21 }, (_, index) => 21 - index))
  expect((await admin.post('/audit/verify', {}, { workspace })).ok).toBe(true)
})
