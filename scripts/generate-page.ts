// Prints a generated page of docs/ that is not in git: `fields` or `coverage` (generate-files.mjs writes them).
import { coveragePage } from './contract.ts'
import { readRepositoryFiles } from './repository-files.ts'

const PAGES: Readonly<Record<string, () => Promise<string>>> = {
  fields: async () => (await import('../server/test/fields/page.ts')).fieldsPage(),
  coverage: async () => coveragePage(readRepositoryFiles()),
}

const page = PAGES[process.argv[2] ?? '']
if (!page) throw new Error(`The page must be one of: ${Object.keys(PAGES).join(', ')}.`)
process.stdout.write(await page())
