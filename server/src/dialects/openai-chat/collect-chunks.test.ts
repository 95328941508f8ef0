import { describe, expect, test, vi } from 'vitest'
import { ChunkCollector } from './collect-chunks.ts'

type Fields = Readonly<Record<string, unknown>>

const HEAD = { id: 'c1', object: 'chat.completion.chunk', created: 1_700_000_000, model: 'm' }
const STOP = { finish_reason: 'stop' }
const chunk = (choice: object, more: object = {}) => ({ ...HEAD, choices: [{ index: 0, ...choice }], ...more })
const delta = (value: object, more: object = {}) => chunk({ delta: value, finish_reason: null }, more)
const end = (reason = 'stop') => chunk({ delta: {}, finish_reason: reason })
const calls = (...list: object[]) => delta({ tool_calls: list })

function collect(chunks: readonly object[]) {
  const collector = new ChunkCollector()
  for (const value of chunks) expect(collector.add(value as Fields, JSON.stringify(value).length)).toBe('content')
  return collector.finish()
}
const messageOf = (chunks: readonly object[]) => ((collect(chunks)?.choices ?? []) as { message: Fields }[])[0]?.message
const collecting = (chunks: readonly object[]) => () => collect(chunks)

describe('whole responses', () => {
  test('chunks: become the completion that the provider sends without a stream', () => {
    const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 }
    const chunks = [
      delta({ role: 'assistant', content: '', refusal: null }, { usage: null, service_tier: null, obfuscation: 'x7' }),
      delta({ content: 'Good ' }, { usage: null, obfuscation: 'x' }),
      delta({ content: 'morning.' }, { service_tier: 'default' }),
      end(),
      { ...HEAD, choices: [], usage },
    ]
    expect(collect(chunks)).toEqual({
      ...HEAD,
      service_tier: 'default',
      usage,
      choices: [{ index: 0, message: { role: 'assistant', content: 'Good morning.', refusal: null }, ...STOP }],
    })
  })

  test('chunks: the last one may have usage and choices, and every chunk may have usage', () => {
    const usage = (count: number) => ({ usage: { prompt_tokens: 3, completion_tokens: count } })
    const last = chunk({ delta: { content: '.' }, finish_reason: 'length' }, usage(2))
    expect(collect([delta({ content: 'Hi' }, usage(1)), last])).toMatchObject({
      ...usage(2),
      choices: [{ message: { content: 'Hi.' }, finish_reason: 'length' }],
    })
  })

  test('choices: are collected by their index', () => {
    const of = (index: number, content: string, finish_reason: string | null = null) => ({
      ...HEAD,
      choices: [{ index, delta: { content }, finish_reason }],
    })
    const chunks = [of(1, 'b'), of(0, 'a'), of(1, 'B', 'stop'), of(0, 'A', 'length')]
    expect(collect(chunks)?.choices).toMatchObject([
      { index: 0, message: { content: 'aA' }, finish_reason: 'length' },
      { index: 1, message: { content: 'bB' }, finish_reason: 'stop' },
    ])
  })

  test('logprobs: are joined', () => {
    const piece = (token: string) =>
      chunk({ delta: { content: token }, logprobs: { content: [{ token, logprob: -1 }], refusal: null } })
    expect(collect([piece('a'), piece('b'), end()])?.choices).toMatchObject([
      { logprobs: { content: [{ token: 'a' }, { token: 'b' }], refusal: null } },
    ])
  })

  test('logprobs: are null if each chunk has null', () => {
    const piece = chunk({ delta: { content: 'a' }, logprobs: null })
    const choices = [{ index: 0, message: { role: 'assistant', content: 'a' }, logprobs: null, ...STOP }]
    expect(collect([piece, chunk({ delta: {}, logprobs: null, ...STOP })])?.choices).toEqual(choices)
  })

  test.each<[string, readonly object[], object]>([
    ['no role', [delta({ content: 'x' })], { role: 'assistant', content: 'x' }],
    ['an empty role', [delta({ role: '', content: 'x' }), delta({ role: 'assistant' })], { role: 'assistant', content: 'x' }],
    ['no text', [delta({ role: 'assistant', content: '' })], { role: 'assistant', content: '' }],
    [
      'empty deltas',
      [delta({}), chunk({}), chunk({ delta: null }), delta({ content: 'x' })],
      { role: 'assistant', content: 'x' },
    ],
    ['a refusal', [delta({ content: '', refusal: 'I ' }), delta({ refusal: 'can’t.' })], { content: null, refusal: 'I can’t.' }],
    [
      'reasoning before the text',
      [delta({ reasoning_content: 'Hm', content: null }), delta({ reasoning_content: '.' }), delta({ content: 'x' })],
      { reasoning_content: 'Hm.', content: 'x' },
    ],
    [
      'reasoning only',
      [delta({ content: '', reasoning: 'Hm' }), delta({ content: '', reasoning: '.' })],
      { reasoning: 'Hm.', content: null },
    ],
    [
      'annotations',
      [delta({ annotations: [{ a: 1 }] }), delta({ annotations: [{ a: 2 }] })],
      { annotations: [{ a: 1 }, { a: 2 }] },
    ],
    ['an unknown field', [delta({ content: 'x', extra: { a: 1 } }), delta({ extra: { a: 1 } })], { extra: { a: 1 } }],
    ['the message beside each delta', [chunk({ delta: { content: 'x' }, message: { content: 'x' } })], { content: 'x' }],
    [
      'the old form of a call',
      [delta({ function_call: { name: 'f', arguments: '' } }), delta({ function_call: { arguments: '{}' } })],
      { function_call: { name: 'f', arguments: '{}' } },
    ],
  ])('message: is joined when the stream has %s', (_, chunks, expected) =>
    expect(messageOf([...chunks, end()])).toMatchObject(expected),
  )
})

