import { isAlias, isNode, isScalar, LineCounter, type Node, type ParsedNode, parseDocument, type Scalar, visit } from 'yaml'

/** An error in a document and its place. Lines and columns are counted from 1. */
export interface PolicyError {
  readonly line: number
  readonly column: number
  /** Path of the field: `rules[2].when`; empty: the document as a whole. */
  readonly field: string
  /** Id of the rule; absent: the error is outside of the rules, or the rule has no valid id. */
  readonly rule?: string
  readonly message: string
}

/** The place of an error for people: the rule's id and the field, for example `no-guests.verdict`; for a condition the id alone. */
export function describePlace({ field, rule }: Pick<PolicyError, 'field' | 'rule'>): string {
  if (rule === undefined) return field
  const inRule = field.replace(/^rules\[\d+\]\.?/, '')
  return inRule === '' || inRule === 'when' ? rule : `${rule}.${inRule}`
}

/** A text that is not YAML can have one error for each character. */
const MAX_ERRORS = 20

export interface YamlDocument {
  readonly root: Node | null
  /** An error at the start of a node, or inside the value of a scalar (`offset` in UTF-16 units). */
  errorAt(node: Node | null | undefined, field: string, message: string, offset?: number): PolicyError
}

export function readYaml(source: string): { document: YamlDocument; errors: readonly PolicyError[] } {
  const lines = new LineCounter()
  const parsed = parseDocument(source, {
    lineCounter: lines,
    version: '1.2',
    schema: 'core',
    merge: false,
    strict: true,
    stringKeys: true,
    uniqueKeys: false, // NodeReader checks this and reports the path of the field.
    prettyErrors: false,
    logLevel: 'error', // With a lower level, a second document would not be reported.
  })
  const toError = (offset: number, field: string, message: string): PolicyError => {
    const { line, col } = lines.linePos(Math.min(offset, source.length))
    return { line: Math.max(line, 1), column: Math.max(col, 1), field, message }
  }
  const document: YamlDocument = {
    root: parsed.contents,
    errorAt: (node, field, message, offset = 0) => toError(findOffset(source, node, offset), field, message),
  }
  const syntaxErrors = [...parsed.errors, ...parsed.warnings]
    .slice(0, MAX_ERRORS)
    .map(({ pos, message }) => toError(pos[0], '', `not YAML: ${message}`))
  return { document, errors: syntaxErrors.length > 0 ? syntaxErrors : findIndirections(parsed.contents, document) }
}

/** Refuses anchors and aliases, which can make a small document huge, and tags, which create other types of values. */
function findIndirections(root: ParsedNode | null, document: YamlDocument): readonly PolicyError[] {
  const errors: PolicyError[] = []
  if (!root) return errors
  visit(root, (_, node) => {
    if (isAlias(node)) errors.push(document.errorAt(node, '', 'aliases (*name) are not allowed'))
    if (!isNode(node) || isAlias(node)) return
    if (node.anchor !== undefined) errors.push(document.errorAt(node, '', 'anchors (&name) are not allowed'))
    if (node.tag !== undefined) errors.push(document.errorAt(node, '', 'tags (!name) are not allowed'))
  })
  return errors
}

/** Exact for scalars without escapes and for block literals (`|`); otherwise the start of the node. */
function findOffset(source: string, node: Node | null | undefined, offset: number): number {
  const start = node?.range?.[0] ?? 0
  if (!offset || !isScalar(node) || typeof node.value !== 'string') return start
  if (node.type === 'BLOCK_LITERAL') return findOffsetInBlock(source, start, node as Scalar<string>, offset)
  const quoted = node.type === 'QUOTE_DOUBLE' || node.type === 'QUOTE_SINGLE' ? 1 : 0
  const verbatim = source.startsWith(node.value, start + quoted)
  return verbatim ? start + quoted + offset : start
}

function findOffsetInBlock(source: string, start: number, node: Scalar<string>, offset: number): number {
  const before = node.value.slice(0, offset).split('\n')
  let lineStart = source.indexOf('\n', start) + 1
  for (let line = 1; line < before.length; line++) lineStart = source.indexOf('\n', lineStart) + 1
  const text = node.value.split('\n')[before.length - 1] ?? ''
  const indent = source.slice(lineStart).indexOf(text)
  return lineStart + Math.max(indent, 0) + (before.at(-1)?.length ?? 0)
}
