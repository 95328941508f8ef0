import { describe, expect, test } from 'vitest'
import { citationProblems, coveragePage } from '../../../scripts/contract.ts'

/** Ids are assembled, so that the check of this repository does not read them as citations. */
const id = (number: number) => `GW-${'SAMPLE'}-${number}`

const REPOSITORY = {
  'docs/contract/gateway.md': `| id | rule |\n|---|---|\n| ${id(1)} | First. |\n| ${id(2)} | Second. (not tested: needs a clock of the host) |\n`,
  'docs/guarantees.md': '| It holds | `server/test/a.test.ts` › first: works |\n',
  'server/test/a.test.ts': `test('first: works [${id(1)}]', () => {})\n`,
  'server/src/a.ts': `/** The first rule (${id(1)}, RFC 9110 §3; gateway.md). */\nconst url = 'https://docs.example/other.md'\n`,
}
const files = (changes: Readonly<Record<string, string>> = {}) => new Map(Object.entries({ ...REPOSITORY, ...changes }))
const problems = (changes: Readonly<Record<string, string>>) => citationProblems(files(changes))

describe('citationProblems', () => {
  test('citations: pass when every id, document and test exists', () => expect(problems({})).toEqual([]))

  test.each([
    ['an id has no row', { 'server/src/b.ts': `// ${id(9)}` }, /^server\/src\/b\.ts: cites GW-\w+-9/],
    ['two rows have one id', { 'docs/contract/messaging.md': `| ${id(1)} | Again. |` }, /-1 has two rows/],
    ['a rule has no test', { 'server/test/a.test.ts': "test('first: works', () => {})" }, /-1 has no test/],
    [
      'a rule gives no reason for having no test',
      { 'docs/contract/b.md': `| ${id(3)} | Third. (not tested: no) |` },
      /-3 has no test/,
    ],
    ['a comment cites a missing document', { 'server/src/b.ts': `/** See ${'other'}.md. */` }, /cites other\.md/],
    ['a comment cites a section alone', { 'server/src/b.ts': `// as §${2}.4 says` }, /cites a section/],
    ['a link leads nowhere', { 'docs/b.md': '[here](contract/none.md#top)' }, /links to docs\/contract\/none\.md/],
    [
      'a guarantee cites a missing test',
      { 'docs/guarantees.md': '| It holds | `server/test/a.test.ts` › third |' },
      /no test “third”/,
    ],
    ['a guarantee cites a missing file', { 'docs/guarantees.md': '| It holds | `server/test/none.test.ts` |' }, /does not exist/],
  ])('citations: fail when %s', (_, changes, expected) => {
    expect(problems(changes as Record<string, string>).join('\n')).toMatch(expected)
  })
})

test('coverage: lists the tests of each rule, or the reason why it has none', () => {
  const page = coveragePage(files())
  expect(page).toContain(`| ${id(1)} | \`server/test/a.test.ts\`: first: works |`)
  expect(page).toContain(`| ${id(2)} | not tested: needs a clock of the host |`)
})
