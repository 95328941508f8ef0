import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectSuccess } from '../support/gateway-client.ts'
import type { Governed } from '../support/governed.ts'
import { word } from '../support/scripted-provider.ts'
import { MODELS, startThreeUpstreams, type ThreeUpstreams } from '../support/three-upstreams.ts'
import { CLAUDE_CODE_HEADERS, CLAUDE_CODE_PATH, title, turn, warmUp } from './sessions/claude-code.ts'
import { CODEX_HEADERS, CODEX_PATH, codexTurn, userItem } from './sessions/codex.ts'

// Sessions of coding agents, in the form in which they send them, with a provider of each API and the dashboard's settings for a new Application.

let upstreams: ThreeUpstreams
let governed: Governed
let token: string
beforeAll(async () => {
  upstreams = await startThreeUpstreams()
  governed = upstreams.governed
  token = (await governed.application({ settings: { extensions: ['tools', 'content_parts', 'developer_role'] } })).token
})
afterAll(() => upstreams.close())

const claudeCode = (json: object, path = CLAUDE_CODE_PATH) =>
  governed.api('POST', path, { token, json, headers: CLAUDE_CODE_HEADERS })
const codex = (json: object) => governed.api('POST', CODEX_PATH, { token, json, headers: CODEX_HEADERS })
/** 200 kB that no detector objects to. */
const LARGE = 'A line of the file that the agent has read.\n'.repeat(4_700)

describe.each(MODELS)('Claude Code with the model %s [GW-ANT-3]', (model) => {
  const first = { role: 'user', content: [{ type: 'text', text: `<system-reminder>today</system-reminder> ${word()}` }] }
  const calls = {
    role: 'assistant',
    content: [
      { type: 'text', text: 'I look.' },
      { type: 'tool_use', id: 'toolu_01', name: 'Bash', input: { command: 'ls' } },
      { type: 'tool_use', id: 'toolu_02', name: 'Read', input: { command: 'a.ts', timeout: 1.5 } },
    ],
  }
  const results = {
    role: 'user',
    content: [
      { type: 'tool_result', tool_use_id: 'toolu_01', content: 'a.ts', is_error: false },
      {
        type: 'tool_result',
        tool_use_id: 'toolu_02',
        content: [{ type: 'text', text: LARGE }],
        cache_control: { type: 'ephemeral' },
      },
    ],
  }

  test.each([
    ['a warm-up of one token', warmUp(model)],
    ['a title', title(model, 'Summarise the session.')],
    ['a first turn', turn(model, [first])],
    ['parallel calls with their results and 200 kB', turn(model, [first, calls, results])],
    ['a resumed session', turn(model, [first, calls, results, { role: 'assistant', content: 'Done.' }, first])],
  ])('session: passes with %s', async (_name, body) => {
    const response = await claudeCode(body)
    expect(response.status, response.text.slice(0, 500)).toBe(200)
    expect(response.text).toContain('stream' in body ? 'event: message_stop' : '"type":"message"')
  })

  test('count_tokens: counts a turn of 200 kB without a provider', async () => {
    const { max_tokens: _, stream: _stream, metadata: _metadata, ...body } = turn(model, [first, calls, results])
    const { input_tokens } = expectSuccess(await claudeCode(body, '/v1/messages/count_tokens?beta=true'))
    expect(input_tokens).toBeGreaterThan(30_000)
  })
})

describe.each(MODELS)('Codex with the model %s [GW-RESP-9]', (model) => {
  const items = [
    userItem('List the files.'),
    {
      type: 'reasoning',
      id: 'rs_1',
      summary: [],
      encrypted_content: Buffer.from('state that only its provider reads').toString('base64'),
    },
    { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'shell', arguments: '{"command":["ls"]}' },
    { type: 'function_call', id: 'fc_2', call_id: 'call_2', name: 'update_plan', arguments: '{}' },
    { type: 'function_call_output', call_id: 'call_1', output: LARGE },
    { type: 'function_call_output', call_id: 'call_2', output: 'Plan updated' },
  ]
  test.each([
    ['a first turn', [userItem('List the files.')]],
    ['parallel calls with their results and 200 kB', items],
    [
      'a resumed session',
      [...items, { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Done.' }] }, userItem('More.')],
    ],
  ])('session: passes with %s', async (_name, input) => {
    const response = await codex(codexTurn(model, input))
    expect(response.status, response.text.slice(0, 500)).toBe(200)
    expect(response.text).toContain('event: response.completed')
  })
})
