import { expect, test } from 'vitest'
import { closeAfterAll } from '../support/close-after-all.ts'
import { sharedGoverned } from '../support/shared-server.ts'
import { adminClient } from './client.ts'

const governed = await closeAfterAll(sharedGoverned())
const admin = adminClient(governed.server)

test('keys: last_used_at is the time of the last request, and null for an unused key', async () => {
  const { id, token } = await governed.application({ default_model: 'scripted' })
  const other = await admin.create(`/applications/${id}/keys`, { name: 'in reserve' })
  const keys = async () => (await admin.get(`/applications/${id}/keys`)).data
  expect(other.last_used_at).toBeNull()
  expect((await keys())[0].last_used_at).toBeNull()
  const before = Date.now()
  await governed.chat('Good morning', {}, { token })
  // The time is written after the response.
  await expect.poll(async () => (await keys())[0].last_used_at).not.toBeNull()
  const [used, unused] = await keys()
  expect(Math.abs(Date.parse(used.last_used_at) - before)).toBeLessThan(60_000)
  expect(unused.last_used_at).toBeNull()
})
