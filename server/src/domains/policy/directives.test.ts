import { expect, test } from 'vitest'
import { combineDirectives, parseDirective } from './directives.ts'

test.each([
  ['route:provider=openai', { provider: 'openai' }],
  ['route:region=eu', { region: 'eu' }],
  ['route:max_cost=0.05', { maxCost: 0.05 }],
  ['memory:off', { memory: 'off' }],
  ['memory:audit_only', { memory: 'audit_only' }],
  ['knowledge:off', { knowledgeOff: true }],
  ['max_tokens:17', { maxTokens: 17 }],
  ['system:careful', { system: ['careful'] }],
])('parseDirective: reads %s', (text, expected) => expect(parseDirective(text)).toEqual(expected))

test.each(
  [
    '',
    'fly:away',
    'route',
    'route:',
    'route:region',
    'route:region=',
    'route:region=e u',
    'route:max_cost=-1',
    'route:max_cost=1e3',
  ].concat([
    'memory:on',
    'memory',
    'knowledge:on',
    'max_tokens:0',
    'max_tokens:1.5',
    'max_tokens:-1',
    'system:',
    'system:a b',
    'Memory:off',
    ' memory:off',
  ]),
)('parseDirective: undefined for %j', (text) => expect(parseDirective(text)).toBeUndefined())

test('combineDirectives: strictest directive of each kind', () => {
  const directives = combineDirectives(
    'route:region=eu,route:max_cost=3,route:max_cost=0.5,memory:off,memory:audit_only,max_tokens:100,max_tokens:20,system:a,system:b,system:a,knowledge:off'.split(
      ',',
    ),
  )
  expect(directives).toEqual({
    region: 'eu',
    maxCost: 0.5,
    memory: 'off',
    maxTokens: 20,
    system: ['a', 'b'],
    knowledgeOff: true,
    unsatisfiable: false,
  })
})

test('combineDirectives: no effect when there are no directives', () =>
  expect(combineDirectives([])).toEqual({ knowledgeOff: false, system: [], unsatisfiable: false }))

test('combineDirectives: unsatisfiable when there are two regions or two providers', () => {
  expect(combineDirectives(['route:region=eu', 'route:region=us']).unsatisfiable).toBe(true)
  expect(combineDirectives(['route:provider=a', 'route:provider=b']).unsatisfiable).toBe(true)
  expect(combineDirectives(['route:provider=a', 'route:provider=a', 'route:region=a']).unsatisfiable).toBe(false)
})

test('combineDirectives: TypeError when a directive is unknown [GW-POL-12]', () =>
  expect(() => combineDirectives(['fly:away'])).toThrow(TypeError))
