import { expect, test } from 'vitest'
import { closeAfterAll } from '../support/close-after-all.ts'
import { expectError, expectSuccess } from '../support/gateway-client.ts'
import { word } from '../support/scripted-provider.ts'
import { sharedGoverned } from '../support/shared-server.ts'
import { adminClient, expectError as expectAdminError, type Json } from './client.ts'

const governed = await closeAfterAll(sharedGoverned())
const admin = adminClient(governed.server)

const createTeam = (fields: object = {}): Promise<Json> => admin.create('/teams', { name: `team ${word()}`, ...fields })

/** A key of the team, of an Application of its own. */
async function issue(team: Json, fields: object = {}): Promise<Json> {
  const { id } = await governed.application()
  return admin.create(`/applications/${id}/keys`, { name: 'of the team', team_id: team.id, ...fields })
}

const chat = ({ key }: Json, { model = 'scripted', user }: { model?: string; user?: string } = {}) =>
  governed.chat('Good morning', { model, ...(user && { governance: { user: { id: user } } }) }, { token: key })

test('team: its limit counts the keys of all its Applications together, and other keys work on [GW-LIM-9]', async () => {
  const team = await createTeam({ limits: { requests_per_minute: 1, burst: 2 } })
  const [one, two] = [await issue(team), await issue(team)]
  expectSuccess(await chat(one))
  expectSuccess(await chat(two))
  for (const key of [one, two])
    expect(expectError(await chat(key), 'RATE_LIMITED').message).toContain(`(burst 2) for the team "${team.name}"`)
  expectSuccess(await chat({ key: (await governed.application()).token }))
  await admin.patch(`/teams/${team.id}`, { limits: { requests_per_minute: null } })
  expectSuccess(await chat(one))
})

test('team: Application, key and team must all allow a model [GW-LIM-9]', async () => {
  const team = await createTeam({ models: ['demo-*', 'scripted'] })
  const key = await issue(team, { models: ['scripted', 'gpt-*'] })
  expectSuccess(await chat(key))
  expect(expectError(await chat(key, { model: 'demo-mini' }), 'NO_ELIGIBLE_PROVIDER').message).toBe(
    `No provider may serve the model "demo-mini" for this request. This API key may use: scripted. The setting "models" of this API key and of the team "${team.name}" restricts them.`,
  )
  const { data } = expectSuccess(await governed.api('GET', '/v1/models', { token: key.key }))
  expect(data.map(({ id }: Json) => id)).toEqual(['scripted'])
})

test('team: only members may use its keys; the refusal is recorded with the user [GW-AUTH-14]', async () => {
  const team = await createTeam({ members: ['ann', 'ben'] })
  const key = await issue(team)
  expectSuccess(await chat(key, { user: 'ann' }))
  for (const user of ['eve', undefined]) {
    const refused = await chat(key, user === undefined ? {} : { user })
    expect(expectError(refused, 'FORBIDDEN').message).toContain(`Only members of the team "${team.name}"`)
  }
  await admin.patch(`/teams/${team.id}`, { members: null })
  expectSuccess(await chat(key, { user: 'eve' }))
})

test('team: the erasure of a user ends the membership, and a team without another member admits no request', async () => {
  const user = `user-${word()}`
  await admin.create('/users', { id: user, username: user })
  const team = await createTeam({ members: [user] })
  await admin.remove(`/users/${user}`)
  const records = (await admin.records(2)).map(({ change }: Json) => change)
  expect(records.slice(0, 2)).toMatchObject([
    { action: 'team.update', object_type: 'team', object_id: team.id, fields: ['members'] },
    { action: 'user.erase' },
  ])
  expect((await admin.get(`/teams/${team.id}`)).members).toEqual([])
  expectError(await chat(await issue(team), { user }), 'FORBIDDEN')
})

test('budget of a team: counts the keys of the team, and no other request', async () => {
  const [team, other] = [await createTeam(), await createTeam()]
  const create = (scope: object) =>
    admin.create('/budgets', { name: word(), scope: 'team', unit: 'tokens', limit: 20_000, period: 'month', ...scope })
  const [own, each] = [await create({ member: team.id }), await create({})]
  for (const one of [team, team, other]) expectSuccess(await chat(await issue(one)))
  expectSuccess(await chat({ key: (await governed.application()).token }))
  expect((await admin.get(`/budgets/${own.id}`)).current).toMatchObject({ member: team.id, spent: 36 })
  const counts = (await admin.get(`/budgets/${each.id}/members`)).data.map(({ member, spent }: Json) => [member, spent])
  expect(counts).toEqual([
    [team.id, 36],
    [other.id, 18],
  ])
  await admin.patch(`/budgets/${own.id}`, { limit: 40 })
  expect(expectError(await chat(await issue(team)), 'BUDGET_EXCEEDED').details.budget).toBe(own.name)
  expectSuccess(await chat(await issue(other)))
  for (const { id } of [own, each]) await admin.remove(`/budgets/${id}`)
})