describe('tool calls', () => {
  const part = (more: object, args?: string) => ({ ...more, function: { ...(args !== undefined && { arguments: args }) } })
  const start = (more: object, name: string, args?: string) => ({
    ...{ type: 'function', ...more },
    function: { name, ...(args !== undefined && { arguments: args }) },
  })
  const unnamed = (name: string, args: string) => ({ type: 'function', function: { name, arguments: args } })
  const made = (id: string, name: string, args: string) => ({ id, type: 'function', function: { name, arguments: args } })

  test.each<[string, readonly object[], readonly object[]]>([
    [
      'alternate',
      [
        calls(start({ index: 0, id: 'a' }, 'one', ''), start({ index: 1, id: 'b' }, 'two', '')),
        calls(part({ index: 1 }, '{"x"')),
        calls(part({ index: 0 }, '{}')),
        calls(part({ index: 1 }, ':1}')),
      ],
      [made('a', 'one', '{}'), made('b', 'two', '{"x":1}')],
    ],
    ['have no arguments', [calls(start({ index: 0, id: 'a' }, 'one')), calls(part({ index: 0 }, ''))], [made('a', 'one', '')]],
    [
      'have no index',
      [calls(start({ id: 'a' }, 'one', '{')), calls(part({}, '}')), calls(start({ id: 'b' }, 'two', '{}'))],
      [made('a', 'one', '{}'), made('b', 'two', '{}')],
    ],
    [
      'have no id, and alternate',
      [
        calls(start({ index: 0 }, 'one', '{'), start({ index: 1 }, 'one', '')),
        calls(part({ index: 1 }, '{"x"')),
        calls(part({ index: 0 }, '}')),
        calls(part({ index: 1 }, ':1}')),
      ],
      [unnamed('one', '{}'), unnamed('one', '{"x":1}')],
    ],
    [
      'have neither index nor id',
      [
        calls(start({}, 'one', '{"x":1}')),
        calls(start({}, 'one', '{"x":')),
        calls(part({}, '2}')),
        calls(start({}, 'two', '{}')),
      ],
      [unnamed('one', '{"x":1}'), unnamed('one', '{"x":2}'), unnamed('two', '{}')],
    ],
    [
      'have neither index nor id, and stand in one list',
      [calls(start({}, 'one', ''), start({}, 'one', '')), calls(start({ id: '' }, 'one', '{}'))],
      [unnamed('one', ''), { ...unnamed('one', '{}'), id: '' }],
    ],
    [
      'have the index 0 and no id',
      [calls(start({ index: 0 }, 'one', '{"x":1}')), calls(start({ index: 0 }, 'one', '{"x":2}'))],
      [unnamed('one', '{"x":1}'), unnamed('one', '{"x":2}')],
    ],
    [
      'repeat the name without an id',
      [
        calls(start({ index: 0 }, 'one', '{"x"')),
        calls(start({ index: 0 }, 'one', ':1}')),
        calls(start({ index: 0 }, 'one', '')),
      ],
      [unnamed('one', '{"x":1}')],
    ],
    [
      'all have the index 0',
      [
        calls(start({ index: 0, id: 'a' }, 'one', '{}')),
        calls(start({ index: 0, id: 'b' }, 'two', '{')),
        calls(part({ index: 0 }, '}')),
      ],
      [made('a', 'one', '{}'), made('b', 'two', '{}')],
    ],
    [
      'repeat id and name, or send them empty',
      [
        calls(start({ index: 0, id: 'a' }, 'one', '{')),
        calls(start({ index: 0, id: 'a' }, 'one', '"a"')),
        calls(start({ index: 0, id: '' }, '', ':1}')),
      ],
      [made('a', 'one', '{"a":1}')],
    ],
    [
      'are custom',
      [
        calls({ index: 0, id: 'a', type: 'custom', custom: { name: 'sql', input: 'select' } }),
        calls({ index: 0, custom: { input: ' 1' } }),
      ],
      [{ id: 'a', type: 'custom', custom: { name: 'sql', input: 'select 1' } }],
    ],
    [
      'have a signature of the provider',
      [calls({ ...start({ index: 0, id: 'a' }, 'one', '{}'), extra_content: { google: { thought_signature: 's' } } })],
      [{ ...made('a', 'one', '{}'), extra_content: { google: { thought_signature: 's' } } }],
    ],
  ])('calls: are collected when they %s', (_, chunks, expected) => {
    const message = messageOf([delta({ role: 'assistant', content: '' }), ...chunks, end('tool_calls')])
    expect(message?.content).toBeNull()
    expect(((message?.tool_calls ?? []) as Fields[]).map(({ index: _index, ...call }) => call)).toEqual(expected)
  })
})

