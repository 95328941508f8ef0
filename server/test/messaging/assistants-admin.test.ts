import { describe, expect, test } from 'vitest'
import { adminClient, expectError } from '../admin/client.ts'
import { closeAfterAll } from '../support/close-after-all.ts'
import { findEmittedEvents } from '../support/emitted-events.ts'
import { sharedServer } from '../support/shared-server.ts'
import { createMembers } from './client.ts'

const name = () => `helper-${crypto.randomUUID().slice(0, 8)}`
const server = await closeAfterAll(sharedServer())
const admin = adminClient(server)
const { ann } = await createMembers(server, ['ann'])
const application_id = server.demo.applications[0]?.id ?? ''

describe('assistants', () => {
  test('assistants: created assistant is listed and is a contact of every user', async () => {
    const username = name()
    const made = await admin.create('/assistants', { id: username, username, application_id, display_name: 'Helper' })
    expect(made).toEqual({
      id: username,
      object: 'assistant',
      workspace_id: expect.stringMatching(/^ws_/),
      username,
      display_name: 'Helper',
      avatar_url: null,
      application_id,
      application_archived_at: null,
      created_at: expect.stringMatching(/Z$/),
    })
    expect(await admin.get(`/assistants/${username}`)).toEqual(made)
    const { data } = await admin.get('/assistants?limit=100')
    expect(data).toContainEqual(made)
    expect(data.map(({ id }: { id: string }) => id)).not.toContain(ann.id)
    expect(await ann.get(`/contacts/${username}`)).toMatchObject({ is_assistant: true, display_name: 'Helper' })
    const [record] = await admin.records()
    expect(record.change).toMatchObject({ action: 'assistant.create', object_type: 'assistant' })
    expect(JSON.stringify(record)).not.toContain(username)
  })

  test('assistants: users who have a conversation with the assistant get an event when it changes', async () => {
    const { id } = await admin.create('/assistants', { username: name(), application_id })
    await ann.create('/conversations', { contact_id: id })
    await admin.patch(`/assistants/${id}`, { display_name: 'Guide' })
    const about = (await findEmittedEvents(server.context.db, 'contact.%')).filter(({ payload }) => payload.id === id)
    expect(about.map(({ type }) => type)).toEqual(['contact.created', 'contact.updated'])
    expect(about[1]).toMatchObject({ audience: expect.arrayContaining([ann.id]), payload: { display_name: 'Guide' } })
  })

  test('assistants: update changes only the fields that it names', async () => {
    const { id, username } = await admin.create('/assistants', { username: name(), application_id, display_name: 'Helper' })
    const other = server.demo.applications[1]?.id
    expect(await admin.patch(`/assistants/${id}`, { application_id: other })).toMatchObject({
      username,
      display_name: 'Helper',
      application_id: other,
    })
    const renamed = name()
    expect(await admin.patch(`/assistants/${id}`, { username: renamed, display_name: null })).toMatchObject({
      username: renamed,
      display_name: null,
      application_id: other,
    })
  })

  test('assistants: request is refused when the username or id belongs to a user', async () => {
    const { username } = await admin.create('/assistants', { username: name(), application_id })
    expectError(await admin.send('POST', '/assistants', { username, application_id }), 'CONFLICT', 'username')
    expectError(await admin.send('POST', '/assistants', { id: ann.id, username: name(), application_id }), 'CONFLICT', 'id')
    expectError(await admin.send('PATCH', `/assistants/${ann.id}`, { application_id }), 'NOT_FOUND')
    expect(await ann.get(`/contacts/${ann.id}`)).toMatchObject({ is_assistant: false })
  })

  test('assistants: request gets 404 when the Application does not exist in the Workspace', async () => {
    const elsewhere = await admin.workspace()
    const { id } = await admin.create('/applications', { name: name() }, { workspace: elsewhere })
    for (const application of [id, 'app_01h455vb4pex5vsknk084sn02q', 'nonsense']) {
      expectError(await admin.send('POST', '/assistants', { username: name(), application_id: application }), 'NOT_FOUND')
    }
    expectError(await admin.send('POST', '/assistants', { username: name() }), 'VALIDATION_ERROR', 'application_id')
  })

  test('assistants: request gets 400 when the Application has no default model, or a field is unknown', async () => {
    const silent = await admin.create('/applications', { name: name() })
    const { id } = await admin.create('/assistants', { username: name(), application_id })
    const requests = [
      admin.send('POST', '/assistants', { username: name(), application_id: silent.id }),
      admin.send('PATCH', `/assistants/${id}`, { application_id: silent.id }),
    ]
    for (const response of await Promise.all(requests)) {
      const { message } = expectError(response, 'VALIDATION_ERROR', 'application_id')
      expect(message).toContain(`Choose one under Applications › ${silent.name} › Settings.`)
    }
    const fields = { username: name(), application_id, model: 'demo-mini' }
    expectError(await admin.send('POST', '/assistants', fields), 'VALIDATION_ERROR', 'model')
  })

  test('assistants: request gets 409 when the Application is archived', async () => {
    const { id: archived, name: label } = await admin.create('/applications', { name: name(), default_model: 'demo-mini' })
    const kept = await admin.create('/assistants', { username: name(), application_id: archived })
    expect(kept.application_archived_at).toBeNull()
    const { archived_at } = await admin.post(`/applications/${archived}/archive`)
    const moved = await admin.create('/assistants', { username: name(), application_id })
    for (const response of [
      await admin.send('POST', '/assistants', { username: name(), application_id: archived }),
      await admin.send('PATCH', `/assistants/${moved.id}`, { application_id: archived }),
    ])
      expect(expectError(response, 'CONFLICT', 'application_id').message).toContain(`"${label}" is archived. Restore it`)
    expect((await admin.get(`/assistants/${kept.id}`)).application_archived_at).toBe(archived_at)
  })

  test('assistants: request for an access token gets 404', async () => {
    const { id } = await admin.create('/assistants', { username: name(), application_id })
    expectError(await admin.send('POST', `/users/${id}/tokens`, {}), 'NOT_FOUND')
  })
})
