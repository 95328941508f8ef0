import { basename, dirname, join, normalize } from 'node:path'

/** Text of each file by its path from the repository's root. */
export type Files = ReadonlyMap<string, string>

interface Rule {
  readonly id: string
  readonly file: string
  readonly text: string
}

/** A test, or a group of tests, whose name ends with ids: `name [GW-CHAT-12]`. */
interface CitingTest {
  readonly file: string
  readonly name: string
  readonly ids: readonly string[]
}

const CONTRACT = 'docs/contract'
const COVERAGE = `${CONTRACT}/coverage.md`
const GUARANTEES = 'docs/guarantees.md'

const ID = /\b(?:ADM|API|GW|MSG)-[A-Z]+-\d+\b/g
const ROW = /^\| ([A-Z]+-[A-Z]+-\d+) \| (.*) \|$/gm
const NAME = /(['"`])((?:\\.|(?!\1)[^\\\n])*) \[((?:[A-Z]+-[A-Z]+-\d+(?:, )?)+)\]\1/g
const NOT_TESTED = /\(not tested: [^)]{10,}\)$/
const TESTS = /\.test\.tsx?$|^server\/test\//
const CODE = /\.(?:ts|tsx|mjs|cjs)$/
const COMMENT = /\/\*[\s\S]*?\*\/|(?<![:\w])\/\/.*/g
const DOCUMENT = /[\w/.-]*\w\.md\b/g
/** A section number whose document is not named next to it. */
const SECTION = /^(?!.*\bRFC).*(?<!`)§ ?\d/m

function rulesOf(files: Files): readonly Rule[] {
  const pages = [...files].filter(([file]) => dirname(file) === CONTRACT && file !== COVERAGE)
  return pages.flatMap(([file, page]) => [...page.matchAll(ROW)].map(([, id = '', text = '']) => ({ id, file, text })))
}

function testsOf(files: Files): readonly CitingTest[] {
  const tests = [...files].filter(([file]) => TESTS.test(file))
  return tests.flatMap(([file, code]) =>
    [...code.matchAll(NAME)].map(([, , name = '', ids = '']) => ({
      file,
      name: name.replace(/\\(.)/g, '$1'),
      ids: ids.split(', '),
    })),
  )
}

/** Unknown and duplicate ids, rules without a test, documents and tests that are cited and do not exist. */
export function citationProblems(files: Files): readonly string[] {
  const rules = rulesOf(files)
  const known = new Set(rules.map(({ id }) => id))
  const documents = new Set([...files.keys()].map((path) => basename(path)))
  return [
    ...ruleProblems(rules, new Set(testsOf(files).flatMap(({ ids }) => ids))),
    ...[...files].flatMap(([file, text]) => {
      const unknown = (text.match(ID) ?? [])
        .filter((id) => !known.has(id))
        .map((id) => `cites ${id}, which has no row in ${CONTRACT}.`)
      const missing = file.endsWith('.md')
        ? missingLinks(file, text, files)
        : CODE.test(file)
          ? missingDocuments(text, documents)
          : []
      return [...new Set([...unknown, ...missing])].map((problem) => `${file}: ${problem}`)
    }),
    ...guaranteeProblems(files),
  ]
}

const ruleProblems = (rules: readonly Rule[], tested: ReadonlySet<string>) => [
  ...rules
    .filter(({ id }, index) => rules.findIndex((other) => other.id === id) !== index)
    .map(({ id, file }) => `${file}: ${id} has two rows. Give the second the next number of its section.`),
  ...rules
    .filter(({ id, text }) => !tested.has(id) && !NOT_TESTED.test(text))
    .map(({ id, file }) => `${file}: ${id} has no test. End a test's name with [${id}], or the row with “(not tested: reason)”.`),
]

const missingLinks = (file: string, text: string, files: Files) =>
  [...text.matchAll(/\]\((?!\w+:)([^)#\s]+\.md)/g)]
    .map(([, link = '']) => normalize(join(dirname(file), link)))
    .filter((path) => !files.has(path))
    .map((path) => `links to ${path}, which does not exist.`)

/** Comments may name a document by the last part of its path. */
function missingDocuments(code: string, documents: ReadonlySet<string>): readonly string[] {
  const comments = code.match(COMMENT) ?? []
  const cited = comments.flatMap((comment) => comment.match(DOCUMENT) ?? [])
  return [
    ...cited.filter((path) => !documents.has(basename(path))).map((path) => `cites ${path}, which does not exist.`),
    ...comments
      .filter((comment) => SECTION.test(comment))
      .map(() => 'cites a section (§) without its document. Cite an id of the contract.'),
  ]
}

/** Rows of docs/guarantees.md: the statement, then each test as `file` › name; the name, or a part of it, may be left out. */
function guaranteeProblems(files: Files): readonly string[] {
  const rows = [...(files.get(GUARANTEES) ?? '').matchAll(/^\| (.+?) \| (`.+`.*) \|$/gm)]
  const cited = rows.flatMap(([, , cell = '']) =>
    cell.split('<br>').map((test) => /^`([^`]+)`(?: › (.+))?$/.exec(test.trim()) ?? []),
  )
  return cited
    .filter(([, file = '', name = '']) => !hasName(files.get(file), name))
    .map(([, file, name]) => `${GUARANTEES}: ${file} does not exist, or has no test “${name ?? ''}”.`)
}

/** A name of a test stands in quotes; `name` may be a part of it. */
const hasName = (code: string | undefined, name: string) =>
  name === ''
    ? code !== undefined
    : code?.split('\n').some((line) => /['"`]/.test(line.slice(0, Math.max(0, line.indexOf(name)))))

/** The page that lists the tests of each rule, in the order of the contract. */
export function coveragePage(files: Files): string {
  const tests = testsOf(files)
  const sections = [...Map.groupBy(rulesOf(files), ({ file }) => basename(file))].map(
    ([page, rules]) =>
      `## [${page}](${page})\n\n| rule | tests |\n|---|---|\n${rules.map((rule) => `| ${rule.id} | ${testsCell(rule, tests)} |\n`).join('')}`,
  )
  return `# Tests of each rule

\`npm run docs\` writes this page from the names of the tests. The name of a \`describe\` stands for all of its tests.

${sections.join('\n')}`
}

function testsCell({ id, text }: Rule, tests: readonly CitingTest[]): string {
  const byFile = Map.groupBy(
    tests.filter(({ ids }) => ids.includes(id)),
    ({ file }) => file,
  )
  if (byFile.size === 0) return NOT_TESTED.exec(text)?.[0].slice(1, -1) ?? ''
  return [...byFile].map(([file, own]) => `\`${file}\`: ${own.map(({ name }) => escapeCell(name)).join(' · ')}`).join('<br>')
}

const escapeCell = (text: string) => text.replace(/[|*`[\]]/g, '\\$&').replaceAll('<', '&lt;')
