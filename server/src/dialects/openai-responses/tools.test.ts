import { describe, expect, test } from 'vitest'
import { decodedResponsesRequest as decoded } from '../../../test/support/responses-request.ts'
import type { Completion } from '../../shared/completion.ts'
import type { OriginalRequest } from '../../shared/original-request.ts'
import type { UpstreamRequest } from '../upstream-dialect.ts'
import { openaiResponses } from './openai-responses.ts'
import { decodeRequest } from './request.ts'
import { encodeRequest } from './upstream-request.ts'
import { readResponse } from './upstream-response.ts'

type Body = Readonly<Record<string, unknown>>
type Named = { readonly function: { readonly name: string; readonly description?: string } }

const DEFAULTS = { model: 'm', newId: () => 'chatcmpl-1', created: () => 1 }
const READ = { type: 'function', name: 'read', description: 'Reads.', parameters: { type: 'object' }, strict: false }
const definition = 'start: "a"'
const RUN = { type: 'custom', name: 'run', format: { type: 'grammar', syntax: 'lark', definition } }
const FILES = { type: 'namespace', name: 'files', description: 'Files of the project.', tools: [READ, RUN] }
const SEARCH = { type: 'tool_search', execution: 'client', description: 'Finds tools.', parameters: { type: 'object' } }
const USER = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Read it.' }] }
const ADDED = { type: 'additional_tools', id: 'at_1', role: 'developer', tools: [FILES] }
const FOUND = { type: 'tool_search_output', call_id: 's1', status: 'completed', execution: 'client', tools: [FILES] }
const SEARCHED = { type: 'tool_search_call', call_id: 's1', status: 'completed', execution: 'client', arguments: { query: 'a' } }

const chatOf = (body: Body) => decoded(body).chat as { tools: Named[]; messages: Body[]; model: unknown }

/** The body for a provider of the same API, after changes of the chat's tools and messages. */
function sent(body: Body, change = (tools: Named[]) => tools, changedMessages?: readonly Body[]) {
  const { origins } = decoded(body)
  const { messages, model: _, ...parameters } = chatOf(body)
  const original = { dialect: 'openai-responses', body, origins, carried: [], messages, parameters } as unknown as OriginalRequest
  const changed = { messages: changedMessages ?? messages, parameters: { ...parameters, tools: change(parameters.tools) } }
  const request = { model: 'm', ...changed, stream: true, original } as unknown as UpstreamRequest
  const encoded = encodeRequest(request)
  if (!encoded.ok) throw new Error(encoded.unsupported.param)
  return JSON.parse(encoded.body) as { input: (Body & { tools: Body[] })[]; tools: (Body & { tools: Body[] })[] }
}
const redacted = (text: string) => (tools: Named[]) => JSON.parse(JSON.stringify(tools).replace(text, '[redacted]')) as Named[]

const completionWith = (calls: readonly object[]) =>
  ({
    ...{ id: 'chatcmpl-1', object: 'chat.completion', created: 1, model: 'm' },
    choices: [{ index: 0, message: { role: 'assistant', content: null, tool_calls: calls }, finish_reason: 'tool_calls' }],
  }) as unknown as Completion

function outputOf(body: Body, calls: readonly object[]) {
  const result = openaiResponses.decode(body)
  if (!result.ok) throw new Error('not decoded')
  return JSON.parse(result.encoder.toJson(completionWith(calls), '', {})).output as Body[]
}

test('in place: a text is changed in each of two tools with one name [GW-FID-5]', () => {
  const tools = [READ, { ...READ, description: 'Reads Ann.' }]
  const [first, second] = sent({ input: [USER], tools: tools.toReversed() }, redacted('Ann')).tools
  expect([first?.description, second?.description]).toEqual(['Reads [redacted].', 'Reads.'])
})

