import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { NODE_ARGS } from '../../bench/support/gatehouse.ts'

test('benchmarks and crash runs start the server with the flags that scripts/gatehouse gives it', () => {
  const launcher = readFileSync(new URL('../../scripts/gatehouse', import.meta.url), 'utf8')
  const [, given] = /\/node" (.*) \\\n *"\$root\/server\/src\/main\.ts"/.exec(launcher) ?? []
  expect(given?.split(' ')).toEqual(NODE_ARGS)
})
