import { expect, test } from 'vitest'
import { decodeArguments, toolCallsOf, toolNamesOf } from './tool-call.ts'

test.each([
  ['functions', [{ type: 'function', function: { name: 'a' } }], ['a']],
  ['custom tools', [{ type: 'custom', custom: { name: 'a' } }], ['a']],
  ['a name beside the type', [{ type: 'function', name: 'a', parameters: {} }], ['a']],
  ['two names in one tool', [{ type: 'function', function: { name: 'a' }, custom: { name: 'b' } }], ['a', 'b']],
  ['repeated names', [{ function: { name: 'a' } }, { function: { name: 'a' } }], ['a']],
  ['a tool without a name', [{ type: 'function', function: {} }], ['']],
  ['a name that is no text', [{ type: 'function', function: { name: ['a'] } }], ['']],
])('toolNamesOf: names when tools contain %s', (_, tools, names) => {
  expect(toolNamesOf({ tools })).toEqual(names)
})

test.each([
  ['auto', []],
  ['none', []],
  [{ type: 'function', function: { name: 'a' } }, ['a']],
  [{ type: 'custom', custom: { name: 'a' } }, ['a']],
  [{ type: 'function', name: 'a' }, ['a']],
  [{ type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [{ type: 'function', function: { name: 'a' } }] } }, ['a']],
  [{ type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'a' }] }, ['a']],
  [{ type: 'allowed_tools' }, []],
])('toolNamesOf: names of a demanded tool when tool_choice is %j', (tool_choice, names) => {
  expect(toolNamesOf({ tool_choice })).toEqual(names)
})

test('toolNamesOf: empty when the request offers no tools', () => {
  expect(toolNamesOf({})).toEqual([])
})

const called = (name: unknown, given?: unknown) => ({ id: 'x', type: 'function', function: { name, arguments: given } })

test.each([
  ['a function', { tool_calls: [called('a', '{"b":1}')] }, [{ name: 'a', arguments: '{"b":1}' }]],
  ['parallel calls', { tool_calls: [called('a', ''), called('b', '{}')] }, ['a', 'b'].map((name) => ({ name }))],
  ['a custom tool', { tool_calls: [{ type: 'custom', custom: { name: 'a', input: 'x' } }] }, [{ arguments: { input: 'x' } }]],
  ['the older form', { function_call: { name: 'a', arguments: '{}' } }, [{ name: 'a', arguments: '{}' }]],
  ['decoded arguments', { tool_calls: [called('a', { b: 1 })] }, [{ name: 'a', arguments: { b: 1 } }]],
  ['arguments that are a list', { tool_calls: [called('a', [1])] }, [{ name: 'a', arguments: '[1]' }]],
  ['no arguments', { tool_calls: [called('a')] }, [{ name: 'a', arguments: '' }]],
  ['no name', { tool_calls: [{ type: 'function' }] }, [{ name: '', arguments: '' }]],
  [
    'both forms in one call',
    { tool_calls: [{ function: { name: 'a', arguments: '' }, custom: { name: 'b', input: '' } }] },
    [{ name: 'a' }, { name: 'b' }],
  ],
  ['no calls', { content: 'Hello', tool_calls: [] }, []],
])('toolCallsOf: calls when a message has %s', (_, fields, calls) => {
  expect(toolCallsOf([{ role: 'assistant', ...fields }])).toMatchObject(calls)
  expect(toolCallsOf([{ role: 'assistant', ...fields }])).toHaveLength(calls.length)
})

test.each([
  ['', {}],
  [' \n', {}],
  ['{}', {}],
  ['{"a":1,"a":2}', { a: 2 }],
  ['{"a":1e999}', { a: Number.POSITIVE_INFINITY }],
  ['{"a":', { input: '{"a":' }],
  ['{"a":NaN}', { input: '{"a":NaN}' }],
  ['[1]', { input: '[1]' }],
  ['null', { input: 'null' }],
  ['rm -rf /', { input: 'rm -rf /' }],
])('decodeArguments: %j', (text, decoded) => {
  expect(decodeArguments(text)).toEqual(decoded)
})

test('decodeArguments: __proto__ is an ordinary key', () => {
  const decoded = decodeArguments('{"__proto__":{"admin":true}}')
  expect(Object.keys(decoded)).toEqual(['__proto__'])
  expect(decoded.admin).toBeUndefined()
})
