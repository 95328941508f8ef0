import { expect, test } from 'vitest'
import { sharedServer } from '../support/shared-server.ts'
import { adminClient } from './client.ts'

const admin = adminClient(await sharedServer())

test('Application: a default model that no provider has is a warning', async () => {
  const workspace = await admin.workspace()
  const warning = 'No provider has the default model "missing". Add it to a provider, or choose another one.'
  const created = await admin.create('/applications', { name: 'bikes', default_model: 'missing' }, { workspace })
  expect(created.warnings).toEqual([warning])
  const path = `/applications/${created.id}`
  expect((await admin.patch(path, { default_model: null }, { workspace })).warnings).toEqual([])
  expect((await admin.patch(path, { default_model: 'missing' }, { workspace })).warnings).toEqual([warning])
  await admin.create('/providers', { id: 'own', kind: 'stub' }, { workspace })
  await admin.send('POST', '/providers/own/models', { models: [{ id: 'missing' }] }, { workspace })
  await expect.poll(async () => (await admin.get(path, { workspace })).warnings).toEqual([])
})
