import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { ALLOCATOR, NODE_ARGS } from '../../bench/support/gatehouse.ts'

const launcher = readFileSync(new URL('../../scripts/gatehouse', import.meta.url), 'utf8')

test('scripts/gatehouse: starts the server with the flags that benchmarks and crash runs use', () => {
  const [, given] = /\/node" (.*) \\\n *"\$root\/server\/dist\/main\.mjs"/.exec(launcher) ?? []
  expect(given?.split(' ')).toEqual(NODE_ARGS)
})

test('scripts/gatehouse: sets up the allocator as benchmarks and crash runs do', () => {
  const given = [...launcher.matchAll(/\$\{(MALLOC_\w+):=(\d+)\}/g)].map(([, name = '', value = '']) => [name, value])
  expect(Object.fromEntries(given)).toEqual(ALLOCATOR)
})
