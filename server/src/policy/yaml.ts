import { isAlias, isNode, isScalar, LineCounter, type Node, type ParsedNode, parseDocument, type Scalar, visit } from 'yaml'

/** What is wrong with a document, and where. Lines and columns count from 1. */
export interface PolicyError {
  readonly line: number
  readonly column: number
  /** Path of the field, `rules[2].when`; empty for the document as a whole. */
  readonly field: string
  readonly message: string
}

/** A text that is no YAML at all may have one problem for each of its letters. */
const MAX_PROBLEMS = 20

/** A YAML 1.2 document of which nothing is taken on trust: no anchors, aliases or tags, no key twice. */
export interface YamlDocument {
  readonly root: Node | null
  /** Where a node stands, or a place inside the text of a scalar (`offset` UTF-16 units into its value). */
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
    uniqueKeys: false, // Fields does that, and knows the field's path.
    prettyErrors: false,
    logLevel: 'error', // With less, a second document would go unnoticed.
  })
  const at = (offset: number, field: string, message: string): PolicyError => {
    const { line, col } = lines.linePos(Math.min(offset, source.length))
    return { line: Math.max(line, 1), column: Math.max(col, 1), field, message }
  }
  const document: YamlDocument = {
    root: parsed.contents,
    errorAt: (node, field, message, offset = 0) => at(placeIn(source, node, offset), field, message),
  }
  const problems = [...parsed.errors, ...parsed.warnings]
    .slice(0, MAX_PROBLEMS)
    .map(({ pos, message }) => at(pos[0], '', `not YAML: ${message}`))
  return { document, errors: problems.length > 0 ? problems : indirections(parsed.contents, document) }
}

/** Anchors and aliases can make a small document a huge one, and tags make values out of nowhere: policies need none. */
function indirections(root: ParsedNode | null, document: YamlDocument): readonly PolicyError[] {
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

/** Exact for scalars that stand in the source as they are, and for block literals (`|`); else the start of the node. */
function placeIn(source: string, node: Node | null | undefined, offset: number): number {
  const start = node?.range?.[0] ?? 0
  if (!offset || !isScalar(node) || typeof node.value !== 'string') return start
  if (node.type === 'BLOCK_LITERAL') return placeInBlock(source, start, node as Scalar<string>, offset)
  const quoted = node.type === 'QUOTE_DOUBLE' || node.type === 'QUOTE_SINGLE' ? 1 : 0
  const verbatim = source.startsWith(node.value, start + quoted)
  return verbatim ? start + quoted + offset : start
}

function placeInBlock(source: string, start: number, node: Scalar<string>, offset: number): number {
  const before = node.value.slice(0, offset).split('\n')
  let lineStart = source.indexOf('\n', start) + 1
  for (let line = 1; line < before.length; line++) lineStart = source.indexOf('\n', lineStart) + 1
  const text = node.value.split('\n')[before.length - 1] ?? ''
  const indent = source.slice(lineStart).indexOf(text)
  return lineStart + Math.max(indent, 0) + (before.at(-1)?.length ?? 0)
}
