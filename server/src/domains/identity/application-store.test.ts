import { describe, expect, test } from 'vitest'
import { closeAfterAll } from '../../../test/support/close-after-all.ts'
import { testDatabases } from '../../../test/support/database.ts'
import { seedWorkspace } from '../../../test/support/seed.ts'
import { DEFAULT_LIMITS, DEFAULT_SETTINGS } from '../../shared/principal.ts'
import type { ApplicationPatch, ApplicationRecord } from './application.ts'
import { createApplication, findApplication, findApplicationByName, updateApplication } from './application-store.ts'

const NOW = new Date('2026-03-02T09:00:00Z')
const LATER = new Date('2026-03-02T10:00:00Z')

describe.each(testDatabases())('on $name', async ({ open }) => {
  const database = await closeAfterAll(open())
  const workspaceId = (await seedWorkspace(database.db)).workspaceId
  const foreign = (await seedWorkspace(database.db)).workspaceId

  const create = async (name: string, body = {}): Promise<ApplicationRecord> => {
    const created = await createApplication(database.db, workspaceId, { name, ...body }, NOW)
    if (!created) throw new Error('Application name is taken')
    return created
  }
  const update = (id: string, patch: ApplicationPatch, owner = workspaceId) =>
    database.db.transaction().execute((tx) => updateApplication(tx, owner, id, patch, LATER))

  test('application store: all defaults are set when only a name is given', async () => {
    const application = await create('plain')
    expect(application).toEqual({
      id: expect.stringMatching(/^app_[0-9a-z]{26}$/),
      workspaceId,
      name: 'plain',
      settings: DEFAULT_SETTINGS,
      limits: DEFAULT_LIMITS,
      models: null,
      providers: null,
      defaultModel: null,
      ceiling: 'restricted',
      createdAt: NOW,
      updatedAt: NOW,
      archivedAt: null,
    })
    expect(await findApplication(database.db, workspaceId, application.id)).toEqual(application)
    expect(await findApplicationByName(database.db, workspaceId, 'plain')).toEqual(application)
  })

  test('application store: only given settings and limits are stored', async () => {
    const { id } = await create('sparse', { limits: { burst: 5, concurrency: null }, settings: { knowledge: true } })
    const row = await database.db.selectFrom('application').selectAll().where('name', '=', 'sparse').executeTakeFirst()
    expect(row).toMatchObject({ limits: { burst: 5 }, settings: { knowledge: { enabled: true } } })
    expect((await findApplication(database.db, workspaceId, id))?.limits).toEqual({ ...DEFAULT_LIMITS, burst: 5 })
  })

  test('application store: every field can be changed and reset', async () => {
    const { id } = await create('patched')
    const patch = {
      name: 'renamed',
      models: ['gpt-*'],
      providers: ['openai'],
      default_model: 'gpt-5',
      ceiling: 'internal' as const,
      settings: { tier: 'gold' },
      limits: { tokens_per_minute: 9 },
    }
    const { default_model: defaultModel, ...shown } = patch
    const changed = { ...shown, defaultModel, limits: { tokens_per_minute: 9, burst: 60 }, createdAt: NOW, updatedAt: LATER }
    expect(await update(id, patch)).toMatchObject({ ok: true, application: changed })
    const lists = { models: null, providers: null }
    const reset = { ...lists, default_model: null, ceiling: null, settings: { tier: null } }
    const plain = { ...lists, name: 'renamed', defaultModel: null, ceiling: 'restricted', settings: DEFAULT_SETTINGS }
    expect(await update(id, reset)).toMatchObject({ ok: true, application: plain })
  })

  test('application store: concurrent patches are all kept', async () => {
    const { id } = await create('raced')
    await Promise.all([
      update(id, { limits: { burst: 5 } }),
      update(id, { limits: { concurrency: 7 } }),
      update(id, { settings: { a: 1 } }),
    ])
    expect(await findApplication(database.db, workspaceId, id)).toMatchObject({
      limits: { burst: 5, concurrency: 7 },
      settings: { a: 1 },
    })
  })

  test('application store: name_taken when another Application of the Workspace has the name', async () => {
    const { id } = await create('first')
    await create('taken')
    expect(await createApplication(database.db, workspaceId, { name: 'first' }, NOW)).toBeUndefined()
    expect(await update(id, { name: 'taken' })).toEqual({ ok: false, reason: 'name_taken' })
    expect(await createApplication(database.db, foreign, { name: 'first' }, NOW)).toBeDefined()
  })
})
