import { expect, test } from 'vitest'
import { readConfig } from '../../server/src/platform/config/config.ts'
import vite from '../vite.config.ts'

test('vite: proxy uses the default port of the server', () => {
  const { port } = readConfig({})
  const targets = new Set(Object.values(vite.server?.proxy ?? {}))
  expect([...targets]).toEqual([`http://127.0.0.1:${port}`])
})
