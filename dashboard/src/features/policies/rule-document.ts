import { isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml'
import { fromRule, type RuleFields } from './rule-fields.ts'

export interface RuleInText {
  readonly id: string
  readonly line: number
  readonly verdict: string
  readonly transforms: readonly string[]
  readonly directives: readonly string[]
  /** Undefined: the form cannot show all of it. */
  readonly fields: RuleFields | undefined
  /** Position of the dash, and the end of the rule. */
  readonly from: number
  readonly to: number
}

/** The rules of a document. Empty if the text is not YAML. */
export function rulesIn(source: string): readonly RuleInText[] {
  const lines = new LineCounter()
  const document = parseDocument(source, { lineCounter: lines, logLevel: 'silent', prettyErrors: false })
  const rules = document.errors.length === 0 && isMap(document.contents) ? document.contents.get('rules', true) : undefined
  if (!isSeq(rules)) return []
  return rules.items.flatMap((item) => {
    const [start, end] = (item as Node).range ?? []
    if (!isMap(item) || start === undefined || end === undefined) return []
    const from = rules.flow ? start : source.lastIndexOf('-', start)
    const to = from + source.slice(from, end).trimEnd().length
    return {
      id: String(item.get('id') ?? ''),
      line: lines.linePos(start).line,
      verdict: String(item.get('verdict') ?? 'allow'),
      transforms: textsIn(item.get('transforms', true)),
      directives: textsIn(item.get('directives', true)),
      fields: rules.flow ? undefined : fromRule(item),
      from,
      to,
    }
  })
}

const textsIn = (node: unknown): readonly string[] =>
  isSeq(node) ? node.items.map((item) => String(isScalar(item) ? item.value : '')) : []

/** Adds items to a list or entries to a map. Undefined if the text is not YAML, or the section is a map in one line. */
function addToSection(source: string, section: string, block: string): string | undefined {
  const document = parseDocument(source, { logLevel: 'silent', prettyErrors: false })
  if (document.errors.length > 0 || !(document.contents === null || isMap(document.contents))) return undefined
  const pair = document.contents?.items.find(({ key }) => isScalar(key) && key.value === section)
  const value = pair?.value
  if (!pair) return `${source.trimEnd()}\n\n${section}:\n${indent(block, 2)}\n`.trimStart()
  const isCollection = isSeq(value) || isMap(value)
  if (isCollection && !value.flow && value.items.length > 0) {
    const [start, end] = value.range ?? [0, 0]
    const column = start - (source.lastIndexOf('\n', start - 1) + 1)
    const last = start + source.slice(start, end).trimEnd().length
    const lineEnd = source.indexOf('\n', last)
    const at = lineEnd === -1 ? source.length : lineEnd
    const gap = isSeq(value) ? '\n\n' : '\n'
    return `${source.slice(0, at)}${gap}${indent(block, column)}${source.slice(at)}`
  }
  const isFilled = isCollection && value.items.length > 0
  if (isFilled && !isSeq(value)) return undefined
  // Items in one line get a line each.
  const items = isFilled ? value.items.map((item) => `- ${textOf(source, item as Node)}\n`) : []
  const [, keyEnd] = (pair.key as Node).range ?? [0, 0]
  const colon = source.indexOf(':', keyEnd) + 1
  const valueEnd = isCollection ? (value.range?.[1] ?? colon) : colon
  return `${source.slice(0, colon)}\n${indent(items.join('') + block, 2)}${source.slice(valueEnd)}`
}

const textOf = (source: string, { range }: Node): string => source.slice(range?.[0], range?.[1])

/** Replaces a rule, or adds it at the end of the rules. */
export function putRule(source: string, rule: string, replaced?: RuleInText): string | undefined {
  if (!replaced) return addToSection(source, 'rules', rule)
  const column = replaced.from - (source.lastIndexOf('\n', replaced.from - 1) + 1)
  return source.slice(0, replaced.from) + indent(rule, column).trimStart() + source.slice(replaced.to)
}

/** Adds a test at the end of the tests. */
export const addTest = (source: string, test: string): string | undefined => addToSection(source, 'tests', test)

/** Adds the rules, texts and tests of a template. Ids that the document already has get a number. */
export function addTemplate(source: string, template: string, withTests: boolean): string | undefined {
  const taken = new Set(rulesIn(source).map(({ id }) => id))
  let renamed = template
  for (const { id } of rulesIn(template)) {
    let [free, number] = [id, 2]
    while (taken.has(free)) free = `${id}-${number++}`
    if (free !== id) renamed = renamed.replaceAll(new RegExp(`(?<![\\w-])${id}(?![\\w-])`, 'g'), free)
  }
  const added = addToSection(source, 'rules', sectionOf(renamed, 'rules'))
  const texts = sectionOf(renamed, 'texts')
  const withTexts = added !== undefined && texts !== '' && !hasText(added, texts) ? addToSection(added, 'texts', texts) : added
  if (!withTests || withTexts === undefined) return withTexts
  // Other rules of the document may match as well, so the list of all matching rules is not compared.
  const tests = sectionOf(renamed, 'tests').replaceAll(/, rules: \[[^\]]*\]/g, '')
  return addToSection(withTexts, 'tests', tests) ?? withTexts
}

const hasText = (source: string, texts: string): boolean => source.includes(`  ${texts.slice(0, texts.indexOf(':') + 1)}`)

/** The content of a section of a template, without its indentation. */
function sectionOf(source: string, section: string): string {
  const [, content = ''] = new RegExp(`^${section}:\\n((?: .*\\n|\\n)*)`, 'm').exec(source) ?? []
  return content.replaceAll(/^ {2}/gm, '').trimEnd()
}

const indent = (block: string, columns: number): string =>
  block
    .trimEnd()
    .split('\n')
    .map((line) => (line === '' ? '' : `${' '.repeat(columns)}${line}`))
    .join('\n')
