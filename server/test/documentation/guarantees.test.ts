import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '../../..')
const PAGE = readFileSync(join(ROOT, 'docs/guarantees.md'), 'utf8')

/** A table row of docs/guarantees.md: the statement, and each test as `file` › title (the title may be left out). */
const rows = [...PAGE.matchAll(/^\| (.+?) \| (`.+`.*) \|$/gm)].map(([, statement = '', cell = '']) => ({
  statement,
  tests: cell.split('<br>').map((citation) => {
    const [, file = '', title] = /^`([^`]+)`(?: › (.+))?$/.exec(citation.trim()) ?? []
    return { file, title }
  }),
}))

describe('docs/guarantees.md', () => {
  test('guarantees: at least twenty statements are listed', () => expect(rows.length).toBeGreaterThanOrEqual(20))

  test.each(rows)('guarantees: the cited tests exist for “$statement”', ({ tests }) => {
    expect(tests.length).toBeGreaterThan(0)
    for (const { file, title } of tests) {
      expect(existsSync(join(ROOT, file)), `${file} does not exist`).toBe(true)
      if (title !== undefined) expect(readFileSync(join(ROOT, file), 'utf8'), `${file} has no test “${title}”`).toContain(title)
    }
  })
})
