import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Governed } from '../support/governed.ts'
import { sharedGoverned } from '../support/shared-server.ts'
import { type Admin, adminClient } from './client.ts'

let governed: Governed
let admin: Admin
beforeAll(async () => {
  governed = await sharedGoverned()
  admin = adminClient(governed.server)
})
afterAll(() => governed.close())

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
