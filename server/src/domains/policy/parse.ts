import { isMap, type Node } from 'yaml'
import { createEnvironment } from './condition/environment.ts'
import { NodeReader } from './node-reader.ts'
import { POLICY_LIMITS, type PolicySet, type Rule } from './policy.ts'
import { type PolicyTest, readTest } from './policy-test-reader.ts'
import { NAME, readRule } from './rule-reader.ts'
import { type PolicyError, readYaml, type YamlDocument } from './yaml.ts'

export type { PolicyError } from './yaml.ts'

export type ParseResult =
  | { readonly ok: true; readonly set: PolicySet }
  /** At least one, at most 100, in the order of the document. */
  | { readonly ok: false; readonly errors: readonly PolicyError[] }

const MAX_ERRORS = 100

export function parsePolicySet(source: string): ParseResult {
  if (Buffer.byteLength(source, 'utf8') > POLICY_LIMITS.sourceBytes) {
    return refused([
      { line: 1, column: 1, field: '', message: `the document must have at most ${POLICY_LIMITS.sourceBytes} bytes` },
    ])
  }
  const { document, errors } = readYaml(source)
  if (errors.length > 0) return refused(errors)
  const reader = new NodeReader(document)
  const fields = reader.readFields(document.root, '', ['name', 'tests', 'texts', 'rules'])
  if (reader.errors.length > 0) return refused(reader.errors)

  const name = reader.readText(fields.get('name'), 'name', POLICY_LIMITS.nameLength)
  const { tests, cases } = readTests(reader, document, fields.get('tests'))
  const texts = readTexts(reader, fields.get('texts'))
  const rules = readRules(reader, fields.get('rules'), texts)
  if (reader.errors.length > 0 || name === undefined) return refused(reader.errors)
  return { ok: true, set: { name, tests, cases, texts, rules } }
}

const refused = (errors: readonly PolicyError[]): ParseResult => ({
  ok: false,
  errors: errors.toSorted((a, b) => a.line - b.line || a.column - b.column).slice(0, MAX_ERRORS),
})

function readTests(reader: NodeReader, document: YamlDocument, node: Node | undefined): Pick<PolicySet, 'tests' | 'cases'> {
  const tests: string[] = []
  const cases: PolicyTest[] = []
  for (const [index, item] of reader.readItems(node, 'tests', POLICY_LIMITS.tests).entries()) {
    const path = `tests[${index}]`
    const testCase = isMap(item) ? readTest(reader, document, item, path) : undefined
    if (testCase) cases.push(testCase)
    else if (!isMap(item)) tests.push(reader.readText(item, path, 500) ?? '')
  }
  return { tests, cases }
}

function readTexts(reader: NodeReader, node: Node | undefined): ReadonlyMap<string, string> {
  const texts = new Map<string, string>()
  if (!node) return texts
  const fields = reader.readFields(node, 'texts')
  if (fields.size > POLICY_LIMITS.texts) reader.addError(node, 'texts', `must have at most ${POLICY_LIMITS.texts} entries`)
  for (const [name, value] of fields) {
    if (!NAME.test(name)) reader.addError(value, `texts.${name}`, 'a name must consist of letters, digits, ".", "_", ":" and "-"')
    const text = reader.readText(value, `texts.${name}`, POLICY_LIMITS.textLength)
    if (text !== undefined) texts.set(name, text)
  }
  return texts
}

function readRules(reader: NodeReader, node: Node | undefined, texts: ReadonlyMap<string, string>): readonly Rule[] {
  if (!node) return reader.addError(node, 'rules', 'is missing') ?? []
  const context = { reader, environment: createEnvironment(), texts }
  const ids = new Set<string>()
  return reader.readItems(node, 'rules', POLICY_LIMITS.rules).flatMap((item, index) => {
    const rule = readRule(item, `rules[${index}]`, context)
    if (rule && ids.has(rule.id)) reader.addError(item, `rules[${index}].id`, `the id ${rule.id} is used twice: choose another`)
    if (rule) ids.add(rule.id)
    return rule ?? []
  })
}
