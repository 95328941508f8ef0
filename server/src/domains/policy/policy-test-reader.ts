import { isMap, isScalar, type Node } from 'yaml'
import { camelCase } from '../../platform/lib/camel-case.ts'
import { parseTime } from '../../platform/lib/clock.ts'
import { CLASSIFICATIONS, type Classification, RISK_LEVELS, type RiskLevel } from '../../shared/classification.ts'
import { POLICY_POINTS, type PolicyPoint, VERDICTS, type Verdict } from '../../shared/decision.ts'
import { FINDING_GROUPS, FINDING_TYPES, type FindingCounts, groupOf, NOTHING_FOUND } from '../../shared/finding.ts'
import { ANONYMOUS_USER } from '../../shared/principal.ts'
import type { ToolCall } from '../../shared/tool-call.ts'
import { ANY, type RecordType, type Type } from './condition/value-types.ts'
import { fieldsOf, ROOTS, VARIABLES } from './condition/variables.ts'
import type { PolicyInput } from './input.ts'
import { NodeReader } from './node-reader.ts'
import { type PolicyError, readYaml, type YamlDocument } from './yaml.ts'

/** The detectors and their assessment, for cases that contain a text and no findings. */
export interface TestTools {
  detect(text: string): FindingCounts
  /** Classification and risk before policies (GW-POL-7). */
  assess(findings: FindingCounts): { readonly classification: Classification; readonly risk: RiskLevel }
}

export interface PolicyTest {
  readonly name: string
  readonly line: number
  readonly at: PolicyPoint
  readonly given: Given
  readonly expect: Expectation
}

/** Absent fields are not compared. Lists are compared in order. */
export interface Expectation {
  readonly verdict?: Verdict
  readonly risk?: RiskLevel
  readonly classification?: Classification
  readonly transforms?: readonly string[]
  readonly directives?: readonly string[]
  readonly rules?: readonly string[]
}

type Given = Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>>

/** Reads `tests:`, a list of cases. Inputs have the names that conditions use; absent inputs get neutral values. */
export function readPolicyTests(source: string): {
  readonly tests: readonly PolicyTest[]
  readonly errors: readonly PolicyError[]
} {
  const { document, errors } = readYaml(source)
  if (errors.length > 0) return { tests: [], errors }
  const reader = new NodeReader(document)
  const fields = reader.readFields(document.root, '', ['tests'])
  const tests = reader
    .readItems(fields.get('tests'), 'tests', 10_000)
    .flatMap((node, index) => readTest(reader, document, node, `tests[${index}]`) ?? [])
  if (tests.length === 0) reader.addError(fields.get('tests'), 'tests', 'must have at least one case')
  return { tests, errors: reader.errors }
}

export function readTest(reader: NodeReader, document: YamlDocument, node: Node, path: string): PolicyTest | undefined {
  const fields = reader.readFields(node, path, ['name', 'at', 'input', 'expect'])
  const name = reader.readText(fields.get('name'), `${path}.name`, 500)
  const at = reader.readWord(fields.get('at'), `${path}.at`, POLICY_POINTS)
  const given = fields.has('input') ? readInput(reader, fields.get('input'), `${path}.input`) : {}
  const expect = readExpectation(reader, fields.get('expect'), `${path}.expect`)
  const { line } = document.errorAt(node, path, '')
  return name === undefined || at === undefined ? undefined : { name, line, at, given, expect }
}

function readExpectation(reader: NodeReader, node: Node | undefined, path: string): Expectation {
  const fields = reader.readFields(node, path, ['verdict', 'risk', 'classification', 'transforms', 'directives', 'rules'])
  if (node && fields.size === 0) reader.addError(node, path, 'must have at least one field')
  const word = <W extends string>(name: string, words: readonly W[]) => {
    const value = fields.get(name) && reader.readWord(fields.get(name), `${path}.${name}`, words)
    return value && { [name]: value }
  }
  const list = (name: string) =>
    fields.has(name) && {
      [name]: reader
        .readItems(fields.get(name), `${path}.${name}`, 1_000)
        .map((item, i) => reader.readText(item, `${path}.${name}[${i}]`, 200)),
    }
  return {
    ...word('verdict', VERDICTS),
    ...word('risk', RISK_LEVELS),
    ...word('classification', CLASSIFICATIONS),
    ...list('transforms'),
    ...list('directives'),
    ...list('rules'),
  } as Expectation
}

function readInput(reader: NodeReader, node: Node | undefined, path: string): Given {
  const groups = [...reader.readFields(node, path, [...ROOTS])].map(([group, value]): [string, unknown] => {
    const variable = VARIABLES.get(group)
    if (variable) return [group, readValue(reader, value, `${path}.${group}`, variable.type)]
    const fields = [...reader.readFields(value, `${path}.${group}`, givenFields(group))].map(
      ([name, field]): [string, unknown] => {
        const type = VARIABLES.get(`${group}.${name}`)?.type ?? { kind: 'any' }
        return [camelCase(name), readValue(reader, field, `${path}.${group}.${name}`, type)]
      },
    )
    return [group, Object.fromEntries(fields)]
  })
  return Object.fromEntries(groups) as Given
}