describe('Responses: tools of a namespace [GW-RESP-23]', () => {
  test('decode: tools have the name of their namespace before their own, and its description is that of the first', () => {
    const { tools } = chatOf({ input: [USER], tools: [FILES] })
    expect(tools).toEqual([
      {
        type: 'function',
        function: {
          name: 'files__read',
          description: 'Files of the project.\n\nReads.',
          parameters: READ.parameters,
          strict: false,
        },
      },
      { type: 'custom', custom: { name: 'files__run', format: { type: 'grammar', grammar: { syntax: 'lark', definition } } } },
    ])
  })

  test('names: detectors read each by itself, and no provider gets a request in which a policy changes one', () => {
    const call = { type: 'function_call', call_id: 'c1', namespace: 'notes', name: 'find', arguments: '{}' }
    const chat = chatOf({ input: [USER, call], tools: [FILES] }) as unknown as Body
    expect(chat.namespaced_names).toEqual(['files', 'read', 'run', 'notes', 'find'])
    const original = { dialect: 'openai-responses', carried: [], parameters: chat } as unknown as OriginalRequest
    const parameters = { ...chat, namespaced_names: ['files', 'redacted'] }
    const request = { model: 'm', messages: [], parameters, stream: true, original } as unknown as UpstreamRequest
    expect(encodeRequest(request)).toMatchObject({ ok: false, unsupported: { param: 'namespaced_names' } })
  })

  test('decode: a call has the name of its namespace before its own', () => {
    const call = { type: 'function_call', call_id: 'c1', namespace: 'files', name: 'read', arguments: '{}' }
    expect(chatOf({ input: [USER, call] }).messages[1]).toMatchObject({ tool_calls: [{ function: { name: 'files__read' } }] })
  })

  test('decode: tools of an item are tools of the request', () => {
    const { tools, messages } = chatOf({ input: [ADDED, USER] })
    expect(tools).toEqual(chatOf({ input: [USER], tools: [FILES] }).tools)
    expect(messages).toHaveLength(1)
  })

  test('decode: a problem with a tool names the field of the item', () => {
    const { fieldOf } = decoded({ input: [USER, ADDED] })
    expect(fieldOf('tools[1].custom.name')).toBe('input[1].tools[0].tools[1].name')
  })

  test('encode: a call has its namespace and its own name', () => {
    const calls = [
      { id: 'c1', type: 'function', function: { name: 'files__read', arguments: '{}' } },
      { id: 'c2', type: 'custom', custom: { name: 'files__run', input: 'a' } },
      { id: 'c3', type: 'function', function: { name: 'other__read', arguments: '{}' } },
    ]
    expect(outputOf({ input: [ADDED, USER] }, calls)).toMatchObject([
      { type: 'function_call', namespace: 'files', name: 'read' },
      { type: 'custom_tool_call', namespace: 'files', name: 'run' },
      { type: 'function_call', name: 'other__read' },
    ])
  })

  test('provider of the same API: gets namespaces and items with tools as they are', () => {
    const { id: _, ...item } = ADDED
    expect(sent({ input: [ADDED, USER], tools: [SEARCH] })).toMatchObject({ input: [item, USER], tools: [SEARCH] })
  })

  test.each([
    ['a tool', 'Reads.', { description: FILES.description }, { description: '[redacted]' }],
    ['its namespace', 'Files of', { description: '' }, { description: '[redacted] the project.\n\nReads.' }],
  ])('provider of the same API: gets no text that a policy has removed from %s', (_, text, namespace, tool) => {
    const item = sent({ input: [ADDED, USER] }, redacted(text)).input[0]
    expect(item?.tools[0]).toMatchObject({ ...namespace, type: 'namespace', tools: [{ ...tool, name: 'read' }, RUN] })
    const declared = sent({ input: [USER], tools: [FILES, SEARCH] }, redacted(text)).tools
    expect(declared).toMatchObject([{ ...namespace, type: 'namespace', tools: [{ ...tool, name: 'read' }, RUN] }, SEARCH])
  })

  test('provider of the same API: items with tools stay when a policy has changed the message beside them', () => {
    expect(sent({ input: [USER, ADDED] }, undefined, [{ role: 'user', content: '[redacted]' }])).toMatchObject({
      input: [
        { type: 'additional_tools', tools: [FILES] },
        { role: 'user', content: [{ text: '[redacted]' }] },
      ],
    })
  })

  test('provider of the same API: its call has the name that policies know', () => {
    const call = { type: 'function_call', id: 'fc_1', call_id: 'c1', namespace: 'files', name: 'read', arguments: '{}' }
    const response = { object: 'response', status: 'completed', output: [call] }
    expect(readResponse(response, DEFAULTS)?.choices[0]?.message.tool_calls).toEqual([
      { id: 'c1', type: 'function', function: { name: 'files__read', arguments: '{}' } },
    ])
  })
})

