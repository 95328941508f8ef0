import { type Document, isAlias, isMap, isNode, isPair, isScalar, isSeq, LineCounter, parseDocument } from 'yaml'

type YamlReading =
  /** `lineOf`: line of a field, from 1. `param`: path as in platform/lib/schema.ts. A missing field has the line of its parent. */
  | { readonly ok: true; readonly value: unknown; readonly lineOf: (param: string) => number }
  | { readonly ok: false; readonly line: number; readonly problem: string }

/** Reads one YAML 1.2 document without duplicate keys and custom tags. Never throws. */
export function readYaml(text: string): YamlReading {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, stringKeys: true, strict: true })
  const [problem] = [...document.errors, ...document.warnings]
  if (problem) return { ok: false, line: lines.linePos(problem.pos[0]).line, problem: problem.message }
  try {
    return { ok: true, value: document.toJS(), lineOf: (param) => lines.linePos(offsetOf(document, param)).line }
  } catch (error) {
    // Too many aliases, or an alias without an anchor.
    return { ok: false, line: 1, problem: (error as Error).message }
  }
}

function offsetOf(document: Document, param: string): number {
  let node: unknown = document.contents
  let offset = startOf(node)
  let rest = param
  while (rest !== '') {
    const step = isAlias(node) ? { node: node.resolve(document), offset, rest } : descend(node, rest)
    if (step === undefined) break
    ;({ node, offset, rest } = step)
  }
  return offset
}

/** Takes the longest matching key, because keys may contain dots and brackets. */
function descend(node: unknown, path: string): { node: unknown; offset: number; rest: string } | undefined {
  if (isSeq(node)) {
    const [prefix = '', index] = /^\[(\d+)\]\.?/.exec(path) ?? []
    const item = index === undefined ? undefined : node.items[Number(index)]
    return isNode(item) ? { node: item, offset: startOf(item), rest: path.slice(prefix.length) } : undefined
  }
  if (!isMap(node)) return undefined
  const keyed = node.items.flatMap((pair) => {
    const key = isPair(pair) && isScalar(pair.key) ? String(pair.key.value) : undefined
    const follows = key === undefined ? undefined : path.slice(key.length)
    const fits = key !== undefined && path.startsWith(key) && /^($|[.[])/.test(follows ?? '')
    return fits ? [{ key, pair }] : []
  })
  const found = keyed.toSorted((a, b) => b.key.length - a.key.length)[0]
  if (!found) return undefined
  return { node: found.pair.value, offset: startOf(found.pair.key), rest: path.slice(found.key.length).replace(/^\./, '') }
}

const startOf = (node: unknown): number => (isNode(node) ? (node.range?.[0] ?? 0) : 0)