/** `content.plain` is computed from the text. */
const givenFields = (group: string): readonly string[] => fieldsOf(group).filter((name) => `${group}.${name}` !== 'content.plain')

function readValue(reader: NodeReader, node: Node, path: string, type: Type): unknown {
  switch (type.kind) {
    case 'bool':
      return reader.readBoolean(node, path)
    case 'string':
      return type.words ? reader.readWord(node, path, type.words.values) : readText(reader, node, path)
    case 'int':
      return readCount(reader, node, path)
    case 'timestamp':
      return readDate(reader, node, path)
    case 'list':
      return reader.readItems(node, path, 1_000).map((item, index) => readValue(reader, item, `${path}[${index}]`, type.of))
    case 'map':
      if ('fields' in type) return readRecord(reader, node, path, type)
      return type.keys ? readFindings(reader, node, path) : readFreeForm(reader, node, path)
    default:
      return readFreeForm(reader, node, path)
  }
}

function readRecord(reader: NodeReader, node: Node, path: string, { fields }: RecordType): unknown {
  const values = [...reader.readFields(node, path, Object.keys(fields))].map(([name, value]): [string, unknown] => [
    name,
    readValue(reader, value, `${path}.${name}`, fields[name] ?? ANY),
  ])
  return { name: '', arguments: {}, ...Object.fromEntries(values) } satisfies ToolCall
}

/** Texts of cases may be empty, unlike those of policies. */
const readText = (reader: NodeReader, node: Node, path: string): string | undefined =>
  isScalar(node) && node.value === '' ? '' : reader.readText(node, path, 1_048_576)

const readCount = (reader: NodeReader, node: Node, path: string): number | undefined =>
  isScalar(node) && Number.isSafeInteger(node.value) && Number(node.value) >= 0
    ? Number(node.value)
    : reader.addError(node, path, 'must be a whole number, 0 or more')

function readDate(reader: NodeReader, node: Node, path: string): Date | undefined {
  const date = parseTime(reader.readText(node, path, 40) ?? '')
  return date ?? reader.addError(node, path, 'must be a time such as 2026-03-02T09:00:00Z')
}

const readFreeForm = (reader: NodeReader, node: Node, path: string): unknown =>
  isMap(node) ? node.toJSON() : reader.addError(node, path, 'must be a map (name: value)')

function readFindings(reader: NodeReader, node: Node, path: string): FindingCounts {
  const counts: Record<keyof FindingCounts, number> = { ...NOTHING_FOUND }
  for (const [name, value] of reader.readFields(node, path, [...FINDING_TYPES, ...FINDING_GROUPS])) {
    const count = readCount(reader, value, `${path}.${name}`) ?? 0
    counts[name as keyof FindingCounts] += count
    const type = FINDING_TYPES.find((known) => known === name)
    if (type) counts[groupOf(type)] += count
  }
  return counts
}

/** A Monday at noon: during office hours. */
const NOW = new Date('2026-03-02T12:00:00Z')

export function toPolicyInput({ given }: PolicyTest, tools: TestTools): PolicyInput {
  const text = String(given.content?.text ?? '')
  const findings = (given.content?.findings as FindingCounts | undefined) ?? tools.detect(text)
  const { classification, risk } = tools.assess(findings)
  const defaults = {
    user: ANONYMOUS_USER,
    application: { id: 'app_test', name: 'test', settings: {} },
    request: {
      endpoint: 'chat',
      model: '',
      sessionId: '',
      stream: false,
      dryRun: false,
      messageCount: 1,
      tokens: 0,
      maxTokens: 0,
      tools: [],
    },
    content: { text, unread: 0, unreadBytes: 0, unreadKinds: [], toolCalls: [], classification, riskLevel: risk, findings },
    response: { model: '', provider: '', finishReason: 'stop', tokens: 0 },
    hit: { classification: 'internal', regulations: [], title: '', collection: '', document: '', updatedAt: NOW },
    memory: {
      classification: 'internal',
      regulations: [],
      scope: 'user',
      scopeId: '',
      kind: 'fact',
      createdAt: NOW,
      expiresAt: null,
    },
    message: { conversationId: '', sender: '', group: '' },
  }
  const filled = Object.entries(defaults).map(([group, values]) => [group, { ...values, ...given[group] }])
  return { ...Object.fromEntries(filled), now: given.now ?? NOW } satisfies Record<string, unknown> as PolicyInput
}
