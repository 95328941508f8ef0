import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ClientFixture, startClientFixture } from '../support/client-fixture.ts'
import { completion, json, says } from '../support/scripted-provider.ts'
import { foreignRepository } from './support/foreign-repository.ts'
import { type ComplianceResult, openResponsesSuite } from './support/open-responses.ts'

/** The compliance suite of Open Responses (github.com/openresponses/openresponses), unchanged. */
const repository = foreignRepository('OPEN_RESPONSES_GIT')
const suite = repository && (await openResponsesSuite(repository))

/** Cases of features that the gateway does not have (docs/compatibility.md). */
const UNSUPPORTED: readonly (readonly [RegExp, string])[] = [
  [/^websocket-/, 'there is no WebSocket transport'],
  [/^compact-/, 'there is no compaction'],
]
const ids = (suite?.testTemplates ?? []).map(({ id }) => id)
const reasonOf = (id: string) => UNSUPPORTED.find(([pattern]) => pattern.test(id))?.[1]

const CALL = { id: 'call_1', type: 'function', function: { name: 'get_weather', arguments: '{"location":"San Francisco"}' } }

describe.skipIf(!suite)('Open Responses', () => {
  let fixture: ClientFixture
  let results: readonly ComplianceResult[]
  beforeAll(async () => {
    fixture = await startClientFixture()
    const { provider } = fixture.governed
    const message = { role: 'assistant', content: null, tool_calls: [CALL] }
    const call = completion('', { choices: [{ index: 0, message, finish_reason: 'tool_calls' }] })
    provider.on('"role":"tool"', says('It is warm.'))
    provider.on('get_weather', (response) => json(response, 200, call))
    provider.on('', says('Hello there, friend.'))
    const { baseURL: baseUrl, token: apiKey } = fixture
    const config = { baseUrl, apiKey, authHeaderName: 'Authorization', useBearerPrefix: true, model: 'scripted' }
    results = (await suite?.runAllTests(config, () => {})) ?? []
  })
  afterAll(async () => {
    await fixture.close()
    suite?.remove()
  })

  const statusOf = (id: string): unknown => {
    const { status, errors = [] } = results.find((result) => result.id === id) ?? {}
    return { status, errors }
  }
  test.each(ids.filter((id) => !reasonOf(id)))('%s: passes', (id) => {
    expect(statusOf(id)).toEqual({ status: 'passed', errors: [] })
  })
  test.runIf(ids.some(reasonOf)).each(ids.filter(reasonOf).map((id) => [id, reasonOf(id)]))(
    '%s: fails, because %s',
    (id = '') => {
      expect(statusOf(id)).toMatchObject({ status: 'failed' })
    },
  )
})
