import { describe, expect, test } from 'vitest'
import { expectSuccess, type ResponseBody } from '../../support/gateway-client.ts'
import { governed } from '../shared-server.ts'

const list = async (app = 0): Promise<ResponseBody> =>
  expectSuccess(await governed.api('GET', '/v1/models', { token: governed.key(app) }))
const ids = async (app = 0) => (await list(app)).data.map(({ id }) => id)
describe('GET /v1/models', () => {
  test('response 200: object constant list, data array of model entries [GW-PATH-2, GW-MOD-1]', async () => {
    const { object, data, ...others } = await list()
    expect(object).toBe('list')
    expect(data.length).toBeGreaterThan(0)
    expect(others).toEqual({})
  })
  test('Model entry: id, object constant model, owned_by the provider id, and created [GW-MOD-1]', async () => {
    const { data } = await list()
    for (const entry of data) {
      expect(entry).toEqual({
        id: expect.any(String),
        object: 'model',
        owned_by: expect.any(String),
        created: expect.any(Number),
      })
      expect(entry.created).toSatisfy(Number.isInteger)
    }
    expect(data).toContainEqual(expect.objectContaining({ id: 'scripted', owned_by: 'openai' }))
    expect(data).toContainEqual(expect.objectContaining({ id: 'demo-mini', owned_by: 'demo' }))
  })
  test('list: has exactly the models that a chat of the calling Application may use [GW-MOD-2, GW-VERD-9, ADM-ENV-11]', async () => {
    for (const [app, foreign] of ['demo-code', 'demo-support'].entries()) {
      for (const model of ['demo-support', 'demo-code', 'demo-mini', 'scripted']) {
        const { status } = await governed.chat('Good morning', { model }, { app })
        const listed = (await ids(app)).includes(model)
        expect([model, status, listed]).toEqual(model === foreign ? [model, 422, false] : [model, 200, true])
      }
    }
  })
  test('list: a model withdrawn from the Application disappears from list and chat at once, until it is restored', async () => {
    const { id, token } = await governed.application()
    const listed = async () => expectSuccess(await governed.api('GET', '/v1/models', { token })).data.map((model) => model.id)
    expect(await listed()).toContain('scripted')
    await governed.change(id, { models: ['demo-mini'] })
    expect(await listed()).toEqual(['demo-mini'])
    expect((await governed.chat('Good morning', {}, { token })).status).toBe(422)
    await governed.change(id, { models: null })
    expect(await listed()).toContain('scripted')
  })
  test('list: 200 with unknown query parameters and an invalid user token', async () => {
    const { status } = await governed.api('GET', '/v1/models?limit=x&unknown=1', {
      headers: { 'x-gateway-user-token': 'nonsense' },
    })
    expect(status).toBe(200)
  })
})