test('reasoning_details: pieces of a text are joined, and other entries stay', () => {
  const of = (detail: object) => delta({ reasoning_details: [detail] })
  const text = { type: 'reasoning.text', index: 0, format: 'f' }
  const chunks = [
    of({ ...text, text: 'Hm' }),
    of({ ...text, text: '.' }),
    of({ ...text, signature: 's' }),
    of({ type: 'reasoning.encrypted', data: 'x', index: 0 }),
    of({ type: 'reasoning.encrypted', data: 'y', index: 0 }),
    of({ ...text, text: 'Next', signature: 't' }),
  ]
  expect(messageOf([...chunks, end()])?.reasoning_details).toEqual([
    { ...text, text: 'Hm.', signature: 's' },
    { type: 'reasoning.encrypted', data: 'x', index: 0 },
    { type: 'reasoning.encrypted', data: 'y', index: 0 },
    { ...text, text: 'Next', signature: 't' },
  ])
})

test('reasoning_details: a piece of a text does not copy the fields of its entry', () => {
  let reads = 0
  const entry = { type: 'reasoning.text', index: 0, text: 'a' }
  Object.defineProperty(entry, 'wide', { enumerable: true, get: () => ++reads })
  const collector = new ChunkCollector()
  collector.add(delta({ reasoning_details: [entry] }) as Fields, 100)
  for (let at = 0; at < 100; at++)
    collector.add(delta({ reasoning_details: [{ type: 'reasoning.text', index: 0, text: 'b' }] }) as Fields, 100)
  expect(reads).toBe(0)
  expect(entry.text).toBe(`a${'b'.repeat(100)}`)
})

