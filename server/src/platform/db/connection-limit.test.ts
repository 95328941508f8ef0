import { expect, test } from 'vitest'
import { warnAboutConnectionLimit } from './connection-limit.ts'

test.each([
  [{ poolSize: 5, processes: 8 }, 56, 0],
  [{ poolSize: 5, processes: 8 }, 55, 1],
  [{ poolSize: 10, processes: 1 }, 12, 0],
])('connection limit: %o with %i admitted connections gives %i warnings', async (sizes, admitted, expected) => {
  const warnings: unknown[] = []
  const probe = { query: async () => ({ rows: [{ admitted }] }) } as never
  await warnAboutConnectionLimit({ ...sizes, probe, log: { warn: (values: unknown) => void warnings.push(values) } as never })
  expect(warnings).toEqual(expected === 0 ? [] : [{ connections: (sizes.poolSize + 2) * sizes.processes, admitted }])
})
