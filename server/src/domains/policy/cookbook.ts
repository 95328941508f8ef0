import { readdirSync, readFileSync } from 'node:fs'
import { parsePolicySet } from './parse.ts'

/** A rule of the cookbook, or a few that belong together. Its file is a policy document with tests; a comment explains it. */
export interface PolicyTemplate {
  readonly id: string
  readonly title: string
  readonly category: string
  readonly whatItDoes: string
  readonly whenToUseIt: string
  readonly whatUsersNotice: string
  readonly ruleIds: readonly string[]
  readonly tests: number
  readonly source: string
}

const FOLDER = new URL('../../../../examples/policies/cookbook/', import.meta.url)

let templates: readonly PolicyTemplate[] | undefined

/** The templates of the release, by category and title. Throws if a file is not a valid document with an explanation. */
export function readCookbook(): readonly PolicyTemplate[] {
  templates ??= readdirSync(FOLDER)
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => readTemplate(file.replace(/\.yaml$/, ''), readFileSync(new URL(file, FOLDER), 'utf8')))
    .toSorted((a, b) => a.category.localeCompare(b.category, 'en') || a.title.localeCompare(b.title, 'en'))
  return templates
}

function readTemplate(id: string, source: string): PolicyTemplate {
  const parsed = parsePolicySet(source)
  if (!parsed.ok) throw new Error(`${id}: ${parsed.errors[0]?.message}`)
  const { rules, cases } = parsed.set
  const [title = '', ...lines] = (/^(?:#.*\n)+/.exec(source)?.[0] ?? '').split('\n').map((line) => line.replace(/^# ?/, ''))
  const explanation = lines.join('\n').replaceAll(/\n {2,}/g, ' ')
  const fields = new Map(Array.from(explanation.matchAll(/^([^:\n]+): (.+)$/gm), ([, name, text]) => [name, text]))
  const field = (name: string): string => {
    const text = fields.get(name)
    if (text === undefined) throw new Error(`${id}: the explanation has no "${name}"`)
    return text
  }
  return {
    id,
    title,
    category: field('Category'),
    whatItDoes: field('Effect'),
    whenToUseIt: field('When to use it'),
    whatUsersNotice: field('Users notice'),
    ruleIds: rules.map((rule) => rule.id),
    tests: cases.length,
    source,
  }
}