test('usage: by team and of one team, by the keys that are in it now [ADM-API-23]', async () => {
  const team = await createTeam()
  const [one, two] = [await issue(team), await issue(team)]
  for (const key of [one, one, two]) expectSuccess(await chat(key))
  const groupOf = async (query: string): Promise<Json> => admin.get(`/usage?${query}`)
  for (const span of ['', `&from=${new Date(Date.now() - 3_600_000).toISOString()}`]) {
    const byTeam = await groupOf(`group_by=team&limit=100${span}`)
    expect(byTeam.groups.find(({ value }: Json) => value === team.id)).toMatchObject({
      label: team.name,
      totals: { requests: 3 },
    })
    const ofTeam = await groupOf(`team_id=${team.id}&group_by=key${span}`)
    expect(ofTeam.groups.map(({ value, totals }: Json) => [value, totals.requests])).toEqual([
      [one.id, 2],
      [two.id, 1],
    ])
    expect((await groupOf(`team_id=${team.id}&key_id=${two.id}${span}`)).totals.requests).toBe(1)
  }
  await admin.patch(`/keys/${one.id}`, { team_id: null })
  expect((await groupOf(`team_id=${team.id}`)).totals.requests).toBe(1)
  expect((await groupOf(`team_id=${(await createTeam()).id}`)).totals.requests).toBe(0)
})

test('team: is deleted only without valid keys, and its name is free again [ADM-API-23]', async () => {
  const team = await createTeam()
  const { key: _, ...key } = await issue(team)
  expect((await admin.get(`/teams/${team.id}/keys`)).data).toEqual([key])
  expectAdminError(await admin.send('DELETE', `/teams/${team.id}`), 'CONFLICT')
  expectAdminError(await admin.send('POST', '/teams', { name: team.name }), 'CONFLICT', 'name')
  await admin.post(`/keys/${key.id}/revoke`)
  await admin.remove(`/teams/${team.id}`)
  expect((await admin.get(`/keys/${key.id}`)).team_id).toBeNull()
  await createTeam({ name: team.name })
})

test('key: 400 for a team that the Workspace does not have; a rotated key stays in its team', async () => {
  const team = await createTeam()
  const key = await issue(team)
  for (const team_id of ['tea_00000000000000000000000000', 'nonsense'])
    expectAdminError(await admin.send('PATCH', `/keys/${key.id}`, { team_id }), 'VALIDATION_ERROR', 'team_id')
  expect((await admin.create(`/keys/${key.id}/rotate`, {})).team_id).toBe(team.id)
})

test('team: members are read and chosen only with the scope of users', async () => {
  const team = await createTeam({ members: ['ann'] })
  const scopes = ['applications:read', 'applications:write']
  const { token } = await admin.create('/tokens', { name: word(), scopes })
  expect(await admin.get(`/teams/${team.id}`, { token })).not.toHaveProperty('members')
  const { data } = await admin.get('/teams?limit=100', { token })
  expect(data.filter((one: Json) => 'members' in one)).toEqual([])
  const limits = { requests_per_minute: 5 }
  expect(await admin.patch(`/teams/${team.id}`, { limits }, { token })).not.toHaveProperty('members')
  for (const response of [
    await admin.send('PATCH', `/teams/${team.id}`, { members: null }, { token }),
    await admin.send('POST', '/teams', { name: word(), members: [] }, { token }),
  ])
    expect(expectAdminError(response, 'FORBIDDEN').message).toContain('people:read')
  expect((await admin.get(`/teams/${team.id}`)).members).toEqual(['ann'])
})

test('keys: the list of an Application can be narrowed to a team and a tag', async () => {
  const team = await createTeam()
  const { id } = await governed.application()
  const create = (fields: object): Promise<Json> => admin.create(`/applications/${id}/keys`, { name: word(), ...fields })
  const [ofTeam, tagged, both] = [
    await create({ team_id: team.id }),
    await create({ tags: ['nightly'] }),
    await create({ team_id: team.id, tags: ['nightly', 'batch'] }),
  ]
  const idsOf = async (query: string) => (await admin.get(`/applications/${id}/keys?${query}`)).data.map((key: Json) => key.id)
  expect(await idsOf(`team_id=${team.id}`)).toEqual([ofTeam.id, both.id])
  expect(await idsOf('tag=nightly')).toEqual([tagged.id, both.id])
  expect(await idsOf(`tag=nightly&team_id=${team.id}`)).toEqual([both.id])
  expect([...(await idsOf('tag=night')), ...(await idsOf('team_id=nonsense'))]).toEqual([])
})