test('tool calls: an input is parsed once when every piece repeats the name and no call has an id', () => {
  const piece = (input: string) => calls({ index: 0, type: 'function', function: { name: 'f', arguments: input } })
  const collector = new ChunkCollector()
  const parse = vi.spyOn(JSON, 'parse')
  for (let at = 0; at < 100; at++) collector.add(piece('{x}') as Fields, 100)
  expect(parse).toHaveBeenCalledOnce()
  parse.mockRestore()
})

describe('faults', () => {
  test.each<[string, object]>([
    ['content that is a list of numbers', delta({ content: [7] })],
    ['a message without a delta', chunk({ message: { role: 'assistant', content: 'x' } })],
    ['choices that are an object', { choices: {} }],
    ['a choice that is null', { choices: [null] }],
    ['a delta that is a text', chunk({ delta: 'x' })],
    ['129 choices', { choices: Array.from({ length: 129 }, (_, index) => ({ index, delta: {} })) }],
    ['129 tool calls', calls(...Array.from({ length: 129 }, (_, index) => ({ index, id: `${index}` })))],
    ['arguments that are an object', calls({ index: 0, id: 'a', function: { name: 'f', arguments: {} } })],
    ['tool_calls that are an object', delta({ tool_calls: {} })],
    ['logprobs that are a list', chunk({ delta: {}, logprobs: [] })],
  ])('stream: malformed when it has %s', (_, value) => expect(collecting([value])).toThrow('malformed'))

  test.each<[string, object, object]>([
    ['role', delta({ role: 'assistant' }), delta({ role: 'user' })],
    ['unknown field', delta({ extra: 'a' }), delta({ extra: 'b' })],
    ['name of a call', calls({ index: 0, id: 'a', function: { name: 'a' } }), calls({ index: 0, function: { name: 'b' } })],
  ])('stream: malformed when a %s has two values', (_, one, other) => expect(collecting([one, other])).toThrow('malformed'))

  test('error: is told when a chunk reports one', () =>
    expect(new ChunkCollector().add({ ...delta({ content: 'x' }), error: { code: 502 } }, 1)).toBe('error'))

  test.each<[string, readonly object[]]>([
    ['no chunk', []],
    ['no choice', [{ ...HEAD, choices: [] }]],
    ['no finish_reason', [delta({ content: 'x' })]],
    ['no finish_reason of one of two choices', [end(), { choices: [{ index: 1, delta: { content: 'x' } }] }]],
  ])('stream: incomplete when it has %s', (_, chunks) => expect(collect(chunks)).toBeUndefined())

  test('prototype: a name that could change it stays an own field, which the reader of completions refuses', () => {
    const value = JSON.parse(`{"choices":[{"index":0,"delta":{"content":"x","__proto__":{"a":1}},"finish_reason":"stop"}]}`)
    expect(Object.keys(messageOf([value]) ?? {})).toContain('__proto__')
  })

  test('size: counts texts without framing, and lists with it', () => {
    const collector = new ChunkCollector()
    collector.add(delta({ content: '' }), 200)
    const before = collector.bytes
    for (let i = 0; i < 100; i++) collector.add(delta({ content: 'ä' }), 200)
    expect(collector.bytes - before).toBe(200)
    collector.add(chunk({ delta: {}, logprobs: { content: [{ token: 'a' }] } }), 300)
    expect(collector.bytes - before).toBe(500)
  })
})