describe('Responses: search for tools in the client [GW-RESP-24]', () => {
  const BODY = { input: [USER, SEARCHED, FOUND], tools: [SEARCH] }

  test('decode: the search is a function, and found tools are tools of the request', () => {
    const { tools, messages } = chatOf(BODY)
    const names = tools.map((tool) => (tool.function ?? (tool as unknown as { custom: Named['function'] }).custom).name)
    expect(names).toEqual(['tool_search', 'files__read', 'files__run'])
    expect(messages.slice(1)).toMatchObject([
      { role: 'assistant', tool_calls: [{ id: 's1', function: { name: 'tool_search', arguments: '{"query":"a"}' } }] },
      { role: 'tool', tool_call_id: 's1', content: '{"tools":["files__read","files__run"]}' },
    ])
  })

  test('decode: a tool that two searches found, marked as deferred, is one tool', () => {
    const found = { ...FOUND, tools: [{ ...FILES, tools: [{ ...READ, defer_loading: true }] }] }
    expect(chatOf({ ...BODY, input: [USER, SEARCHED, found, found] }).tools).toHaveLength(2)
  })

  test('encode: a call of the function is a search', () => {
    const call = { id: 's2', type: 'function', function: { name: 'tool_search', arguments: '{"query":"b"}' } }
    expect(outputOf(BODY, [call])).toMatchObject([
      { type: 'tool_search_call', call_id: 's2', execution: 'client', arguments: { query: 'b' } },
    ])
    expect(outputOf({ input: [USER] }, [call])).toMatchObject([{ type: 'function_call', name: 'tool_search' }])
  })

  test('provider of the same API: gets the search and its result as they are, and its search is a call', () => {
    const { status: _, ...searched } = SEARCHED
    const { status: _status, ...found } = FOUND
    expect(sent(BODY).input).toEqual([USER, searched, found])
    const response = { object: 'response', status: 'completed', output: [{ ...SEARCHED, id: 'tsc_1' }] }
    const { message } = readResponse(response, DEFAULTS)?.choices[0] ?? {}
    expect(message?.tool_calls).toMatchObject([{ id: 's1', function: { name: 'tool_search' } }])
  })
})

describe('Responses: searches for tools [GW-RESP-24]', () => {
  const found = (id: string, ...tools: readonly object[]) => [
    { ...SEARCHED, call_id: id },
    { ...FOUND, call_id: id, tools: [{ ...FILES, tools }] },
  ]

  test('decode: tools are declared once when a second search finds some of the first again', () => {
    const { tools } = chatOf({ input: [USER, ...found('s1', READ, RUN), ...found('s2', RUN)], tools: [SEARCH] })
    expect(tools.slice(1)).toEqual(chatOf({ input: [USER], tools: [FILES] }).tools)
  })

  test('in place: the description of a namespace stays in both results, and a redaction changes both', () => {
    const body = { input: [USER, ...found('s1', READ, RUN), ...found('s2', RUN)], tools: [SEARCH] }
    const namespaces = sent(body, redacted('Finds')).input.flatMap(({ tools = [] }) => tools)
    expect(namespaces.map(({ description }) => description)).toEqual([FILES.description, FILES.description])
    expect(JSON.stringify(sent(body, redacted('project')))).not.toContain('project')
  })

  test('decode: a name that is no text is refused', () => {
    const bad = { ...READ, name: { toString: 1, valueOf: 1 } }
    expect(decodeRequest({ input: [USER, ...found('s1', bad)], tools: [SEARCH] })).toMatchObject({ ok: false })
  })

  test('decode: thousands of tools take no longer than their number', () => {
    const tools = Array.from({ length: 20_000 }, (_, index) => ({ ...READ, name: `read_${index}` }))
    expect(chatOf({ input: [USER], tools }).tools).toHaveLength(20_000)
  }, 20_000)

  test('encode: a search whose arguments are nested too deeply is a call of a function', () => {
    const input = `{"a":${'['.repeat(9_000)}${']'.repeat(9_000)}}`
    const call = { id: 's1', type: 'function', function: { name: 'tool_search', arguments: input } }
    expect(outputOf({ input: [USER], tools: [SEARCH] }, [call])).toMatchObject([{ type: 'function_call', arguments: input }])
  })

  test('read: a search whose arguments are nested too deeply is malformed', () => {
    const query: unknown = JSON.parse(`{"a":${'['.repeat(5_000)}${']'.repeat(5_000)}}`)
    const output = [{ ...SEARCHED, id: 'tsc_1', arguments: query }]
    const body = { id: 'r', object: 'response', status: 'completed', model: 'm', created_at: 1, output } as const
    expect(readResponse(body, DEFAULTS)).toBeUndefined()
  })
})
